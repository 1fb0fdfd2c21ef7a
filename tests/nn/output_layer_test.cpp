#include "nn/output_layer.h"

#include "core/special_tokens.h"
#include "support/tensors.h"

using namespace gloss;

namespace {

/// The formula spelled out over [tokens, vocabulary] in float64.
Tensor naive_loss(OutputLayer& layer, const Tensor& hidden, const Tensor& target, double smoothing,
                  double normalizer) {
  const auto log_p = at::log_softmax(layer->logits(hidden), -1).flatten(0, -2);
  const auto y = target.flatten();
  const auto token =
      -(1.0 - smoothing) * log_p.gather(1, y.unsqueeze(1)).squeeze(1) - smoothing * log_p.mean(-1);
  return (token * y.ne(kPad)).sum() / normalizer;
}

OutputLayer make(int64_t width, int64_t vocabulary, at::ScalarType type) {
  torch::manual_seed(31);
  OutputLayer layer(width, vocabulary);
  {
    const torch::NoGradGuard no_grad;
    layer->bias.normal_();
  }
  layer->to(type);
  return layer;
}

}  // namespace

TEST_CASE("the chunked loss equals the naive formula, values and gradients, with padding",
          "[nn][loss][property]") {
  const auto type = GENERATE(at::kFloat, at::kDouble);
  const auto smoothing = GENERATE(0.0, 0.1);
  auto layer = make(6, 13, type);
  auto reference = make(6, 13, at::kDouble);
  const auto target = at::tensor({5, 7, 3, 0, 9, 3, 0, 0}, at::kLong).view({2, 4});
  torch::manual_seed(32);
  auto hidden = at::randn({2, 4, 6}, type).set_requires_grad(true);
  auto copy = hidden.detach().to(at::kDouble).clone().set_requires_grad(true);

  const auto sums = layer->loss(hidden, target, smoothing, 5.0);
  const auto expected = naive_loss(reference, copy, target, smoothing, 5.0);
  sums.loss.backward();
  expected.backward();
  const double tolerance = type == at::kFloat ? 1e-5 : 1e-10;
  CHECK(difference(sums.loss, expected) < tolerance);
  CHECK(difference(hidden.grad(), copy.grad()) < tolerance);
  CHECK(difference(layer->weight.grad(), reference->weight.grad()) < tolerance);
  CHECK(difference(layer->bias.grad(), reference->bias.grad()) < tolerance);
  const auto nll = naive_loss(reference, copy, target, 0.0, 1.0);
  CHECK(difference(sums.nll, nll) < 1e-4);
}

TEST_CASE("the loss of many chunks is that of one", "[nn][loss][property]") {
  // A chunk is 30 MiB of logits, 157 rows of a vocabulary of 50,000, so that 450 rows are cut in three.
  auto layer = make(2, 50000, at::kFloat);
  torch::manual_seed(33);
  auto hidden = at::randn({450, 2}).set_requires_grad(true);
  const auto target = at::randint(1, 50000, {450}, at::kLong);
  const auto sums = layer->loss(hidden, target, 0.1, 450.0);
  sums.loss.backward();
  auto reference = make(2, 50000, at::kFloat);
  auto other = hidden.detach().clone().set_requires_grad(true);
  auto total = at::zeros({});
  for (int64_t i = 0; i < 450; i += 50)
    total = total + reference->loss(other.narrow(0, i, 50), target.narrow(0, i, 50), 0.1, 450.0).loss;
  total.backward();
  CHECK(difference(sums.loss, total) < 1e-5);
  CHECK(difference(hidden.grad(), other.grad()) < 1e-6);
  CHECK(difference(layer->weight.grad(), reference->weight.grad()) < 1e-5);
}

TEST_CASE("label smoothing spreads over all classes and leaves padding out", "[nn][loss][unit]") {
  // Three tokens and one padded row, ε = 0.1, uniform over all five classes: PyTorch's cross_entropy with ignore_index.
  OutputLayer layer(5, 5);
  const torch::NoGradGuard no_grad;
  layer->weight.copy_(at::eye(5));
  layer->to(at::kDouble);
  const auto logits = at::tensor({2.0,  -1.0, 0.5, 0.0, 1.0,  0.1, 0.2,  0.3, 0.4,  0.5,
                                  -3.0, 4.0,  0.0, 1.0, -1.0, 9.0, -9.0, 3.0, -3.0, 0.0},
                                 at::kDouble)
                          .view({4, 5});
  const auto target = at::tensor({4, 2, 1, 0}, at::kLong);
  const auto sums = layer->loss(logits, target, 0.1, 3.0);
  CHECK(sums.loss.item<double>() == Approx(1.2322915738).epsilon(1e-9));
  CHECK(sums.nll.item<double>() == Approx(3.2668747215).epsilon(1e-9));
  CHECK(layer->loss(logits, target, 0.0, 3.0).loss.item<double>() == Approx(1.0889582405).epsilon(1e-9));
}

TEST_CASE("the loss gradient agrees with finite differences", "[nn][loss][gradient]") {
  auto layer = make(3, 7, at::kDouble);
  torch::manual_seed(34);
  auto hidden = at::randn({2, 2, 3}, at::kDouble).set_requires_grad(true);
  const auto target = at::tensor({3, 0, 6, 2}, at::kLong).view({2, 2});
  CHECK(gradient_error([&] { return layer->loss(hidden, target, 0.1, 3.0).loss * 2.5; },
                       {hidden, layer->weight, layer->bias}) < 1e-6);
}

TEST_CASE("a batch of padding alone has zero loss and zero gradients", "[nn][loss][unit]") {
  auto layer = make(3, 7, at::kFloat);
  auto hidden = at::randn({1, 2, 3}).set_requires_grad(true);
  const auto sums = layer->loss(hidden, at::zeros({1, 2}, at::kLong), 0.1, 1.0);
  sums.loss.backward();
  CHECK(sums.loss.item<float>() == 0.0F);
  CHECK(hidden.grad().eq(0).all().item<bool>());
}

TEST_CASE("best gives the most probable words with their log-probabilities", "[nn][unit]") {
  auto layer = make(4, 9, at::kDouble);
  const auto hidden = at::randn({2, 3, 4}, at::kDouble);
  const auto log_p = at::log_softmax(layer->logits(hidden), -1);
  const auto [values, ids] = log_p.sort(-1, /*descending=*/true);
  const auto best = layer->best(hidden, 4);
  CHECK(at::equal(best.ids, ids.slice(-1, 0, 4)));
  CHECK(difference(best.log_probability, values.slice(-1, 0, 4)) < 1e-12);
  CHECK(layer->best(hidden, 100).ids.size(-1) == 9);
}

TEST_CASE("log_probability reads the given words and is 0 at padding", "[nn][unit]") {
  auto layer = make(4, 9, at::kDouble);
  const auto hidden = at::randn({2, 2, 4}, at::kDouble);
  const auto target = at::tensor({5, 0, 1, 8}, at::kLong).view({2, 2});
  const auto expected =
      at::log_softmax(layer->logits(hidden), -1).gather(-1, target.unsqueeze(-1)).squeeze(-1) *
      target.ne(kPad);
  CHECK(difference(layer->log_probability(hidden, target), expected) < 1e-12);
}

TEST_CASE("a tied output layer owns no weight of its own", "[nn][unit]") {
  const auto embedding = at::randn({9, 4}).set_requires_grad(true);
  OutputLayer layer(4, 9, embedding);
  CHECK(layer->named_parameters().size() == 1);
  CHECK(layer->weight.is_same(embedding));
}
