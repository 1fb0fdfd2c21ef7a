#include "model/presets.h"

#include "core/table.h"
#include "model/model_options.h"

namespace gloss {
namespace {

struct Preset {
  const char* name;
  std::vector<std::pair<const char*, const char*>> settings;
};

// Sizes of Vaswani et al. 2017, table 3 (base and big); tiny for corpora of some ten thousand pairs; deep-shallow for fast
// search (Kasai et al. 2021).
const std::vector<Preset>& presets() {
  static const std::vector<Preset> kPresets{
      {"transformer-tiny",
       {{"type", "transformer"},
        {"encoder-layers", "4"},
        {"decoder-layers", "4"},
        {"model-size", "128"},
        {"ffn-size", "256"},
        {"heads", "4"},
        {"dropout", "0.3"},
        {"learning-rate", "0.005"},
        {"warmup", "600"}}},
      {"transformer-base",
       {{"type", "transformer"},
        {"encoder-layers", "6"},
        {"decoder-layers", "6"},
        {"model-size", "512"},
        {"ffn-size", "2048"},
        {"heads", "8"},
        {"dropout", "0.1"},
        {"learning-rate", "0.0007"},
        {"warmup", "4000"}}},
      {"transformer-big",
       {{"type", "transformer"},
        {"encoder-layers", "6"},
        {"decoder-layers", "6"},
        {"model-size", "1024"},
        {"ffn-size", "4096"},
        {"heads", "16"},
        {"dropout", "0.3"},
        {"learning-rate", "0.0005"},
        {"warmup", "4000"}}},
      {"transformer-deep-shallow",
       {{"type", "transformer"},
        {"encoder-layers", "12"},
        {"decoder-layers", "1"},
        {"model-size", "512"},
        {"ffn-size", "2048"},
        {"heads", "8"},
        {"dropout", "0.1"},
        {"learning-rate", "0.0007"},
        {"warmup", "4000"}}},
  };
  return kPresets;
}

}  // namespace

std::vector<std::string> preset_names() { return names_of(presets()); }

std::vector<Setting> preset_settings(const std::string& name) {
  if (name.empty()) return {};
  std::vector<Setting> settings;
  for (const auto& [key, value] : row_of(presets(), "preset", name).settings)
    settings.push_back({.key = key, .values = {value}, .origin = "preset " + name + ": " + key});
  return settings;
}

}  // namespace gloss
