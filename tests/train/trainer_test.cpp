#include "train/trainer.h"

#include <cmath>

#include "checkpoint/weights.h"
#include "core/error.h"
#include "support/catch.h"
#include "tiny.h"
#include "train/adam.h"
#include "train/training_step.h"
#include "train/validation.h"

using namespace gloss;

namespace {

/// The first `count` pairs in batches of `size`.
std::vector<Batch> split(int64_t count, int64_t size) {
  const auto all = tiny::pairs(count);
  std::vector<Batch> batches;
  for (auto at = all.begin(); at < all.end(); at += size) batches.push_back(make_batch({at, at + size}));
  return batches;
}

struct Fixture {
  testing::TemporaryFolder dir;
  Tokenizers tokenizers = tiny::words();
  EncodedCorpus corpus = tiny::corpus(60);
  ValidationSet validation = tiny::validation(12);
  TrainSettings settings = tiny::settings(dir / "model", 20);
  tiny::Model model = seeded();

  static tiny::Model seeded() {
    at::manual_seed(5);
    return tiny::Model(0.1);
  }
  TrainingResult run(bool with_validation = true) {
    return train(model, {corpus, with_validation ? &validation : nullptr, tokenizers}, settings,
                 ModelDirectory(dir / "model"));
  }
  std::vector<nlohmann::json> events(const std::string& kind) const {
    std::vector<nlohmann::json> found;
    for (auto& line : tiny::record(dir / "model"))
      if (line.at("event") == kind) found.push_back(line);
    return found;
  }
};

}  // namespace

TEST_CASE("the loss of an update is the sum over its tokens, not the mean of batch means",
          "[train][step][property]") {
  at::manual_seed(1);
  tiny::Model model;
  TrainOptions options;
  options.label_smoothing = 0;
  double nll = 0, mean_of_means = 0;
  int64_t tokens = 0;
  for (auto& batch : split(8, 2)) {
    std::vector<Batch> alone{batch};
    const auto sums = add_gradients(model, alone, options);
    nll += sums.nll;
    tokens += sums.target_tokens;
    mean_of_means += sums.nll / static_cast<double>(sums.target_tokens) / 4;
  }
  auto group = split(8, 2);
  const auto sums = add_gradients(model, group, options);
  CHECK(sums.target_tokens == tokens);
  CHECK(sums.nll == Approx(nll).epsilon(1e-6));
  CHECK(sums.nll / static_cast<double>(tokens) != Approx(mean_of_means).epsilon(1e-4));
}

TEST_CASE("ten updates give the same weights however the batch is split", "[train][step][property]") {
  const auto size = GENERATE(1, 2, 4);
  const double smoothing = GENERATE(0.0, 0.1);
  CAPTURE(size, smoothing);
  const auto train_with = [&](int64_t batch_size) {
    at::manual_seed(2);
    tiny::Model model;
    TrainOptions options;
    options.label_smoothing = smoothing;
    Adam::Parameters parameters;
    for (const auto& item : model.named_parameters()) parameters.emplace_back(item.key(), item.value());
    Adam adam(parameters, {.epsilon = 1e-6});
    for (int update = 0; update < 10; ++update) {
      auto group = split(8, batch_size);
      add_gradients(model, group, options);
      adam.clip_gradients(1.0);
      adam.step(0.01);
      adam.clear_gradients();
    }
    std::vector<Tensor> flat;
    for (const auto& parameter : model.parameters()) flat.push_back(parameter.detach().flatten());
    return at::cat(flat);
  };
  const auto whole = train_with(8), parts = train_with(size);
  CHECK((whole - parts).abs().max().item<double>() < 1e-5);
}

