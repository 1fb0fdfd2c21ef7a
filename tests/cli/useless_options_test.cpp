#include <filesystem>

#include "config/toml.h"
#include "core/error.h"
#include "model/presets.h"
#include "run_gloss.h"
#include "support/catch.h"
#include "train_config.h"
#include "trained_model.h"

using namespace gloss;
namespace fs = std::filesystem;

// An option that would do nothing is refused: who gives it believes that it does something.

namespace {

using Pairs = std::vector<std::pair<std::string, std::string>>;

/// The configuration that `train` makes of these settings, a preset's first.
TrainConfig config_of(const std::vector<Setting>& settings) {
  TrainConfig config;
  Fields fields;
  add_train_config(fields, config);
  for (const auto& setting : settings)
    if (setting.key == "preset") fields.apply(preset_settings(setting.values.front()));
  fields.apply(settings);
  return config;
}

TrainConfig with_texts(TrainConfig config) {
  config.train.model = "model";
  config.data.train_source = config.data.train_target = {"train"};
  config.data.valid_source = config.data.valid_target = {"valid"};
  return config;
}

std::string fault_of(const Pairs& options) {
  std::vector<Setting> settings;
  for (const auto& [name, value] : options) settings.push_back({name, {value}, "--" + name});
  auto config = with_texts(config_of(settings));
  try {
    config.validate();
    config.complete();  // in config.toml stands what this makes of them
    config.validate();
  } catch (const UsageError& error) {
    return error.what();
  }
  return {};
}

}  // namespace

TEST_CASE("options of another score, window or table of positions are refused", "[cli][options]") {
  const auto [name, value, others, mended] = GENERATE(table<std::string, std::string, Pairs, Pairs>({
      {"attention-width", "3", {}, {{"attention-window", "local-p"}}},
      {"attention-size", "64", {{"attention-score", "dot"}}, {{"attention-score", "qkv"}}},
      {"attention-size", "64", {{"attention-score", "location"}}, {{"attention-score", "concat"}}},
      {"attention-size",
       "64",
       {{"attention", "luong"}},
       {{"attention", "luong"}, {"attention-score", "additive"}}},
      {"attention-max-length", "50", {}, {{"attention-score", "location"}}},
      {"max-positions", "50", {{"type", "transformer"}}, {{"type", "transformer"}, {"positions", "learned"}}},
      {"max-positions",
       "50",
       {{"type", "transformer"}, {"positions", "rotary"}},
       {{"type", "transformer"}, {"positions", "learned"}}},
  }));
  auto refused = others, accepted = mended;
  refused.emplace_back(name, value);
  accepted.emplace_back(name, value);
  INFO(name);
  CHECK(fault_of(others).empty());
  CHECK(fault_of(refused).starts_with(name + ": "));
  CHECK(holds(fault_of(refused), mended.back().second));
  CHECK(fault_of(accepted).empty());
}

TEST_CASE("the defaults written out and what is filled in for them are no fault", "[cli][options]") {
  for (const std::string score : {"dot", "general", "location", "additive"})
    CHECK(fault_of({{"attention-score", score},
                    {"attention-width", "10"},
                    {"attention-max-length", "100"},
                    {"attention-size", "0"}})
              .empty());
  CHECK(fault_of({{"attention", "luong"}, {"hidden-size", "32"}}).empty());
  CHECK(fault_of({{"type", "transformer"}, {"max-positions", "1024"}}).empty());
}

TEST_CASE("every recipe holds options that do something only", "[cli][options]") {
  size_t count = 0;
  for (const auto& file : fs::directory_iterator(fs::path(GLOSS_SOURCE_DIR) / "configs")) {
    INFO(file.path());
    TrainConfig known;
    Fields fields;
    add_train_config(fields, known);
    auto config = with_texts(config_of(read_toml(file.path(), fields)));
    CHECK_NOTHROW(config.validate());
    config.complete();
    CHECK_NOTHROW(config.validate());
    ++count;
  }
  CHECK(count > 3);
}

TEST_CASE("train refuses what its vocabulary or its missing validation set would not read",
          "[cli][options]") {
  const TemporaryFolder folder;
  const auto model = folder.file("model");
  const auto refused = [&](std::vector<std::string> arguments, const std::string& option) {
    const auto outcome = run_gloss(arguments);
    INFO(outcome.err);
    CHECK(outcome.code == 2);
    CHECK(holds(outcome.err, option));
    CHECK_FALSE(fs::exists(model));
  };
  refused(tiny_training(model, {"--normalization", "identity"}), "--normalization: a ready vocabulary");
  refused(tiny_training(model, {"--tokenizer", "", "--vocab-type", "word", "--character-coverage", "0.99"}),
          "--character-coverage: does nothing to whole words");
}

TEST_CASE("translate refuses options about alignments that it doesn't write", "[cli][options]") {
  for (const auto& [flag, value] : Pairs{{"--alignment-format", "talp"},
                                         {"--alignment-level", "piece"},
                                         {"--alignment-head", "1"},
                                         {"--alignment-threshold", "0.5"}}) {
    const auto outcome = run_gloss({"translate", "--model", trained_model(), flag, value}, "je\n");
    INFO(outcome.err);
    CHECK(outcome.code == 2);
    CHECK(outcome.out.empty());
    CHECK(holds(outcome.err, flag + ": "));
    CHECK(holds(outcome.err, "--alignments FILE"));
  }
}

TEST_CASE("a folder as configuration is told from a missing file", "[cli][options]") {
  const TemporaryFolder folder;
  const auto outcome = run_gloss({"translate", "--config", folder.path().string()});
  CHECK(outcome.code == 2);
  CHECK(holds(outcome.err, "is a folder; name a file"));
}
