#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>

#include "run_gloss.h"
#include "support/catch.h"
#include "trained_model.h"

using namespace gloss;

// The transformer through the commands: trained, translated with, aligned, resumed.

namespace {

std::vector<std::string> transformer(const std::string& directory, std::vector<std::string> more = {}) {
  for (const auto& [name, value] : std::map<std::string, std::string>{{"--type", "transformer"},
                                                                      {"--model-size", "16"},
                                                                      {"--ffn-size", "32"},
                                                                      {"--heads", "2"},
                                                                      {"--encoder-layers", "2"},
                                                                      {"--decoder-layers", "3"}})
    if (std::find(more.begin(), more.end(), name) == more.end()) more.insert(more.end(), {name, value});
  auto arguments = tiny_training(directory, more);
  for (const std::string rnn_only : {"--embedding-size", "--hidden-size"}) {
    const auto at = std::find(arguments.begin(), arguments.end(), rnn_only);
    if (at != arguments.end()) arguments.erase(at, at + 2);
  }
  return arguments;
}

using Weights = std::map<std::pair<std::string, std::string>, double>;  // (row, column) to weight

/// A long table of alignments, by (target, source) position of each sentence.
std::map<std::string, Weights> read_table(const std::string& file) {
  std::map<std::string, Weights> sentences;
  for (const auto& line : lines_of(bytes_of_file(file))) {
    if (line.starts_with("sentence,")) continue;
    std::vector<std::string> cells{""};
    bool quoted = false;
    for (const char c : line) {
      if (c == '"') quoted = !quoted;
      if (c == ',' && !quoted)
        cells.emplace_back();
      else if (c != '"')
        cells.back() += c;
    }
    sentences[cells[0]][{cells[1], cells[2]}] = std::stod(cells[5]);
  }
  return sentences;
}

}  // namespace

TEST_CASE("a transformer trains, says how it computes, translates and aligns", "[cli][transformer]") {
  const TemporaryFolder folder;
  const auto model = folder.file("model");
  const auto training = run_gloss(transformer(model));
  INFO(training.err);
  REQUIRE(training.code == 0);
  CHECK(holds(training.err,
              "attention: fused (our own kernel on cpu for sentences, LibTorch's flash kernel beyond)"));
  CHECK(holds(training.err, "alignments are read from decoder layer"));

  const auto info = run_gloss({"info", "--model", model});
  CHECK(holds(info.out, "transformer"));
  CHECK(holds(info.out, "fused (our own kernel on cpu"));
  CHECK(holds(info.out, "mean over heads"));

  const auto source = bytes_of_file(case_file("base/valid.fr"));
  const auto plain = run_gloss({"translate", "--model", model, "--quiet"}, source);
  REQUIRE(plain.code == 0);
  const auto aligned = run_gloss({"translate", "--model", model, "--quiet", "--alignments",
                                  folder.file("a.csv"), "--alignment-level", "piece"},
                                 source);
  CHECK(aligned.out == plain.out);  // asking for alignments changes no translation
  const auto explicit_path =
      run_gloss({"translate", "--model", model, "--quiet", "--attention-backend", "explicit"}, source);
  CHECK(explicit_path.out == plain.out);
  const auto table = read_table(folder.file("a.csv"));
  REQUIRE_FALSE(table.empty());
  for (const auto& [sentence, weights] : table) {
    std::map<std::string, double> sums;
    for (const auto& [place, weight] : weights) sums[place.first] += weight;
    for (const auto& [row, sum] : sums) CHECK(sum == Approx(1.0).margin(1e-4));
  }
}

