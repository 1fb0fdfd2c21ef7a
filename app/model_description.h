#pragma once

#include <string>

#include "model/model_options.h"
#include "torch.h"

namespace gloss {

/// "name               value\n"
std::string row(const std::string& name, const std::string& value);

/// Kind and sizes of a model, and how its attention is computed on the device in translation, in rows for people.
std::string describe_model(const ModelOptions& options, const at::Device& device);

/// Logs how the model will be computed. Throws UsageError when the attention backend asked for cannot be had.
void log_computation(const ModelOptions& options, const at::Device& device, const std::string& precision,
                     bool is_training);

}  // namespace gloss
