#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "checkpoint/safetensors.h"

namespace gloss {

/// The options that visit() of each struct lists: an object, name → value.
template <class... Options>
nlohmann::json settings_json(Options... options) {
  nlohmann::json settings = nlohmann::json::object();
  const auto field = [&](const char* name, const auto& value, const auto&...) { settings[name] = value; };
  (options.visit(field), ...);
  return settings;
}

/// What to store beside weights about the options their model was built from: many of them (heads, activation, norm)
/// leave no trace in the shapes. \param options as settings_json() gives them
Metadata options_metadata(const nlohmann::json& options);

/// Throws CheckpointError, listing the differences, when the weights in `file` belong to a model of other options.
/// Options that only one of both knows are passed over: they are of another version.
void check_options(const Metadata& metadata, const nlohmann::json& options, const std::string& file);

}  // namespace gloss
