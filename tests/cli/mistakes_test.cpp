#include <array>
#include <csignal>
#include <filesystem>
#include <thread>

#include "run_gloss.h"
#include "support/catch.h"
#include "trained_model.h"

using namespace gloss;
namespace fs = std::filesystem;

// What users do by mistake: told before any work, and nothing is lost.

namespace {

std::string test_text() { return bytes_of_file(case_file("base/test.fr")); }

}  // namespace

TEST_CASE("numbers beyond any use are refused at once", "[cli][mistakes]") {
  const auto [command, flag, value] = GENERATE(table<std::string, std::string, std::string>({
      {"translate", "--beam-size", "100000"},
      {"train", "--hidden-size", "99999999"},
      {"train", "--embedding-size", "9223372036854775807"},
      {"train", "--attention-size", "999999999"},
      {"train", "--encoder-layers", "1000000000"},
      {"train", "--learning-rate", "inf"},
      {"train", "--learning-rate", "nan"},
      {"train", "--clip-norm", "inf"},
  }));
  const auto outcome = run_gloss({command, flag, value});
  INFO(flag << " " << value << ": " << outcome.err);
  CHECK(outcome.code == 2);
  CHECK(holds(outcome.err, flag));
}

TEST_CASE("a model whose config.toml was edited beyond use is refused without trying", "[cli][mistakes]") {
  const TemporaryFolder folder;
  const auto model = folder.path() / "model";
  fs::copy(trained_model(), model, fs::copy_options::recursive);
  auto config = bytes_of_file(model / "config.toml");
  const auto place = config.find("\nhidden-size = ");
  REQUIRE(place != std::string::npos);
  config.replace(place, config.find('\n', place + 1) - place, "\nhidden-size = 99999999999");
  folder.write("model/config.toml", config);
  const auto outcome = run_gloss({"translate", "--model", model.string()}, "je\n");
  CHECK(outcome.code == 4);
  CHECK(holds(outcome.err, "hidden-size"));
}

TEST_CASE("a configuration that isn't that of the weights is refused, even if the shapes fit",
          "[cli][mistakes]") {
  const TemporaryFolder folder;
  const auto model = folder.path() / "model";
  fs::copy(trained_model(), model, fs::copy_options::recursive);
  const auto config = bytes_of_file(model / "config.toml");
  const auto with = [&](const std::string& text) {
    folder.write("model/config.toml", text);
    return run_gloss({"translate", "--model", model.string()}, "je\n");
  };
  auto edited = config;
  const std::string shapeless = "\nattention-window = \"global\"\n";
  REQUIRE(holds(config, shapeless));
  edited.replace(edited.find(shapeless), shapeless.size(), "\nattention-window = \"local-m\"\n");
  const auto outcome = with(edited);
  CHECK(outcome.code == 4);
  CHECK(outcome.out.empty());
  CHECK(holds(outcome.err, "attention-window: 'global' in training, 'local-m' now"));

  const auto empty = with("");
  CHECK(empty.code == 4);
  CHECK(holds(empty.err, "config.toml: is empty"));
  CHECK(with(config).code == 0);
}

TEST_CASE("a training text longer than the model can see is told before training", "[cli][mistakes]") {
  const TemporaryFolder folder;
  const auto train = [&](const std::string& name, const std::string& max_length) {
    return run_gloss(
               tiny_training(folder.file(name), {"--attention-score", "location", "--attention-max-length",
                                                 "8", "--max-length", max_length, "--updates", "1"}))
        .err;
  };
  CHECK(holds(train("long", "20"), "give --max-length 7, or a larger --attention-max-length"));
  CHECK_FALSE(holds(train("fitting", "7"), "--attention-max-length"));
}

TEST_CASE("a size that can't be reached is named by the flag that gave it", "[cli][mistakes]") {
  const TemporaryFolder folder;
  for (const std::string flag : {"--vocab-size", "--source-vocab-size", "--target-vocab-size"}) {
    const auto outcome = run_gloss(tiny_training(folder.file("model"), {"--tokenizer", "", flag, "30000"}));
    CHECK(outcome.code == 2);
    CHECK(holds(outcome.err, " " + flag + " 30000: "));
  }
}

TEST_CASE("more threads than cores are cut with a warning", "[cli][mistakes]") {
  const auto outcome = run_gloss({"translate", "--model", trained_model(), "--threads", "4096"}, "je\n");
  CHECK(outcome.code == 0);
  CHECK(holds(outcome.err, "--threads 4096"));
}

TEST_CASE("a second training in a directory in use is refused and leaves it alone", "[cli][mistakes]") {
  const TemporaryFolder folder;
  const auto model = folder.file("model");
  const auto arguments =
      tiny_training(model, {"--updates", "1000000", "--report-every", "1", "--save-every", "0"});
  GlossProcess first(arguments);
  for (int i = 0; i < 3000 && !holds(bytes_of_file(fs::path(model) / "train.jsonl"), "report"); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  const auto second = run_gloss(arguments);
  CHECK(second.code == 5);
  CHECK(holds(second.err, "in use"));
  first.send(SIGTERM);
  CHECK(first.finish().code == 143);
}

TEST_CASE("input, output and alignments may not be one file", "[cli][mistakes]") {
  const TemporaryFolder folder;
  const auto source = folder.write("source", test_text());
  const auto other = folder.file("other");
  const std::vector<std::array<std::string, 3>> clashes{
      {source, other, source}, {source, source, other}, {source, other, folder.file("./other")}};
  for (const auto& [input, output, alignments] : clashes) {
    const auto outcome = run_gloss({"translate", "--model", trained_model(), "--input", input, "--output",
                                    output, "--alignments", alignments});
    INFO(outcome.err);
    CHECK(outcome.code == 2);
    CHECK(holds(outcome.err, "same file"));
    CHECK(bytes_of_file(source) == test_text());
    CHECK_FALSE(fs::exists(other));
  }
}

TEST_CASE("matrices of an earlier, longer input do not stay behind", "[cli][mistakes]") {
  const TemporaryFolder folder;
  const auto matrices = folder.path() / "matrices";
  const auto run = [&](const std::string& text) {
    return run_gloss({"translate", "--model", trained_model(), "--alignments", matrices.string() + "/"},
                     text);
  };
  REQUIRE(run("je\ntu\nil\n").code == 0);
  folder.write("matrices/notes.csv", "mine");
  const auto outcome = run("je\n");
  REQUIRE(outcome.code == 0);
  CHECK(holds(outcome.err, "2 matrices of an earlier run removed"));
  CHECK(fs::exists(matrices / "000001.csv"));
  CHECK_FALSE(fs::exists(matrices / "000002.csv"));
  CHECK(fs::exists(matrices / "notes.csv"));
}

TEST_CASE("a vocabulary size beside a ready vocabulary is refused, not ignored", "[cli][mistakes]") {
  const TemporaryFolder folder;
  const auto outcome = run_gloss(tiny_training(folder.file("model"), {"--vocab-size", "40"}));
  INFO(outcome.err);
  CHECK(outcome.code == 2);
  CHECK(holds(outcome.err, "--vocab-size"));
  CHECK_FALSE(fs::exists(folder.file("model")));
}
