#include "checkpoint/options_metadata.h"

#include <spdlog/fmt/fmt.h>

#include "checkpoint/safetensors_header.h"
#include "core/error.h"

namespace gloss {
namespace {

constexpr auto kOptions = "model-options";

std::string shown(const nlohmann::json& value) {
  return value.is_string() ? fmt::format("'{}'", printable(value.get<std::string>()))
                           : printable(value.dump());
}

}  // namespace

Metadata options_metadata(const nlohmann::json& options) { return {{kOptions, options.dump()}}; }

void check_options(const Metadata& metadata, const nlohmann::json& options, const std::string& file) {
  const auto found = metadata.find(kOptions);
  if (found == metadata.end()) return;  // written by an earlier gloss
  const auto trained = nlohmann::json::parse(found->second, nullptr, /*allow_exceptions=*/false);
  if (!trained.is_object())
    throw_damaged(file, std::string("its metadata ") + kOptions + " is no JSON object");
  std::string differences;
  for (const auto& [name, value] : options.items()) {
    const auto then = trained.find(name);
    if (then != trained.end() && *then != value)
      differences += "\n  " + name + ": " + shown(*then) + " in training, " + shown(value) + " now";
  }
  if (!differences.empty())
    throw CheckpointError(file + ": its model has other options than config.toml says:" + differences +
                          "\nwas config.toml changed by hand?");
}

}  // namespace gloss
