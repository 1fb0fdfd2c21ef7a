#include <sys/wait.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <thread>

#include "run_gloss.h"
#include "support/catch.h"
#include "trained_model.h"

using namespace gloss;
using nlohmann::json;
namespace fs = std::filesystem;

// What happens to files and streams without anyone's intention: nothing trained or written before is lost, and no
// result is silently another one.

namespace {

std::string copy_of_model(const TemporaryFolder& folder) {
  fs::copy(trained_model(), folder.path() / "model", fs::copy_options::recursive);
  return folder.file("model");
}

/// The training with other files in place of some.
Outcome train(const std::string& model, const std::vector<std::string>& more) {
  return run_gloss(tiny_training(model, more));
}

std::string swap_lines(const std::string& text) {
  auto lines = lines_of(text);
  std::reverse(lines.begin(), lines.end());
  std::string swapped;
  for (const auto& line : lines) swapped += line + "\n";
  return swapped;
}

}  // namespace

TEST_CASE("a closed stderr does not put the log into the results", "[cli][accidents]") {
  const TemporaryFolder folder;
  const auto command = [&](const std::string& redirection) {
    return std::string(GLOSS_BINARY) + " translate --threads 1 --log-level trace --model " + trained_model() +
           " --input " + folder.write("in", "je\n\nje t'aime\n") + " --output " + folder.file("out") +
           redirection;
  };
  REQUIRE(std::system(command(" 2>/dev/null").c_str()) == 0);
  const auto expected = bytes_of_file(folder.file("out"));
  CHECK(lines_of(expected).size() == 3);
  for (const auto* closed : {" 2>&-", " >&- 2>&-", " <&- >&- 2>&-"}) {
    INFO(closed);
    CHECK(std::system(command(closed).c_str()) == 0);
    CHECK(bytes_of_file(folder.file("out")) == expected);
  }
}

TEST_CASE("a closed stdin is an error, not an empty text", "[cli][accidents]") {
  const TemporaryFolder folder;
  const auto output = folder.write("out", "old\n");
  const auto command = std::string(GLOSS_BINARY) + " translate --threads 1 --model " + trained_model() +
                       " --output " + output + " <&- 2>/dev/null";
  const int status = std::system(command.c_str());
  CHECK(WEXITSTATUS(status) == 3);
  CHECK(bytes_of_file(output) == "old\n");
}

TEST_CASE("results for a closed stdout are an error, not lost", "[cli][accidents]") {
  const auto command = std::string("echo je | ") + GLOSS_BINARY + " translate --threads 1 --model " +
                       trained_model() + " >&- 2>/dev/null";
  const int status = std::system(command.c_str());
  CHECK(WEXITSTATUS(status) == 5);
}

TEST_CASE("a trained model whose checkpoints were removed is not trained over", "[cli][accidents]") {
  const TemporaryFolder folder;
  const auto model = copy_of_model(folder);
  fs::remove_all(fs::path(model) / "checkpoints");
  const auto weights = bytes_of_file(fs::path(model) / "model.safetensors");
  const auto outcome = train(model, {"--updates", "60"});
  CHECK(outcome.code == 2);
  CHECK(holds(outcome.err, "no checkpoint to go on from"));
  CHECK(bytes_of_file(fs::path(model) / "model.safetensors") == weights);
}

TEST_CASE("there is a checkpoint as soon as there are weights", "[cli][accidents]") {
  const TemporaryFolder folder;
  GlossProcess process(tiny_training(folder.file("model"),
                                     {"--updates", "1000000", "--valid-every", "2", "--save-every", "0"}));
  const auto weights = folder.path() / "model" / "model.safetensors";
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (!fs::exists(weights) && std::chrono::steady_clock::now() < deadline)
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  process.send(SIGKILL);
  process.finish();
  REQUIRE(fs::exists(weights));
  const auto resumed =
      train(folder.file("model"), {"--updates", "6", "--valid-every", "2", "--save-every", "0"});
  INFO(resumed.err);
  CHECK(resumed.code == 0);
  CHECK(holds(resumed.err, "resuming from"));
}

TEST_CASE("a training does not go on with other texts under the old names", "[cli][accidents]") {
  const TemporaryFolder folder;
  const std::vector<std::pair<std::string, std::string>> texts{{"--train-source", "base/train.fr"},
                                                               {"--train-target", "base/train.en"},
                                                               {"--valid-source", "base/valid.fr"},
                                                               {"--valid-target", "base/valid.en"}};
  std::vector<std::string> options{"--updates", "10"};
  for (const auto& [option, file] : texts)
    options.insert(options.end(), {option, folder.write(option.substr(2), bytes_of_file(case_file(file)))});
  const auto model = folder.file("model");
  REQUIRE(train(model, options).code == 0);
  options[1] = "20";
  const auto weights = bytes_of_file(fs::path(model) / "model.safetensors");
  const auto config = bytes_of_file(fs::path(model) / "config.toml");
  for (const auto& [option, file] : texts) {
    INFO(option);
    const auto path = folder.file(option.substr(2));
    const auto text = bytes_of_file(path);
    folder.write(option.substr(2), swap_lines(text));
    const auto refused = train(model, options);
    CHECK(refused.code == 4);
    CHECK(holds(refused.err,
                option.starts_with("--train") ? "training-text-sha256" : "validation-text-sha256"));
    CHECK(bytes_of_file(fs::path(model) / "model.safetensors") == weights);
    CHECK(bytes_of_file(fs::path(model) / "config.toml") == config);
    folder.write(option.substr(2), text);
  }
  CHECK(train(model, options).code == 0);
}

