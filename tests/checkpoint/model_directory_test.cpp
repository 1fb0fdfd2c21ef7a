#include "checkpoint/model_directory.h"

#include <sys/resource.h>

#include <csignal>
#include <nlohmann/json.hpp>

#include "checkpoint/tokenizer_files.h"
#include "core/error.h"
#include "core/sha256.h"
#include "support/catch.h"
#include "support/files.h"

using namespace gloss;
using namespace gloss::testing;
namespace fs = std::filesystem;

namespace {

Checkpoint checkpoint_of(int64_t step, int64_t size = 4) {
  return {.step = step,
          .model = {{"w", at::full({size}, static_cast<double>(step))}},
          .optimizer = {{"m", at::full({size}, -static_cast<double>(step))}},
          .metadata = {{"kind", "toy"}},
          .state = {{"step", step}, {"best", 0.1}}};
}

std::vector<std::string> names_in(const fs::path& folder) {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder)) names.push_back(entry.path().filename().string());
  std::sort(names.begin(), names.end());
  return names;
}

/// Writes beyond `bytes` fail, as on a full disk.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) {
    old_handler_ = std::signal(SIGXFSZ, SIG_IGN);
    ::getrlimit(RLIMIT_FSIZE, &old_);
    const rlimit limited{bytes, old_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &limited);
  }
  ~FileSizeLimit() {
    ::setrlimit(RLIMIT_FSIZE, &old_);
    std::signal(SIGXFSZ, old_handler_);
  }

 private:
  rlimit old_{};
  void (*old_handler_)(int);
};

const std::string kWordsA = "<pad>\n<unk>\n<s>\n</s>\nun\ndeux\n";
const std::string kWordsB = "<pad>\n<unk>\n<s>\n</s>\none\ntwo\nthree\n";

Tokenizers separate() {
  return {.source = parse_tokenizer(kWordsA, "a"), .target = parse_tokenizer(kWordsB, "b"), .shared = false};
}

}  // namespace

TEST_CASE("the names in a model directory are those of the documentation", "[checkpoint][unit]") {
  const ModelDirectory directory("m");
  CHECK(directory.config() == "m/config.toml");
  CHECK(directory.weights() == "m/model.safetensors");
  CHECK(directory.record() == "m/train.jsonl");
  CHECK(directory.checkpoint(12000) == "m/checkpoints/step-00012000");
  CHECK(directory.checkpoint(1234567890) == "m/checkpoints/step-1234567890");
}

TEST_CASE("a checkpoint comes back as it was saved", "[checkpoint][property]") {
  const TemporaryFolder folder;
  const ModelDirectory directory(folder.path());
  CHECK_FALSE(directory.latest_checkpoint().has_value());
  directory.save_checkpoint(checkpoint_of(12000));
  CHECK(names_in(directory.checkpoints()) == std::vector<std::string>{"step-00012000"});
  CHECK(names_in(directory.checkpoint(12000)) ==
        std::vector<std::string>{"model.safetensors", "optimizer.safetensors", "state.json"});
  const auto found = directory.latest_checkpoint();
  REQUIRE(found.has_value());
  CHECK(found->step == 12000);
  CHECK(at::equal(found->model.at("w"), at::full({4}, 12000.0)));
  CHECK(at::equal(found->optimizer.at("m"), at::full({4}, -12000.0)));
  CHECK(found->metadata.at("kind") == "toy");
  CHECK(found->state == checkpoint_of(12000).state);
}

TEST_CASE("the newest checkpoint is found by number, not by name", "[checkpoint][unit]") {
  const TemporaryFolder folder;
  const ModelDirectory directory(folder.path());
  for (const int64_t step : {99999999, 100000000, 5}) directory.save_checkpoint(checkpoint_of(step));
  CHECK(directory.steps() == std::vector<int64_t>{100000000, 99999999, 5});
  CHECK(directory.latest_checkpoint()->step == 100000000);
}

TEST_CASE("a step that is saved again replaces the one that stood there", "[checkpoint][unit]") {
  const TemporaryFolder folder;
  const ModelDirectory directory(folder.path());
  directory.save_checkpoint(checkpoint_of(7));
  auto again = checkpoint_of(7);
  again.state["best"] = 0.9;
  directory.save_checkpoint(again);
  CHECK(directory.latest_checkpoint()->state["best"] == 0.9);
  CHECK(names_in(directory.checkpoints()) == std::vector<std::string>{"step-00000007"});
}

