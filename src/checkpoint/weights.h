#pragma once

#include <string>

#include "checkpoint/safetensors.h"

namespace gloss {

/// Parameters and buffers by their registered names. They share memory with the module.
NamedTensors module_tensors(const torch::nn::Module& module);

/// Copies `tensors` into the module. Names, shapes and types must agree both ways; else nothing is changed and one
/// CheckpointError lists all differences. \param file for the message
void load_strict(torch::nn::Module& module, const NamedTensors& tensors, const std::string& file);

}  // namespace gloss
