#include <csignal>
#include <functional>

#include "core/error.h"
#include "model/make_model.h"
#include "support/catch.h"
#include "tiny.h"
#include "train/training_state.h"

using namespace gloss;

namespace {

using MakeModel = std::function<std::shared_ptr<Seq2Seq>()>;

std::shared_ptr<Seq2Seq> tiny_model() { return std::make_shared<tiny::Model>(/*dropout=*/0.3); }

std::shared_ptr<Seq2Seq> rnn(const std::string& attention, bool variational) {
  ModelOptions options;
  options.attention = attention;
  options.embedding_size = 6;
  options.hidden_size = 8;
  options.dropout = 0.3;
  options.variational_dropout = variational;
  return make_model(options, {.source = tiny::kVocabulary, .target = tiny::kVocabulary, .shared = true});
}

struct Fixture {
  testing::TemporaryFolder dir;
  Tokenizers tokenizers = tiny::words();
  EncodedCorpus corpus = tiny::corpus(60);
  ValidationSet validation = tiny::validation(12);

  /// Trains in the folder as a new process would: seeded, with a new model.
  std::shared_ptr<Seq2Seq> run(const std::string& folder, int64_t updates, const MakeModel& make,
                               const std::function<void(TrainSettings&)>& change = {}) {
    at::manual_seed(11);
    auto model = make();
    auto settings = tiny::settings(dir / folder, updates);
    settings.train.valid_every = 4;
    if (change) change(settings);
    result = train(*model, {corpus, &validation, tokenizers}, settings, ModelDirectory(dir / folder));
    return model;
  }

  TrainingResult result;
};

/// A stop function that gives the signal from the n-th look on.
std::function<int()> stop_at_look(int n, int signal) {
  return [n, signal, looks = 0]() mutable { return ++looks >= n ? signal : 0; };
}

}  // namespace

TEST_CASE("twenty updates equal ten, a new process and ten more, bit by bit", "[train][resume][property]") {
  const int kind = GENERATE(0, 1, 2, 3);
  CAPTURE(kind);
  const MakeModel make = [kind]() {
    return kind == 0 ? tiny_model() : rnn(kind == 2 ? "luong" : "bahdanau", /*variational=*/kind == 3);
  };
  Fixture f;
  const auto straight = f.run("straight", 20, make);
  f.run("resumed", 10, make);
  const auto resumed = f.run("resumed", 20, make);
  CHECK(tiny::same_weights(*straight, *resumed));
  CHECK(tiny::same_weights(*make(), *make()) == false);  // the comparison can fail
}

TEST_CASE("a resume at any update, also within an epoch, changes nothing", "[train][resume][property]") {
  const int64_t at = GENERATE(1, 4, 7, 13, 19);
  CAPTURE(at);
  Fixture f;
  const auto straight = f.run("straight", 20, tiny_model);
  const auto weights_before = read_safetensors(f.dir / "straight" / "model.safetensors");
  f.run("resumed", 20, tiny_model, [&](TrainSettings& s) {
    s.train.save_every = at;
    s.train.keep_checkpoints = 100;
  });
  // As after kill -9 later on: the record has lines of later updates.
  const ModelDirectory directory(f.dir / "resumed");
  for (const auto step : directory.steps())
    if (step > at) std::filesystem::remove_all(directory.checkpoint(step));
  REQUIRE(directory.steps().front() == at);
  const auto resumed = f.run("resumed", 20, tiny_model);
  CHECK(tiny::same_weights(*straight, *resumed));
  CHECK(tiny::timeless_record(f.dir / "straight") == tiny::timeless_record(f.dir / "resumed"));
  const auto weights_after = read_safetensors(f.dir / "resumed" / "model.safetensors");
  for (const auto& [name, tensor] : weights_before.tensors)
    CHECK(at::equal(tensor, weights_after.tensors.at(name)));
}

TEST_CASE("accumulation and teacher forcing resume exactly too", "[train][resume][property]") {
  const auto change = [](TrainSettings& s) {
    s.train.accumulate = 3;
    s.train.teacher_forcing = 0.5;
    s.train.schedule = "plateau";
    s.train.plateau_patience = 1;
  };
  Fixture f;
  const auto straight = f.run("straight", 12, tiny_model, change);
  f.run("resumed", 8, tiny_model, change);
  const auto resumed = f.run("resumed", 12, tiny_model, change);
  CHECK(tiny::same_weights(*straight, *resumed));
  CHECK(tiny::timeless_record(f.dir / "straight") == tiny::timeless_record(f.dir / "resumed"));
}

