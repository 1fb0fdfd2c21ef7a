#include <signal.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <thread>

#include "run_gloss.h"
#include "support/catch.h"
#include "trained_model.h"

using namespace gloss;
namespace fs = std::filesystem;

namespace {

size_t checkpoint_count(const fs::path& model) {
  std::error_code ignored;
  size_t count = 0;
  for (const auto& entry : fs::directory_iterator(model / "checkpoints", ignored))
    count += entry.path().extension() != ".tmp";
  return count;
}

nlohmann::json last_record(const fs::path& model) {
  return nlohmann::json::parse(lines_of(bytes_of_file(model / "train.jsonl")).back());
}

Outcome train(const std::string& model, const std::vector<std::string>& more = {}) {
  auto outcome = run_gloss(tiny_training(model, more));
  INFO(outcome.err);
  CHECK(outcome.out.empty());
  return outcome;
}

/// Starts an endless training, sends the signal when it is under way, and returns how it ended.
Outcome interrupted(const std::string& model, int signal) {
  GlossProcess process(
      tiny_training(model, {"--updates", "1000000", "--report-every", "1", "--save-every", "0"}));
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (!holds(bytes_of_file(fs::path(model) / "train.jsonl"), "report") &&
         std::chrono::steady_clock::now() < deadline)
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  process.send(signal);
  return process.finish();
}

}  // namespace

TEST_CASE("training leaves a model directory with everything in it", "[cli][train]") {
  const fs::path model = trained_model();
  for (const auto* name : {"config.toml", "joint.spm", "model.safetensors", "train.jsonl", "checkpoints"}) {
    INFO(name);
    CHECK(fs::exists(model / name));
  }
  CHECK(bytes_of_file(model / "joint.spm") == bytes_of_file(case_file("base/tiny.model")));
  CHECK(last_record(model)["event"] == "end");
  CHECK(last_record(model)["update"] == 30);
}

TEST_CASE("the configuration in the model directory can be run again and says what was built",
          "[cli][train]") {
  const auto config = bytes_of_file(fs::path(trained_model()) / "config.toml");
  CHECK(holds(config, "\nhidden-size = 16\n"));
  CHECK(holds(config, "\nattention-score = \"additive\"\n"));
  const auto dump = run_gloss({"train", "--config", trained_model() + "/config.toml", "--dump-config"});
  CHECK(dump.code == 0);
  CHECK(holds(dump.out, "\nattention-score = \"additive\"\n"));
}

TEST_CASE("the same command again finds nothing left to do, and a higher limit goes on", "[cli][train]") {
  const TemporaryFolder folder;
  const auto model = folder.file("model");
  REQUIRE(train(model).code == 0);
  const auto weights = bytes_of_file(fs::path(model) / "model.safetensors");
  CHECK(train(model).code == 0);
  CHECK(bytes_of_file(fs::path(model) / "model.safetensors") == weights);
  const auto on = train(model, {"--updates", "45"});
  CHECK(on.code == 0);
  CHECK(holds(on.err, "resuming"));
  CHECK(last_record(model)["update"] == 45);
}

TEST_CASE("training interrupted and resumed gives the weights of one that was not", "[cli][train]") {
  const TemporaryFolder folder;
  const auto whole = folder.file("whole"), parts = folder.file("parts");
  REQUIRE(train(whole, {"--updates", "40", "--dropout", "0.3"}).code == 0);
  REQUIRE(train(parts, {"--updates", "17", "--dropout", "0.3", "--decay-updates", "40"}).code == 0);
  REQUIRE(train(parts, {"--updates", "40", "--dropout", "0.3", "--decay-updates", "40"}).code == 0);
  const auto name = "checkpoints/step-00000040/model.safetensors";
  CHECK(fs::exists(fs::path(whole) / name));
  CHECK(bytes_of_file(fs::path(whole) / name) == bytes_of_file(fs::path(parts) / name));
}

TEST_CASE("a directory with a training of another configuration is refused and the differences are listed",
          "[cli][train]") {
  const auto before = bytes_of_file(fs::path(trained_model()) / "model.safetensors");
  const auto outcome = train(trained_model(), {"--hidden-size", "24", "--cell", "lstm"});
  CHECK(outcome.code == 2);
  CHECK(holds(outcome.err, "hidden-size"));
  CHECK(holds(outcome.err, "'16'"));
  CHECK(holds(outcome.err, "'24'"));
  CHECK(holds(outcome.err, "cell"));
  CHECK(bytes_of_file(fs::path(trained_model()) / "model.safetensors") == before);
}

TEST_CASE("what decides the order of the data may not change, and a refusal changes nothing",
          "[cli][train]") {
  const auto config = fs::path(trained_model()) / "config.toml";
  const auto before = bytes_of_file(config);
  for (const auto& [option, value] : {std::pair<std::string, std::string>{"--accumulate", "2"},
                                      {"--seed", "9"},
                                      {"--batch-tokens", "300"}}) {
    const auto outcome = train(trained_model(), {option, value});
    CHECK(outcome.code == 2);
    CHECK(holds(outcome.err, option.substr(2)));
    CHECK(holds(outcome.err, "'" + value + "' now"));
    CHECK(bytes_of_file(config) == before);
  }
}