TEST_CASE("an interrupted save is never taken for a checkpoint and is removed at the next start",
          "[checkpoint][property]") {
  // A kill between two files leaves the folder under its temporary name with some of them.
  const TemporaryFolder folder;
  const ModelDirectory directory(folder.path());
  directory.save_checkpoint(checkpoint_of(1));
  const auto cut = directory.checkpoints() / "step-00000002.tmp";
  fs::create_directories(cut);
  fs::copy_file(directory.checkpoint(1) / "model.safetensors", cut / "model.safetensors");
  put_bytes(folder / "model.safetensors.tmp-4711", "half");
  put_bytes(folder / "notes.tmp", "the user's own");
  put_bytes(folder / "x.tmp-y", "the user's own");
  CHECK(directory.latest_checkpoint()->step == 1);
  directory.remove_leftovers();
  CHECK(names_in(directory.checkpoints()) == std::vector<std::string>{"step-00000001"});
  CHECK(names_in(folder.path()) == std::vector<std::string>{"checkpoints", "notes.tmp", "x.tmp-y"});
}

TEST_CASE("a damaged checkpoint is passed over for the next older one", "[checkpoint][property]") {
  const TemporaryFolder folder;
  const ModelDirectory directory(folder.path());
  directory.save_checkpoint(checkpoint_of(1));
  directory.save_checkpoint(checkpoint_of(2));
  const std::string name = GENERATE("model.safetensors", "optimizer.safetensors", "state.json");
  const auto file = directory.checkpoint(2) / name;
  SECTION("cut in half") { fs::resize_file(file, fs::file_size(file) / 2); }
  SECTION("emptied") { fs::resize_file(file, 0); }
  SECTION("missing") { fs::remove(file); }
  const auto found = directory.latest_checkpoint();
  REQUIRE(found.has_value());
  CHECK(found->step == 1);
}

TEST_CASE("when every checkpoint is damaged the faults are listed, not training begun anew",
          "[checkpoint][unit]") {
  const TemporaryFolder folder;
  const ModelDirectory directory(folder.path());
  directory.save_checkpoint(checkpoint_of(1));
  fs::resize_file(directory.checkpoint(1) / "model.safetensors", 20);
  CHECK_THROWS_AS(directory.latest_checkpoint(), CheckpointError);
  CHECK_THROWS_WITH(directory.latest_checkpoint(), Catch::Contains("step-00000001"));
}

TEST_CASE("pruning keeps the newest and never counts a damaged one among them", "[checkpoint][property]") {
  const TemporaryFolder folder;
  const ModelDirectory directory(folder.path());
  for (int64_t step = 1; step <= 5; ++step) directory.save_checkpoint(checkpoint_of(step));
  SECTION("all whole") {
    directory.prune();
    CHECK(directory.steps() == std::vector<int64_t>{5, 4});
  }
  SECTION("keep 0 still keeps one") {
    directory.prune(0);
    CHECK(directory.steps() == std::vector<int64_t>{5});
  }
  SECTION("the newest two damaged") {
    for (const int64_t step : {4, 5}) fs::resize_file(directory.checkpoint(step) / "model.safetensors", 30);
    directory.prune(1);
    CHECK(directory.steps() == std::vector<int64_t>{5, 4, 3});
    CHECK(directory.latest_checkpoint()->step == 3);
  }
  SECTION("all but the oldest damaged") {
    for (const int64_t step : {2, 3, 4, 5}) fs::remove(directory.checkpoint(step) / "state.json");
    directory.prune(2);
    CHECK(directory.latest_checkpoint()->step == 1);
  }
  CHECK(names_in(directory.checkpoints()).size() == directory.steps().size());
}