TEST_CASE("a stop signal saves after the running update, and the training goes on from there",
          "[train][stop][property]") {
  const int signal = GENERATE(SIGINT, SIGTERM);
  Fixture f;
  const auto straight = f.run("straight", 20, tiny_model);
  f.run("stopped", 20, tiny_model, [&](TrainSettings& s) { s.stop = stop_at_look(10, signal); });
  CHECK(f.result.signal == signal);
  CHECK(f.result.reason == (signal == SIGINT ? "stopped by SIGINT" : "stopped by SIGTERM"));
  CHECK(f.result.updates < 20);
  CHECK(ModelDirectory(f.dir / "stopped").steps().front() == f.result.updates);
  CHECK(std::filesystem::exists(f.dir / "stopped" / "model.safetensors"));
  CHECK(tiny::record(f.dir / "stopped").back().at("reason") == f.result.reason);
  const auto resumed = f.run("stopped", 20, tiny_model);
  CHECK(f.result.signal == 0);
  CHECK(tiny::same_weights(*straight, *resumed));
}

TEST_CASE("a stop before the first update leaves no weights that were never trained",
          "[train][stop][property]") {
  Fixture f;
  f.run("stopped", 20, tiny_model, [](TrainSettings& s) { s.stop = [] { return SIGINT; }; });
  CHECK(f.result.updates == 0);
  CHECK_FALSE(std::filesystem::exists(f.dir / "stopped" / "model.safetensors"));
  const auto straight = f.run("straight", 20, tiny_model);
  CHECK(tiny::same_weights(*straight, *f.run("stopped", 20, tiny_model)));
}

TEST_CASE("a validation that a signal interrupts is made up for", "[train][stop][property]") {
  Fixture f;
  f.run("straight", 8, tiny_model);
  for (int look = 4; look <= 7; ++look) {  // before, within and after the validation at update 4
    const auto folder = "stopped" + std::to_string(look);
    f.run(folder, 8, tiny_model, [&](TrainSettings& s) { s.stop = stop_at_look(look, SIGTERM); });
    CHECK(f.result.signal == SIGTERM);
    f.run(folder, 8, tiny_model);
    CHECK(tiny::timeless_record(f.dir / "straight") == tiny::timeless_record(f.dir / folder));
  }
}

TEST_CASE("training that is over stays as it is when it is run again", "[train][resume][unit]") {
  Fixture f;
  const auto first = f.run("model", 10, tiny_model);
  const auto record = tiny::timeless_record(f.dir / "model");
  const auto again = f.run("model", 10, tiny_model);
  CHECK(f.result.updates == 10);
  CHECK(tiny::same_weights(*first, *again));
  CHECK(tiny::timeless_record(f.dir / "model") == record);
}

TEST_CASE("settings that the data position hangs on can't change on resume, others can",
          "[train][resume][unit]") {
  Fixture f;
  f.run("model", 10, tiny_model);
  CHECK_THROWS_AS(f.run("model", 20, tiny_model, [](TrainSettings& s) { s.data.batch_tokens = 32; }),
                  CheckpointError);
  CHECK_THROWS_WITH(f.run("model", 20, tiny_model, [](TrainSettings& s) { s.seed = 2; }),
                    Catch::Contains("seed: 1, now 2"));
  f.run("model", 20, tiny_model, [](TrainSettings& s) { s.train.learning_rate = 1e-3; });
  CHECK(f.result.updates == 20);
}

TEST_CASE("a checkpoint of another corpus or another model is refused", "[train][resume][unit]") {
  Fixture f;
  f.run("model", 10, tiny_model);
  CHECK_THROWS_AS(f.run("model", 20, [] { return std::make_shared<tiny::Model>(0.3, 9); }), CheckpointError);
  f.corpus = tiny::corpus(61);
  CHECK_THROWS_WITH(f.run("model", 20, tiny_model), Catch::Contains("training-text-sha256"));
}

TEST_CASE("only the asked number of checkpoints is kept", "[train][save][unit]") {
  Fixture f;
  f.run("model", 20, tiny_model, [](TrainSettings& s) {
    s.train.save_every = 3;
    s.train.keep_checkpoints = 3;
  });
  CHECK(ModelDirectory(f.dir / "model").steps() == std::vector<int64_t>{20, 18, 15});
}
