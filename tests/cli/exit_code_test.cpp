#include <sys/wait.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "run_gloss.h"
#include "support/catch.h"
#include "trained_model.h"

using namespace gloss;
namespace fs = std::filesystem;

namespace {

/// Ends with this code, nothing on stdout, and one message that has all these parts.
void check_failure(const Outcome& outcome, int code, const std::vector<std::string>& parts) {
  INFO(outcome.err);
  CHECK(outcome.code == code);
  CHECK(outcome.out.empty());
  for (const auto& part : parts) {
    INFO("message should hold: " << part);
    CHECK(holds(outcome.err, part));
  }
  CHECK_FALSE(holds(outcome.err, "frame #"));  // a backtrace
}

/// A copy of the trained model that a test may spoil.
fs::path copy_of_model(const TemporaryFolder& folder) {
  const auto copy = folder.path() / "model";
  fs::copy(trained_model(), copy, fs::copy_options::recursive);
  return copy;
}

}  // namespace

TEST_CASE("without a command the help goes to stderr and the exit code is 2", "[cli][exit]") {
  check_failure(run_gloss({}), 2, {"translate", "train", "info", "evaluate"});
}

TEST_CASE("an unknown command names the nearest one", "[cli][exit]") {
  check_failure(run_gloss({"trian"}), 2, {"unknown command 'trian'", "did you mean 'train'?"});
  check_failure(run_gloss({"--model", "x"}), 2, {"--model"});
}

TEST_CASE("an unknown flag names the nearest one", "[cli][exit]") {
  check_failure(run_gloss({"translate", "--beam-sise", "3"}), 2,
                {"--beam-sise", "did you mean '--beam-size'?"});
}

TEST_CASE("a bad value names flag and value", "[cli][exit]") {
  check_failure(run_gloss({"translate", "--beam-size", "five"}), 2, {"--beam-size", "'five'"});
  check_failure(run_gloss({"translate", "--beam-size", "0"}), 2, {"--beam-size", "'0'"});
  check_failure(run_gloss({"train", "--attention", "louong"}), 2, {"--attention", "'louong'", "luong"});
  check_failure(run_gloss({"train", "--dropout", "1.5"}), 2, {"--dropout", "'1.5'"});
  check_failure(run_gloss({"translate", "--log-level", "loud"}), 2, {"--log-level", "loud"});
}

TEST_CASE("a flag without its value is refused", "[cli][exit]") {
  check_failure(run_gloss({"translate", "--model"}), 2, {"--model"});
  check_failure(run_gloss({"translate", "--model", "--quiet"}), 2, {"--model", "missing"});
}

TEST_CASE("an unknown key in a configuration file names file, line and nearest key", "[cli][exit]") {
  const TemporaryFolder folder;
  const auto file = folder.write("recipe.toml", "beam-size = 3\nbeem-size = 3\n");
  check_failure(run_gloss({"translate", "--config", file}), 2,
                {"recipe.toml:2", "'beem-size'", "'beam-size'"});
}

TEST_CASE("a bad value in a configuration file names file, line and key", "[cli][exit]") {
  const TemporaryFolder folder;
  check_failure(run_gloss({"translate", "--config", folder.write("a.toml", "beam-size = 'many'\n")}), 2,
                {"a.toml:1", "beam-size", "'many'"});
  check_failure(run_gloss({"translate", "--config", folder.write("b.toml", "[search]\nbeam-size = 3\n")}), 2,
                {"b.toml:1", "search"});
  check_failure(run_gloss({"translate", "--config", folder.file("missing.toml")}), 2, {"missing.toml"});
}

TEST_CASE("options that contradict each other are a usage error", "[cli][exit]") {
  check_failure(run_gloss({"translate", "--model", trained_model(), "--beam-size", "2", "--n-best", "3"}), 2,
                {"n-best"});
}

TEST_CASE("an impossible device is a usage error that says what is missing", "[cli][exit]") {
  check_failure(run_gloss({"translate", "--model", trained_model(), "--device", "tpu"}), 2, {"tpu"});
}

TEST_CASE("a missing model directory is exit code 4", "[cli][exit]") {
  const TemporaryFolder folder;
  check_failure(run_gloss({"translate", "--model", folder.file("nothing")}, "je\n"), 4,
                {folder.file("nothing")});
  check_failure(run_gloss({"info", "--model", folder.path().string()}), 4,
                {folder.path().string(), "config.toml"});
}

TEST_CASE("a cut weights file is exit code 4", "[cli][exit]") {
  const TemporaryFolder folder;
  const auto model = copy_of_model(folder);
  fs::resize_file(model / "model.safetensors", fs::file_size(model / "model.safetensors") / 2);
  check_failure(run_gloss({"translate", "--model", model.string()}, "je\n"), 4, {"model.safetensors"});
}

TEST_CASE("weights with other vocabularies than they were trained with are exit code 4", "[cli][exit]") {
  const TemporaryFolder folder;
  const auto model = copy_of_model(folder);
  fs::copy_file(case_file("base/tinybf.model"), model / "joint.spm", fs::copy_options::overwrite_existing);
  check_failure(run_gloss({"translate", "--model", model.string()}, "je\n"), 4, {"model.safetensors"});
}

