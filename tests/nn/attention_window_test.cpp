#include "nn/attention.h"
#include "nn/linear.h"
#include "support/tensors.h"

using namespace gloss;

namespace {

/// The local-p window with its centre set by hand: W = 0 makes v useless, so v and W are chosen to give S·σ(a).
std::shared_ptr<WindowImpl> predictive(int64_t half_width, double centre, double length) {
  auto window = make_window("local-p", {.query = 1, .half_width = half_width});
  const torch::NoGradGuard no_grad;
  window->named_parameters()["W.weight"].fill_(100.0);  // tanh(100·1) = 1
  window->named_parameters()["v.weight"].fill_(std::log(centre / (length - centre)));
  window->to(at::kDouble);
  return window;
}

Tensor local_weights(WindowImpl& window, const Tensor& energies, const Tensor& lengths) {
  const auto query = at::ones({energies.size(0), energies.size(1), 1}, at::kDouble);
  const auto positions = at::zeros({energies.size(0), energies.size(1)}, at::kLong);
  const auto view = window.forward(query, positions, lengths, energies.size(2));
  const auto real = (at::arange(energies.size(2)).unsqueeze(0) < lengths.unsqueeze(1)).unsqueeze(1);
  return masked_softmax(energies, at::logical_and(view.allowed, real)) * view.factor;
}

}  // namespace

TEST_CASE("local-p: window cut at the sentence, softmax inside it, then the Gaussian", "[nn][window][unit]") {
  // By numpy: centre 3.6, D = 2, so the window is 1..4 and σ = 1.
  const auto energies = at::tensor({0.2, 1.0, -0.5, 0.7, 0.1}, at::kDouble).view({1, 1, 5});
  const auto window = predictive(2, 3.6, 5.0);
  const auto weights = local_weights(*window, energies, at::tensor({5}, at::kLong));
  const auto expected =
      at::tensor({0.0, 0.014363, 0.026171, 0.261033, 0.158325}, at::kDouble).view({1, 1, 5});
  CHECK(difference(weights, expected) < 2e-6);
  CHECK(weights.sum().item<double>() == Approx(0.459891).margin(2e-6));
}

TEST_CASE("local-p is finite with its centre at either end, short sources and padding",
          "[nn][window][property]") {
  const auto centre = GENERATE(0.001, 0.5, 1.0, 1.999);
  const auto window = predictive(GENERATE(1, 2, 10), centre, 2.0);
  const auto weights =
      local_weights(*window, at::randn({2, 3, 7}, at::kDouble), at::tensor({2, 7}, at::kLong));
  CHECK(at::isfinite(weights).all().item<bool>());
  CHECK(weights[0].slice(1, 2).eq(0).all().item<bool>());
  CHECK((weights.sum(-1) <= 1.0 + 1e-12).all().item<bool>());
  CHECK((weights.sum(-1) > 0.0).all().item<bool>());
}

TEST_CASE("local-p with zero parameters looks at the middle", "[nn][window][unit]") {
  auto window = make_window("local-p", {.query = 3, .half_width = 2});
  const torch::NoGradGuard no_grad;
  for (auto& parameter : window->parameters()) parameter.zero_();
  const auto view =
      window->forward(at::randn({1, 1, 3}), at::zeros({1, 1}, at::kLong), at::tensor({8}, at::kLong), 8);
  // p = S/2 = 4: window 2..6, the factor is 1 there and falls by exp(-1/2) at distance σ = 1.
  CHECK(at::equal(view.allowed.view({8}), at::tensor({0, 0, 1, 1, 1, 1, 1, 0}, at::kLong).to(at::kBool)));
  CHECK(view.factor[0][0][4].item<double>() == Approx(1.0));
  CHECK(view.factor[0][0][5].item<double>() == Approx(std::exp(-0.5)));
}

TEST_CASE("local-m looks around the target's own position and stays inside the sentence",
          "[nn][window][unit]") {
  auto window = make_window("local-m", {.query = 3, .half_width = 1});
  const auto positions = at::tensor({0, 2, 9}, at::kLong).view({1, 3});
  const auto allowed =
      window->forward(at::zeros({1, 3, 3}), positions, at::tensor({4}, at::kLong), 5).allowed.to(at::kLong);
  CHECK(at::equal(allowed[0],
                  at::tensor({1, 1, 0, 0, 0, 0, 1, 1, 1, 0, 0, 0, 1, 1, 1}, at::kLong).view({3, 5})));
}

TEST_CASE("an unknown window is refused with the list of names", "[nn][window][unit]") {
  CHECK_THROWS_WITH(make_window("local", {.query = 1, .half_width = 1}),
                    Catch::Contains("global, local-m, local-p"));
}