TEST_CASE("threads that share a batch give the gradient of one thread, and the same one each time",
          "[train][step][property]") {
  const auto gradient = [](double dropout, int threads) {
    at::manual_seed(3);
    tiny::Model model(dropout);
    model.train();
    at::set_num_threads(threads);
    const auto sums = add_gradients(model, split(200, 200), {});
    at::set_num_threads(1);
    std::vector<Tensor> flat{at::full({1}, sums.nll)};
    for (const auto& parameter : model.parameters())
      if (parameter.grad().defined()) flat.push_back(parameter.grad().flatten());
    return at::cat(flat);
  };
  const auto alone = gradient(0.0, 1);
  CHECK(((gradient(0.0, 2) - alone).norm() / alone.norm()).item<double>() < 1e-5);
  CHECK(((gradient(0.0, 3) - alone).norm() / alone.norm()).item<double>() < 1e-5);
  CHECK(at::equal(gradient(0.3, 2), gradient(0.3, 2)));
  CHECK_FALSE(at::equal(gradient(0.3, 2), gradient(0.3, 3)));
}

TEST_CASE("teacher forcing is drawn for each sentence or for each position", "[train][step][property]") {
  at::manual_seed(1);
  const auto sentences = draw_forced(2000, 9, 0.3, "sequence");
  CHECK(sentences.select(1, 0).all().item<bool>());
  CHECK(at::equal(sentences.select(1, 1), sentences.select(1, 8)));
  CHECK(sentences.select(1, 1).to(at::kDouble).mean().item<double>() == Approx(0.3).margin(0.05));
  const auto steps = draw_forced(2000, 9, 0.3, "step");
  CHECK(steps.select(1, 0).all().item<bool>());
  CHECK_FALSE(at::equal(steps.select(1, 1), steps.select(1, 8)));
  CHECK(steps.narrow(1, 1, 8).to(at::kDouble).mean().item<double>() == Approx(0.3).margin(0.02));
}

TEST_CASE("training lowers the loss and counts its updates and epochs", "[train][loop][property]") {
  Fixture f;
  f.settings.train.updates = 150;
  const auto result = f.run();
  CHECK(result.updates == 150);
  CHECK(result.reason == "reached 150 updates");
  const auto reports = f.events("report");
  REQUIRE(reports.size() == 30);
  CHECK(reports.back().at("loss").get<double>() < 0.6 * reports.front().at("loss").get<double>());
  CHECK_FALSE(f.model.is_training());
}

TEST_CASE("every line of the record has its fields", "[train][record][property]") {
  Fixture f;
  f.settings.train.valid_every = 5;
  f.settings.train.valid_bleu = true;
  f.run();
  for (const auto& line : f.events("report")) {
    for (const auto* key : {"update", "epoch", "loss", "perplexity", "learning_rate", "grad_norm",
                            "target_tokens_per_second", "source_tokens_per_second", "padding", "elapsed"})
      CHECK(line.at(key).is_number());
    CHECK(line.at("perplexity").get<double>() == Approx(std::exp(line.at("loss").get<double>())));
    CHECK(line.at("padding").get<double>() >= 0);
    CHECK(line.at("padding").get<double>() < 1);
  }
  REQUIRE(f.events("validation").size() == 4);
  for (const auto& line : f.events("validation"))
    for (const auto* key : {"update", "epoch", "valid_loss", "valid_perplexity", "bleu", "chrf"})
      CHECK(line.at(key).is_number());
  REQUIRE(f.events("end").size() == 1);
  CHECK(f.events("end").front().at("reason") == "reached 20 updates");
}

TEST_CASE("the learning rate in the record is the schedule's", "[train][record][unit]") {
  Fixture f;
  f.run();
  const auto reports = f.events("report");
  CHECK(reports.at(0).at("learning_rate").get<double>() == Approx(0.02));  // end of the warm-up
  CHECK(reports.at(3).at("learning_rate").get<double>() ==
        Approx(0.02 * std::sqrt(5.0 / 20)));  // inverse-sqrt
}

TEST_CASE("an epoch limit ends the training at the end of the epoch", "[train][loop][unit]") {
  Fixture f;
  f.settings.train.updates = 0;
  f.settings.train.epochs = 3;
  const auto result = f.run();
  CHECK(result.reason == "reached 3 epochs");
  CHECK(f.events("validation").size() == 3);  // valid-every 0: once an epoch
  CHECK(f.events("validation").back().at("update") == result.updates);
}