TEST_CASE("shifted alignments are the rows of the step after, and heads average to the default",
          "[cli][transformer]") {
  const TemporaryFolder folder;
  const auto model = folder.file("model");
  REQUIRE(run_gloss(transformer(model, {"--updates", "5", "--valid-every", "5"})).code == 0);
  const auto align = [&](const std::vector<std::string>& more) {
    const auto file = folder.file("a.csv");
    std::vector<std::string> arguments{
        "translate", "--model",           model,   "--quiet",         "--alignments",
        file,        "--alignment-level", "piece", "--alignment-eos", "--alignment-layer",
        "2"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const auto outcome = run_gloss(arguments, "le chat noir\nune maison\n");
    INFO(outcome.err);
    REQUIRE(outcome.code == 0);
    return read_table(file);
  };
  const auto shifted = align({"--alignment-shift", "on"}), same = align({"--alignment-shift", "off"}),
             first = align({"--alignment-shift", "on", "--alignment-head", "1"}),
             second = align({"--alignment-shift", "on", "--alignment-head", "2"});
  for (const auto& [sentence, weights] : shifted)
    for (const auto& [place, weight] : weights) {
      const auto mean = (first.at(sentence).at(place) + second.at(sentence).at(place)) / 2;
      CHECK(weight == Approx(mean).margin(1e-5));
      const auto before = std::pair(std::to_string(std::stoi(place.first) + 1), place.second);
      if (same.at(sentence).contains(before))
        CHECK(weight == Approx(same.at(sentence).at(before)).margin(1e-5));
    }
  const auto wrong = run_gloss(
      {"translate", "--model", model, "--alignments", folder.file("b.csv"), "--alignment-layer", "4"}, "x\n");
  CHECK(wrong.code == 2);
  CHECK(holds(wrong.err, "alignment-layer: there is no number 4, this model has 3"));
}

TEST_CASE("a resumed transformer goes on bit for bit, smoothed weights and all", "[cli][transformer]") {
  const TemporaryFolder folder;
  const auto train = [&](const std::string& name, const std::string& updates) {
    return run_gloss(
        transformer(folder.file(name), {"--updates", updates, "--decay-updates", "20", "--save-every", "10",
                                        "--exponential-smoothing", "0.9", "--dropout", "0.2"}));
  };
  REQUIRE(train("whole", "20").code == 0);
  REQUIRE(train("parts", "10").code == 0);
  REQUIRE(train("parts", "20").code == 0);
  for (const std::string file : {"model.safetensors", "checkpoints/step-00000020/model.safetensors",
                                 "checkpoints/step-00000020/optimizer.safetensors"})
    CHECK(bytes_of_file(folder.file("whole/" + file)) == bytes_of_file(folder.file("parts/" + file)));
}

TEST_CASE("a preset gives sizes and settings, and a flag wins over it", "[cli][transformer]") {
  const auto dump = run_gloss({"train", "--preset", "transformer-tiny", "--heads", "8", "--dump-config"});
  REQUIRE(dump.code == 0);
  CHECK(holds(dump.out, "model-size = 128"));
  CHECK(holds(dump.out, "type = \"transformer\""));
  CHECK(holds(dump.out, "heads = 8"));
  const TemporaryFolder folder;
  const auto file = folder.write("c.toml", "preset = \"transformer-base\"\nmodel-size = 256\n");
  const auto from_file = run_gloss({"train", "--config", file, "--ffn-size", "64", "--dump-config"});
  CHECK(holds(from_file.out, "model-size = 256"));
  CHECK(holds(from_file.out, "ffn-size = 64"));
  CHECK(holds(from_file.out, "warmup = 4000"));
  const auto again = folder.write("d.toml", from_file.out);
  CHECK(run_gloss({"train", "--config", again, "--dump-config"}).out == from_file.out);
  const auto unknown = run_gloss({"train", "--preset", "transformer-tinny"});
  CHECK(unknown.code == 2);
  CHECK(holds(unknown.err, "transformer-tiny"));
}

TEST_CASE("gold alignments choose the layer, and must be of the validation text", "[cli][transformer]") {
  const TemporaryFolder folder;
  const auto train = [&](const std::string& name, const std::string& links) {
    const auto gold = folder.write(name, links);
    return run_gloss(transformer(folder.file("model-" + name),
                                 {"--updates", "4", "--valid-every", "2", "--valid-alignments", gold}));
  };
  const auto lines = [](size_t count, const std::string& line) {
    std::string text;
    for (size_t i = 0; i < count; ++i) text += line + "\n";
    return text;
  };
  const auto good = train("good", lines(30, "0-0"));
  INFO(good.err);
  CHECK(good.code == 0);
  CHECK(holds(good.err, "(AER "));
  for (const auto& [name, links, says] : std::vector<std::tuple<std::string, std::string, std::string>>{
           {"short", lines(29, "0-0"), "29 sentences, but the validation text has 30"},
           {"long", lines(31, "0-0"), "31 sentences, but the validation text has 30"},
           {"empty", "", "0 sentences"},
           {"blank", lines(30, ""), "holds no link"},
           {"beyond", lines(30, "99-0"), "sentence 1 has a link beyond"},
           {"zero.talp", lines(30, "0-0"), "positions count from 1"}}) {
    const auto outcome = train(name, links);
    INFO(name << ": " << outcome.err);
    CHECK(outcome.code == 3);
    CHECK(holds(outcome.err, says));
  }
  const auto rnn = run_gloss(tiny_training(folder.file("rnn"), {"--valid-alignments", folder.file("good")}));
  CHECK(rnn.code == 2);
}

TEST_CASE("a training whose weights are lost keeps what was good and says so", "[cli][transformer]") {
  const TemporaryFolder folder;
  const auto model = folder.file("model");
  const auto go_on = [&](const std::string& updates, const std::string& rate) {
    auto arguments = transformer(model, {"--updates", updates, "--learning-rate", rate, "--warmup", "0",
                                         "--clip-norm", "0", "--save-every", "100", "--valid-every", "1000"});
    for (const std::string name : {"--valid-source", "--valid-target"}) {
      const auto at = std::find(arguments.begin(), arguments.end(), name);
      arguments.erase(at, at + 2);
    }
    return run_gloss(arguments);
  };
  REQUIRE(go_on("10", "0.001").code == 0);
  const auto before = bytes_of_file(model + "/model.safetensors");
  const auto lost = go_on("20", "1e38");
  INFO(lost.err);
  CHECK(lost.code == 3);
  CHECK(holds(lost.err, "nothing was saved of them"));
  CHECK(bytes_of_file(model + "/model.safetensors") == before);
}

TEST_CASE("translation computes without the dropout of the training", "[cli][transformer]") {
  const TemporaryFolder folder;
  const auto model = folder.file("model");
  REQUIRE(run_gloss(transformer(model, {"--updates", "2", "--attention-dropout", "0.3"})).code == 0);
  const auto outcome =
      run_gloss({"translate", "--model", model, "--attention-backend", "fused"}, "le chat\n");
  CHECK(outcome.code == 0);
  CHECK(holds(outcome.err, "attention: fused (flash kernel on cpu)"));
  CHECK(holds(run_gloss({"info", "--model", model}).out, "fused"));
}

TEST_CASE("flags for transformers are refused with an RNN", "[cli][transformer]") {
  const auto model = trained_model();
  const auto outcome =
      run_gloss({"translate", "--model", model, "--attention-backend", "explicit"}, "le chat\n");
  CHECK(outcome.code == 2);
  CHECK(holds(outcome.err, "--attention-backend"));
  const TemporaryFolder folder;
  const auto mixed =
      run_gloss(tiny_training(folder.file("model"), {"--type", "rnn", "--preset", "transformer-tiny"}));
  CHECK(mixed.code == 2);
  CHECK(holds(mixed.err, "preset transformer-tiny"));
}

TEST_CASE("what cannot be had is an error that says so", "[cli][transformer]") {
  struct Mistake {
    std::vector<std::string> flags;
    std::string says;
  };
  const auto mistake = GENERATE(
      Mistake{{"--attention-backend", "fused", "--attention-dropout", "0.1"}, "no fused kernel on cpu"},
      Mistake{{"--precision", "fp16"}, "needs a GPU"},
      Mistake{{"--heads", "3"}, "must be a multiple of heads"},
      Mistake{{"--heads", "16", "--positions", "rotary"}, "even width"},
      Mistake{{"--attention", "luong"}, "mean something for type rnn only"});
  const TemporaryFolder folder;
  const auto outcome = run_gloss(transformer(folder.file("model"), mistake.flags));
  CHECK(outcome.code == 2);
  CHECK(holds(outcome.err, mistake.says));
  CHECK_FALSE(std::filesystem::exists(folder.file("model")));
  const auto rnn = run_gloss(tiny_training(folder.file("rnn"), {"--heads", "4"}));
  CHECK(rnn.code == 2);
  CHECK(holds(rnn.err, "heads: mean something for type transformer only"));
}