TEST_CASE("weights of another shape than the configuration are exit code 4", "[cli][exit]") {
  const TemporaryFolder folder;
  const auto model = copy_of_model(folder);
  auto config = bytes_of_file(model / "config.toml");
  const std::string old = "hidden-size = 16";
  REQUIRE(holds(config, old));
  config.replace(config.find(old), old.size(), "hidden-size = 24");
  std::ofstream(model / "config.toml") << config;
  check_failure(run_gloss({"translate", "--model", model.string()}, "je\n"), 4,
                {"model.safetensors", "[", "24"});
}

TEST_CASE("a missing input file is exit code 3", "[cli][exit]") {
  const TemporaryFolder folder;
  check_failure(run_gloss({"translate", "--model", trained_model(), "--input", folder.file("no.txt")}), 3,
                {"no.txt"});
}

TEST_CASE("an output that cannot be written is exit code 5", "[cli][exit]") {
  const TemporaryFolder folder;
  const auto model = trained_model();
  check_failure(run_gloss({"translate", "--model", model, "--output", "/dev/full"}, "je vois\n"), 5,
                {"/dev/full"});
  check_failure(
      run_gloss({"translate", "--model", model, "--output", folder.file("no/such/folder.txt")}, "je\n"), 5,
      {"folder.txt"});
  check_failure(run_gloss({"translate", "--model", model, "--output", folder.path().string()}, "je\n"), 5,
                {folder.path().string()});
}

TEST_CASE("a full disk behind stdout is exit code 5", "[cli][exit]") {
  const TemporaryFolder folder;
  const auto command = std::string(GLOSS_BINARY) + " translate --model " + trained_model() + " --input " +
                       case_file("base/test.fr") + " > /dev/full 2> " + folder.file("err");
  const int status = std::system(command.c_str());
  CHECK(WEXITSTATUS(status) == 5);
  CHECK(holds(bytes_of_file(folder.path() / "err"), "stdout"));
}

TEST_CASE("a full disk at the alignments is exit code 5", "[cli][exit]") {
  const auto outcome = run_gloss({"translate", "--model", trained_model(), "--alignments", "/dev/full"},
                                 "je vois un pont .\n");
  CHECK(outcome.code == 5);
  CHECK(holds(outcome.err, "/dev/full"));
}

TEST_CASE("training files of different length are refused with both names and counts, and no folder is made",
          "[cli][exit]") {
  const TemporaryFolder folder;
  const auto source = case_file("C17/src.txt"), target = case_file("C17/tgt.txt");
  const auto outcome =
      run_gloss(tiny_training(folder.file("model"), {"--train-source", source, "--train-target", target}));
  check_failure(outcome, 3, {source, target, "4", "3"});
  CHECK_FALSE(fs::exists(folder.path() / "model"));
}

TEST_CASE("a missing training file is exit code 3 by name", "[cli][exit]") {
  const TemporaryFolder folder;
  check_failure(run_gloss(tiny_training(folder.file("model"), {"--train-source", folder.file("no.fr")})), 3,
                {"no.fr"});
  CHECK_FALSE(fs::exists(folder.path() / "model"));
}

TEST_CASE("a model path that is a file is exit code 5 before training starts", "[cli][exit]") {
  const TemporaryFolder folder;
  const auto file = folder.write("model", "precious\n");
  check_failure(run_gloss(tiny_training(file)), 5, {file});
  CHECK(bytes_of_file(file) == "precious\n");
}

TEST_CASE("a model directory that cannot be made is exit code 5", "[cli][exit]") {
  check_failure(run_gloss(tiny_training("/proc/gloss/model")), 5, {"/proc/gloss"});
}

TEST_CASE("files of different length cannot be evaluated, and both names and counts are given",
          "[cli][exit]") {
  const auto hypothesis = case_file("C17/tgt.txt"), reference = case_file("C17/src.txt");
  check_failure(run_gloss({"evaluate", "--hypothesis", hypothesis, "--reference", reference}), 3,
                {hypothesis, reference, "3", "4"});
  check_failure(run_gloss({"evaluate", "--hypothesis", case_file("C17/empty.txt"), "--reference", reference}),
                3, {"empty.txt", "0", "4"});
}

TEST_CASE("training without a model directory or a corpus is a usage error", "[cli][exit]") {
  const TemporaryFolder folder;
  check_failure(run_gloss({"train"}), 2, {"--model"});
  check_failure(run_gloss({"train", "--model", folder.file("model")}), 2, {"--train-source"});
  CHECK_FALSE(fs::exists(folder.path() / "model"));
}

TEST_CASE("a folder with other files is not taken for a model directory to train in", "[cli][exit]") {
  const TemporaryFolder folder;
  folder.write("thesis.txt", "precious\n");
  const auto outcome = run_gloss(tiny_training(folder.path().string()));
  check_failure(outcome, 2, {folder.path().string()});
  CHECK(bytes_of_file(folder.path() / "thesis.txt") == "precious\n");
}