TEST_CASE("a training that is refused can be started as the message says", "[cli][train]") {
  const TemporaryFolder folder;
  const auto model = folder.file("model");
  for (const auto& needs_validation :
       {std::vector<std::string>{"--patience", "3"}, {"--schedule", "plateau"}}) {
    auto command = tiny_training(model, needs_validation);
    for (const std::string validation : {"--valid-source", "--valid-target"}) {
      const auto at = std::find(command.begin(), command.end(), validation);
      command.erase(at, at + 2);
    }
    const auto refused = run_gloss(command);
    CHECK(refused.code == 2);
    CHECK(holds(refused.err, "give --valid-source and --valid-target"));
    CHECK_FALSE(fs::exists(model));
  }
  CHECK(train(model, {"--patience", "3", "--updates", "1"}).code == 0);
}

TEST_CASE("missing parents of the model directory are made", "[cli][train]") {
  const TemporaryFolder folder;
  CHECK(train(folder.file("runs/today/model"), {"--updates", "1"}).code == 0);
  CHECK(fs::exists(folder.path() / "runs/today/model/model.safetensors"));
}

TEST_CASE("a start that was cut off before the configuration was written begins anew", "[cli][train]") {
  const TemporaryFolder folder;
  const auto model = folder.file("model");
  fs::create_directory(model);
  fs::copy_file(case_file("base/tinybf.model"), fs::path(model) / "joint.spm");
  CHECK(train(model, {"--updates", "1"}).code == 0);
  CHECK(bytes_of_file(fs::path(model) / "joint.spm") == bytes_of_file(case_file("base/tiny.model")));
}

TEST_CASE("SIGINT saves a checkpoint and ends with 130", "[cli][train]") {
  const TemporaryFolder folder;
  const auto outcome = interrupted(folder.file("model"), SIGINT);
  INFO(outcome.err);
  CHECK(outcome.code == 130);
  CHECK(checkpoint_count(folder.path() / "model") == 1);
  CHECK(holds(outcome.err, "SIGINT"));
}

TEST_CASE("SIGTERM saves a checkpoint, ends with 143, and the same command goes on from there",
          "[cli][train]") {
  const TemporaryFolder folder;
  const auto model = folder.file("model");
  CHECK(interrupted(model, SIGTERM).code == 143);
  CHECK(checkpoint_count(model) == 1);
  const auto update = last_record(model)["update"].get<int64_t>();
  const auto on = train(model, {"--updates", std::to_string(update + 2), "--save-every", "0"});
  CHECK(on.code == 0);
  CHECK(holds(on.err, "resuming"));
  CHECK(last_record(model)["update"] == update + 2);
}

TEST_CASE("a corpus with foreign line separators has as many lines as LFs (C04)", "[cli][train][case]") {
  const TemporaryFolder folder;
  const auto outcome =
      train(folder.file("model"), {"--train-source", case_file("C04/src.txt"), "--train-target",
                                   case_file("C04/tgt.txt"), "--updates", "2"});
  INFO(outcome.err);
  CHECK(outcome.code == 0);
  CHECK(holds(outcome.err, "5 of 5 pairs"));
}

TEST_CASE("a corpus with CR LF trains like one with LF (C05)", "[cli][train][case]") {
  const TemporaryFolder folder;
  const auto weights = [&](const std::string& name) {
    const auto outcome =
        train(folder.file(name), {"--train-source", case_file("C05/" + name), "--train-target",
                                  case_file("C05/lf.txt"), "--updates", "3"});
    INFO(outcome.err);
    REQUIRE(outcome.code == 0);
    return bytes_of_file(folder.path() / name / "model.safetensors");
  };
  CHECK(weights("crlf.txt") == weights("lf.txt"));
}

TEST_CASE("vocabularies are trained where none is given, NULs and all (C08)", "[cli][train][case]") {
  const TemporaryFolder folder;
  const auto corpus = case_file("C08/corpus.txt");
  const auto outcome =
      train(folder.file("model"), {"--train-source", corpus, "--train-target", corpus, "--tokenizer", "",
                                   "--vocab-size", "auto", "--updates", "2"});
  INFO(outcome.err);
  CHECK(outcome.code == 0);
  const auto line = run_gloss({"translate", "--model", folder.file("model"), "--max-output-length", "5"},
                              bytes_of_file(case_file("C08/line.txt")));
  CHECK(line.code == 0);
  CHECK(lines_of(line.out).size() == 1);
}

TEST_CASE("special symbols and field marks in the corpus are text (C12, C27)", "[cli][train][case]") {
  const TemporaryFolder folder;
  for (const auto* name : {"C12/src.txt", "C27/src.txt"}) {
    const auto model = folder.file(std::string(name, 3));
    const auto outcome = train(
        model, {"--train-source", case_file(name), "--train-target", case_file(name), "--updates", "2"});
    INFO(outcome.err);
    CHECK(outcome.code == 0);
  }
}

TEST_CASE("word vocabularies are kept as lists and used by translate", "[cli][train]") {
  const TemporaryFolder folder;
  const auto model = folder.file("model");
  const auto outcome = train(model, {"--tokenizer", "", "--vocab-type", "word", "--shared-vocab=false",
                                     "--updates", "5", "--attention", "luong"});
  INFO(outcome.err);
  REQUIRE(outcome.code == 0);
  CHECK(fs::exists(fs::path(model) / "source.vocab"));
  CHECK(fs::exists(fs::path(model) / "target.vocab"));
  const auto translated = run_gloss({"translate", "--model", model}, "je vois un pont .\n\nxyzzy\n");
  CHECK(translated.code == 0);
  CHECK(lines_of(translated.out).size() == 3);
}
