#pragma once

#include <string>

#include "torch.h"

namespace gloss {

/// "auto", "cpu", "cuda" or "cuda:N" to a device. libtorch_cuda.so is opened here, and only when a CUDA device is
/// asked for or "auto" sees an NVIDIA driver: linking it would make every CPU run pay for it in memory.
/// Throws UsageError when the device asked for cannot be had, saying what is missing.
at::Device select_device(const std::string& name);

/// One phrase for --version: what of CUDA is present ("no CUDA libraries beside LibTorch", "2 CUDA devices").
std::string describe_cuda();

}  // namespace gloss