TEST_CASE("a time limit ends the training", "[train][loop][unit]") {
  Fixture f;
  f.settings.train.updates = 0;
  f.settings.train.time_limit = 0.05 / 60;
  const auto result = f.run();
  CHECK(result.reason == "reached the time limit");
  CHECK(result.updates > 0);
}

TEST_CASE("patience stops after so many validations without improvement", "[train][patience][property]") {
  Fixture f;
  f.settings.train.updates = 1000;
  f.settings.train.learning_rate = 1e-30;  // nothing changes, so only the first validation improves
  f.settings.train.valid_every = 2;
  f.settings.train.patience = 3;
  const auto result = f.run();
  CHECK(result.updates == 8);
  CHECK(result.reason == "no improvement in 3 validations");
  CHECK(f.events("validation").size() == 4);
}

TEST_CASE("the model directory holds the best weights, not the last", "[train][best][property]") {
  Fixture f;
  f.settings.train.updates = 60;
  f.settings.train.valid_every = 3;
  f.settings.train.learning_rate = 1.5;  // far too high: the loss goes up and down
  const auto result = f.run();
  double best = 1e300;
  for (const auto& line : f.events("validation"))
    best = std::min(best, line.at("valid_perplexity").get<double>());
  REQUIRE(result.best.has_value());
  CHECK(*result.best == best);
  CHECK(f.events("validation").back().at("valid_perplexity").get<double>() > best);
  tiny::Model loaded;
  load_strict(loaded, read_safetensors(f.dir / "model" / "model.safetensors").tensors, "model.safetensors");
  const auto checked = validate(loaded, f.validation, f.tokenizers, {.batch_tokens = 64}, [] { return 0; });
  CHECK(checked->perplexity() == Approx(best).epsilon(1e-6));
}

TEST_CASE("without a validation set the last weights are the result", "[train][best][unit]") {
  Fixture f;
  const auto result = f.run(/*with_validation=*/false);
  CHECK_FALSE(result.best.has_value());
  tiny::Model loaded;
  load_strict(loaded, read_safetensors(f.dir / "model" / "model.safetensors").tensors, "model.safetensors");
  CHECK(tiny::same_weights(loaded, f.model));
}

TEST_CASE("BLEU can decide which weights are the best", "[train][best][unit]") {
  Fixture f;
  f.settings.train.valid_metric = "bleu";
  f.settings.train.updates = 200;
  f.settings.train.valid_every = 20;
  const auto result = f.run();
  double best = 0;
  for (const auto& line : f.events("validation")) best = std::max(best, line.at("bleu").get<double>());
  CHECK(*result.best == best);
}

TEST_CASE("patience and plateau need a validation set", "[train][options][unit]") {
  Fixture f;
  SECTION("patience") { f.settings.train.patience = 2; }
  SECTION("plateau") { f.settings.train.schedule = "plateau"; }
  CHECK_THROWS_AS(f.run(/*with_validation=*/false), UsageError);
}

TEST_CASE("an update without a finite gradient is skipped and counted", "[train][skip][property]") {
  const auto bad =
      GENERATE(std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity());
  Fixture f;
  f.model.poison = bad;
  f.model.poison_from = 7;
  f.model.poison_to = 9;
  const auto result = f.run();
  CHECK(result.updates == 20);
  CHECK(f.events("end").front().at("skipped") == 2);
  for (const auto& line : f.events("report")) CHECK(line.at("loss").is_number());
  for (const auto& parameter : f.model.parameters()) CHECK(parameter.isfinite().all().item<bool>());
}

TEST_CASE("twenty skipped updates in a row end the training with the lines named", "[train][skip][unit]") {
  Fixture f;
  f.settings.train.updates = 100;
  f.model.poison_from = 3;
  CHECK_THROWS_AS(f.run(), DataError);
  CHECK(f.model.encoded == 22);
  f.model.encoded = 0;
  CHECK_THROWS_WITH(f.run(), Catch::Contains("20 updates in a row") && Catch::Contains("lines "));
}

TEST_CASE("nineteen skipped updates in a row do not end the training", "[train][skip][unit]") {
  Fixture f;
  f.settings.train.updates = 30;
  f.model.poison_from = 3;
  f.model.poison_to = 22;
  CHECK(f.run().updates == 30);
}