TEST_CASE("a validation text without a pair that counts is refused, one that can't be read before any work",
          "[cli][accidents]") {
  const TemporaryFolder folder;
  const auto blank = folder.write("blank", "\n\n");
  const auto useless = train(folder.file("model"), {"--valid-source", blank, "--valid-target", blank});
  CHECK(useless.code == 3);
  CHECK(holds(useless.err, blank));
  CHECK(holds(useless.err, "no pair is left of 2"));
  const auto absent =
      train(folder.file("model"), {"--valid-source", folder.file("absent"), "--tokenizer", ""});
  CHECK(absent.code == 3);
  CHECK(holds(absent.err, folder.file("absent")));
  CHECK_FALSE(holds(absent.err, "vocabulary of"));
  CHECK_FALSE(fs::exists(folder.file("model")));
}

TEST_CASE("results cannot be written over a file of the model", "[cli][accidents]") {
  const TemporaryFolder folder;
  const auto model = copy_of_model(folder);
  const auto text = folder.write("text", "je\n");
  for (const std::string name : {"model.safetensors", "config.toml", "joint.spm", "train.jsonl"}) {
    const auto file = model + "/../model/" + name;
    const auto before = bytes_of_file(file);
    for (const auto& command :
         {std::vector<std::string>{"translate", "--input", text, "--output", file},
          {"translate", "--input", text, "--output", folder.file("out"), "--alignments", file},
          {"score", "--source", text, "--target", text, "--output", file}}) {
      auto arguments = command;
      arguments.insert(arguments.end(), {"--model", model});
      const auto outcome = run_gloss(arguments);
      CHECK(outcome.code == 2);
      CHECK(holds(outcome.err, "is a file of the model"));
      CHECK(bytes_of_file(file) == before);
    }
  }
  for (int run = 0; run < 2; ++run)  // a file of its own may lie there, and be written again
    CHECK(run_gloss({"translate", "--model", model, "--output", model + "/new.txt"}, "je\n").code == 0);
}

TEST_CASE("a translation that is cut at the output limit is counted and marked", "[cli][accidents]") {
  const std::vector<std::string> command{"translate", "--model", trained_model(), "--jsonl"};
  auto cut = command;
  cut.insert(cut.end(), {"--max-output-length", "1"});
  const auto outcome = run_gloss(cut, bytes_of_file(case_file("base/test.fr")));
  int64_t marked = 0, lines = 0;
  for (const auto& line : lines_of(outcome.out)) {
    ++lines;
    marked += !json::parse(line)["hypotheses"][0]["finished"].get<bool>();
  }
  CHECK(marked > lines / 2);
  CHECK(
      holds(outcome.err, std::to_string(marked) + " of " + std::to_string(lines) + " translations reached"));
  const auto whole = run_gloss(command, "\n");
  CHECK(json::parse(whole.out)["hypotheses"][0]["finished"] == true);
  CHECK_FALSE(holds(whole.err, "output limit"));
}

TEST_CASE("a line beyond what the location score sees is translated in parts, not cut", "[cli][accidents]") {
  const TemporaryFolder folder;
  const auto model = folder.file("model");
  REQUIRE(train(model, {"--attention-score", "location", "--attention-max-length", "8", "--max-length", "7",
                        "--updates", "2"})
              .code == 0);
  std::string line = "je";
  for (int i = 0; i < 20; ++i) line += " t'aime";
  const auto outcome =
      run_gloss({"translate", "--model", model, "--max-length", "1000", "--output", "/dev/null",
                 "--alignments", folder.file("weights.csv"), "--alignment-level", "piece"},
                line + "\n");
  CHECK(outcome.code == 0);
  CHECK(holds(outcome.err, "stdin:1: "));
}

TEST_CASE("unknown words and sentences of unknown length are told by score", "[cli][accidents]") {
  const TemporaryFolder folder;
  const auto unknown =
      run_gloss({"score", "--model", trained_model(), "--source", folder.write("s", "je\nje\n"), "--target",
                 folder.write("t", "I \xE2\x98\x83\nI\n")});
  CHECK(unknown.code == 0);
  CHECK(holds(unknown.err, "target tokens are <unk>"));
  std::string line = "I";
  for (int i = 0; i < 150; ++i) line += " love";
  const auto both = line + "\n" + line + "\n";
  const auto longer = run_gloss({"score", "--model", trained_model(), "--source", folder.write("s", both),
                                 "--target", folder.write("t", both)});
  CHECK(longer.code == 0);
  CHECK(holds(longer.err, folder.file("s") + ":1: "));
  CHECK(holds(longer.err, "training saw no more than 100"));
  CHECK(holds(longer.err, "2 pairs are longer"));
  const auto plain = run_gloss({"score", "--model", trained_model(), "--source", case_file("base/test.fr"),
                                "--target", case_file("base/test.en")});
  CHECK_FALSE(holds(plain.err, "longer"));
}

TEST_CASE("records count the epoch that an update belongs to", "[cli][accidents]") {
  const TemporaryFolder folder;
  const auto model = folder.file("model");
  REQUIRE(train(model, {"--updates", "0", "--epochs", "2", "--valid-every", "0"}).code == 0);
  std::vector<int64_t> epochs;
  for (const auto& line : lines_of(bytes_of_file(fs::path(model) / "train.jsonl"))) {
    const auto event = json::parse(line);
    if (event["event"] == "validation") epochs.push_back(event["epoch"]);
    if (event["event"] == "end") CHECK(event["epoch"] == 2);
  }
  CHECK(epochs == std::vector<int64_t>{1, 2});
}
