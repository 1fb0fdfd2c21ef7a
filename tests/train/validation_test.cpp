#include "train/validation.h"

#include <cmath>
#include <csignal>

#include "search/translate.h"
#include "support/catch.h"
#include "tiny.h"
#include "train/training_state.h"

using namespace gloss;

namespace {

const std::function<int()> kNeverStop = [] { return 0; };

tiny::Model seeded_model() {
  at::manual_seed(4);
  return tiny::Model(0.5);
}

/// -log p of a pair's target and end mark, word by word with the plain softmax, in double.
double pair_nll(tiny::Model& model, const EncodedPair& pair) {
  const at::NoGradGuard no_grad;
  auto ids = pair.source;
  ids.push_back(kEos);
  const auto mean = model.source.index_select(0, at::tensor(ids).to(at::kLong)).mean(0);
  double nll = 0;
  int64_t previous = kBos;
  auto targets = pair.target;
  targets.push_back(kEos);
  for (const auto target : targets) {
    const auto hidden = at::tanh(model.target[previous] + mean);
    const auto logits = (model.output->weight.matmul(hidden) + model.output->bias).to(at::kDouble);
    nll -= at::log_softmax(logits, 0)[target].item<double>();
    previous = target;
  }
  return nll;
}

}  // namespace

TEST_CASE("cross entropy is the mean over all target tokens, computed pair by pair",
          "[train][validation][property]") {
  const int64_t batch_tokens = GENERATE(1, 20, 4096);
  auto model = seeded_model();
  const auto set = tiny::validation(15);
  double nll = 0;
  int64_t tokens = 0;
  for (const auto& pair : set.pairs) {
    nll += pair_nll(model, pair);
    tokens += static_cast<int64_t>(pair.target.size()) + 1;
  }
  const auto result = validate(model, set, tiny::words(), {.batch_tokens = batch_tokens}, kNeverStop);
  REQUIRE(result);
  CHECK(result->target_tokens == tokens);
  CHECK(result->cross_entropy == Approx(nll / static_cast<double>(tokens)).epsilon(1e-5));
  CHECK(result->perplexity() == Approx(std::exp(nll / static_cast<double>(tokens))).epsilon(1e-5));
  CHECK_FALSE(result->bleu);
}

TEST_CASE("pairs that do not count are left out of the loss", "[train][validation][property]") {
  auto model = seeded_model();
  auto set = tiny::validation(15);
  set.in_loss[3] = false;
  set.in_loss[9] = false;
  auto smaller = tiny::validation(15);
  for (const auto i : {9, 3}) {
    smaller.pairs.erase(smaller.pairs.begin() + i);
    smaller.in_loss.erase(smaller.in_loss.begin() + i);
  }
  const auto a = validate(model, set, tiny::words(), {}, kNeverStop);
  const auto b = validate(model, smaller, tiny::words(), {}, kNeverStop);
  CHECK(a->cross_entropy == Approx(b->cross_entropy).epsilon(1e-6));
  CHECK(a->target_tokens == b->target_tokens);
}

TEST_CASE("all lines are translated, those outside the loss too, and blank ones by blank ones",
          "[train][validation][property]") {
  auto model = seeded_model();
  auto set = tiny::validation(300);  // more than one chunk
  set.in_loss[3] = false;
  set.pairs[5].source.clear();
  set.in_loss[5] = false;
  // The model's own greedy translations as references give BLEU 100 only if each stands at its place.
  std::vector<std::vector<int32_t>> sources;
  for (const auto& pair : set.pairs) sources.push_back(pair.source);
  const auto found = translate(model, sources, {.search = {.beam_size = 1}});
  for (size_t i = 0; i < found.size(); ++i) set.target[i] = tiny::Words().decode(found[i].n_best.front().ids);
  set.target[5] = "";
  const auto result = validate(model, set, tiny::words(), {.translate = true}, kNeverStop);
  REQUIRE(result);
  CHECK(*result->bleu == Approx(100));
  CHECK(*result->chrf == Approx(100));
  set.target[3] = "something else";
  CHECK(*validate(model, set, tiny::words(), {.translate = true}, kNeverStop)->bleu < 100);
}

TEST_CASE("validation leaves the model's mode, its weights and the random numbers alone",
          "[train][validation][property]") {
  const bool training = GENERATE(true, false);
  auto model = seeded_model();
  const auto untouched = seeded_model();
  model.train(training);
  const auto random = random_state();
  const auto set = tiny::validation(15);
  const auto first = validate(model, set, tiny::words(), {.translate = true}, kNeverStop);
  CHECK(at::equal(random, random_state()));
  CHECK(model.is_training() == training);
  CHECK(tiny::same_weights(model, untouched));
  CHECK(validate(model, set, tiny::words(), {.translate = true}, kNeverStop)->cross_entropy ==
        first->cross_entropy);
}

TEST_CASE("a stop signal drops the validation", "[train][validation][unit]") {
  auto model = seeded_model();
  CHECK_FALSE(validate(model, tiny::validation(5), tiny::words(), {}, [] { return SIGTERM; }));
}

TEST_CASE("without a pair that counts the loss is no number", "[train][validation][unit]") {
  auto model = seeded_model();
  auto set = tiny::validation(2);
  set.in_loss = {false, false};
  CHECK(std::isnan(validate(model, set, tiny::words(), {}, kNeverStop)->cross_entropy));
}

TEST_CASE("the metric picks its value and direction", "[train][validation][unit]") {
  ValidationResult result{.cross_entropy = 2.0, .target_tokens = 1, .bleu = 12.5, .chrf = 30.0};
  CHECK(metric_value(result, "cross-entropy") == 2.0);
  CHECK(metric_value(result, "perplexity") == Approx(7.38905609893));
  CHECK(metric_value(result, "bleu") == 12.5);
  CHECK(higher_is_better("bleu"));
  CHECK_FALSE(higher_is_better("perplexity"));
}