TEST_CASE("a full disk is an output error, leaves no half checkpoint and the earlier one whole",
          "[checkpoint][property]") {
  const TemporaryFolder folder;
  const ModelDirectory directory(folder.path());
  directory.save_checkpoint(checkpoint_of(1));
  const int64_t step = GENERATE(1, 2);  // the same step again, and a new one
  {
    const FileSizeLimit limit(40'000);
    CHECK_THROWS_AS(directory.save_checkpoint(checkpoint_of(step, 1'000'000)), OutputError);
  }
  CHECK(names_in(directory.checkpoints()) == std::vector<std::string>{"step-00000001"});
  CHECK(directory.latest_checkpoint()->step == 1);
  CHECK(directory.latest_checkpoint()->model.at("w").size(0) == 4);
}

TEST_CASE("a file in the place of the folder is an output error", "[checkpoint][unit]") {
  const TemporaryFolder folder;
  put_bytes(folder / "checkpoints", "");
  CHECK_THROWS_AS(ModelDirectory(folder.path()).save_checkpoint(checkpoint_of(1)), OutputError);
}

TEST_CASE("a checkpoint of a newer format says which versions meet", "[checkpoint][unit]") {
  const TemporaryFolder folder;
  const ModelDirectory directory(folder.path());
  directory.save_checkpoint(checkpoint_of(1));
  put_bytes(directory.checkpoint(1) / "state.json", R"({"format": 2, "state": {}})");
  CHECK_THROWS_WITH(directory.latest_checkpoint(),
                    Catch::Contains("format version 2") && Catch::Contains("up to version 1"));
}

TEST_CASE("tokenizers come back byte for byte under the documented names", "[checkpoint][property]") {
  const TemporaryFolder folder;
  const bool shared = GENERATE(false, true);
  auto tokenizers = separate();
  if (shared) tokenizers = {.source = tokenizers.source, .target = tokenizers.source, .shared = true};
  save_tokenizers(folder.path(), tokenizers);
  CHECK(names_in(folder.path()) == (shared ? std::vector<std::string>{"joint.vocab"}
                                           : std::vector<std::string>{"source.vocab", "target.vocab"}));
  const auto loaded = load_tokenizers(folder.path());
  CHECK(loaded.shared == shared);
  CHECK((loaded.source == loaded.target) == shared);
  CHECK(loaded.source->serialized() == tokenizers.source->serialized());
  CHECK(loaded.target->serialized() == tokenizers.target->serialized());
}

TEST_CASE("saving tokenizers of another kind leaves no doubt which ones count", "[checkpoint][unit]") {
  const TemporaryFolder folder;
  const auto pair = separate();
  save_tokenizers(folder.path(), {.source = pair.source, .target = pair.source, .shared = true});
  save_tokenizers(folder.path(), pair);
  CHECK_FALSE(load_tokenizers(folder.path()).shared);
}

TEST_CASE("missing or contradicting tokenizer files are named", "[checkpoint][unit]") {
  const TemporaryFolder folder;
  CHECK_THROWS_AS(load_tokenizers(folder.path()), CheckpointError);
  CHECK_THROWS_WITH(load_tokenizers(folder.path()),
                    Catch::Contains("has no tokenizer") && Catch::Contains("name a model directory"));
  put_bytes(ModelDirectory(folder.path()).config(), "seed = 1\n");
  CHECK_THROWS_WITH(load_tokenizers(folder.path()),
                    Catch::Contains("has no tokenizer (joint.spm, or source.spm and target.spm") &&
                        Catch::Contains("copy the missing files") &&
                        !Catch::Contains("name a model directory"));
  put_bytes(folder / "source.vocab", kWordsA);
  CHECK_THROWS_AS(load_tokenizers(folder.path()), CheckpointError);
  CHECK_THROWS_WITH(load_tokenizers(folder.path()),
                    Catch::Contains("has no target tokenizer beside source.vocab"));
  put_bytes(folder / "target.vocab", kWordsB);
  CHECK_NOTHROW(load_tokenizers(folder.path()));
  put_bytes(folder / "joint.vocab", kWordsB);
  CHECK_THROWS_AS(load_tokenizers(folder.path()), CheckpointError);
}

TEST_CASE("weights know the tokenizers they were trained with", "[checkpoint][property]") {
  const auto right = separate();
  const auto metadata = tokenizer_metadata(right);
  CHECK(metadata.at("source-tokenizer-sha256") == sha256_hex(kWordsA));
  CHECK_NOTHROW(check_tokenizers(metadata, right, "m.safetensors"));

  const Tokenizers swapped{.source = right.target, .target = right.source, .shared = false};
  CHECK_THROWS_AS(check_tokenizers(metadata, swapped, "m.safetensors"), CheckpointError);
  CHECK_THROWS_WITH(check_tokenizers(metadata, swapped, "m.safetensors"),
                    Catch::StartsWith("m.safetensors") && Catch::Contains(sha256_hex(kWordsA)) &&
                        Catch::Contains(sha256_hex(kWordsB)) &&
                        Catch::Contains("did you swap or replace the tokenizer?"));
  const Tokenizers one_replaced{
      .source = right.source, .target = parse_tokenizer(kWordsB + "four\n", "c"), .shared = false};
  CHECK_THROWS_WITH(check_tokenizers(metadata, one_replaced, "m.safetensors"),
                    Catch::Contains("target") && !Catch::Contains("source: "));
  CHECK_THROWS_WITH(check_tokenizers({}, right, "m.safetensors"), Catch::Contains("source-tokenizer-sha256"));
}
