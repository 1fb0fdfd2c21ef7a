#include "kernels/additive_energy.h"
#include "kernels/dropout.h"
#include "kernels/layer_norm.h"
#include "kernels/recurrent_cell.h"
#include "kernels/softmax_loss.h"
#include "support/tensors.h"

using namespace gloss;

namespace {

/// Values and gradients of the float32 kernel path against the float64 stock path, which finite differences check.
void compare_paths(const std::function<Tensor(const std::vector<Tensor>&)>& f, std::vector<Tensor> inputs) {
  std::vector<Tensor> single, twice;
  for (const auto& input : inputs) {
    single.push_back(input.to(at::kFloat).set_requires_grad(true));
    twice.push_back(input.to(at::kDouble).detach().clone().set_requires_grad(true));
  }
  const auto a = f(single), b = f(twice);
  CHECK(difference(a, b) < 1e-5);
  const auto direction = at::randn(b.sizes(), at::kDouble);
  (a * direction.to(at::kFloat)).sum().backward();
  (b * direction).sum().backward();
  for (size_t i = 0; i < inputs.size(); ++i) CHECK(difference(single[i].grad(), twice[i].grad()) < 2e-5);
  CHECK(gradient_error([&] { return (f(twice) * direction).sum(); }, twice) < 1e-6);
}

}  // namespace

TEST_CASE("the gradient check notices a wrong gradient", "[kernels][unit]") {
  auto x = at::ones({2}, at::kDouble).set_requires_grad(true);
  CHECK(gradient_error([&] { return (x * x).sum(); }, {x}) < 1e-6);
  CHECK(gradient_error([&] { return (x * x.detach()).sum(); }, {x}) > 0.5);
}

TEST_CASE("additive energies and their gradients agree with the formula", "[kernels][gradient]") {
  torch::manual_seed(6);
  // Three queries in two steps over the same keys, whose gradients come together.
  compare_paths(
      [](const auto& in) {
        const AdditiveEnergies energies(in[1], in[2]);
        return at::cat({energies(in[0].narrow(1, 0, 1)), energies(in[0].narrow(1, 1, 2))}, 1);
      },
      {at::randn({3, 3, 5}), at::randn({3, 4, 5}), at::randn({5})});
}

TEST_CASE("layer norm and its gradients agree with the formula", "[kernels][gradient]") {
  torch::manual_seed(9);
  const int64_t width = GENERATE(16, 32, 5);  // 5 has no kernel
  compare_paths([](const auto& in) { return layer_norm(in[0], in[1], in[2], 1e-5, in[0].scalar_type()); },
                {at::randn({3, 2, width}) * 3 + 1, at::randn({width}), at::randn({width})});
}

TEST_CASE("layer norm in bf16 is that in float32, rounded at the end", "[kernels][bf16][property]") {
  torch::manual_seed(10);
  const auto x = at::randn({700, 32}).set_requires_grad(true), w = at::randn({32}).set_requires_grad(true),
             b = at::randn({32}).set_requires_grad(true);
  const auto direction = at::randn({700, 32}).to(at::kBFloat16);
  const auto exact = layer_norm(x, w, b, 1e-5, at::kFloat),
             rounded = layer_norm(x, w, b, 1e-5, at::kBFloat16);
  CHECK(at::equal(rounded, exact.to(at::kBFloat16)));
  const auto expected = torch::autograd::grad({exact}, {x, w, b}, {direction.to(at::kFloat)}),
             got = torch::autograd::grad({rounded}, {x, w, b}, {direction});
  for (size_t i = 0; i < got.size(); ++i) CHECK(difference(got[i], expected[i]) < 1e-4);
}

TEST_CASE("GRU gates and their gradients agree with the formula", "[kernels][gradient]") {
  torch::manual_seed(7);
  compare_paths([](const auto& in) { return gru_gates(in[0], in[1], in[2]); },
                {at::randn({3, 12}), at::randn({3, 12}), at::randn({3, 4})});
}

TEST_CASE("LSTM gates and their gradients agree with the formula", "[kernels][gradient]") {
  torch::manual_seed(8);
  compare_paths(
      [](const auto& in) {
        const auto next = lstm_gates(in[0], in[1]);
        return at::cat({next.hidden, next.cell}, 1);
      },
      {at::randn({3, 16}), at::randn({3, 4})});
}

TEST_CASE("GRU gates are LibTorch's GRU cell", "[kernels][property]") {
  torch::manual_seed(9);
  const auto x = at::randn({4, 6}), h = at::randn({4, 5}), W = at::randn({15, 6}), U = at::randn({15, 5}),
             b = at::randn({15}), c = at::randn({15});
  CHECK(difference(gru_gates(at::linear(x, W, b), at::linear(h, U, c), h), at::gru_cell(x, h, W, U, b, c)) <
        1e-6);
}

TEST_CASE("LSTM gates are LibTorch's LSTM cell", "[kernels][property]") {
  torch::manual_seed(10);
  const auto x = at::randn({4, 6}), h = at::randn({4, 5}), cell = at::randn({4, 5}), W = at::randn({20, 6}),
             U = at::randn({20, 5}), b = at::randn({20});
  const auto zero = at::zeros({20});
  const auto [hidden, next] = at::lstm_cell(x, {h, cell}, W, U, b, zero);
  const auto ours = lstm_gates(at::linear(x, W, b) + at::linear(h, U), cell);
  CHECK(difference(ours.hidden, hidden) < 1e-6);
  CHECK(difference(ours.cell, next) < 1e-6);
}

TEST_CASE("dropout keeps the expected share and the mean", "[kernels][property]") {
  torch::manual_seed(11);
  const auto p = GENERATE(0.1, 0.3, 0.5, 0.9);
  const auto y = seeded_dropout(at::ones({200000}), p, true);
  CHECK(y.eq(0).to(at::kDouble).mean().item<double>() == Approx(p).margin(0.005));
  CHECK(y.mean().item<double>() == Approx(1.0).margin(0.03));
  CHECK(at::logical_or(y.eq(0), (y - 1.0 / (1.0 - p)).abs() < 1e-5).all().item<bool>());
}

TEST_CASE("dropout decisions of neighbours are independent", "[kernels][property]") {
  torch::manual_seed(12);
  const auto kept = seeded_dropout(at::ones({1 << 18}), 0.5, true).ne(0).to(at::kDouble) - 0.5;
  for (const int64_t lag : {1, 2, 7, 16, 64, 256, 1024}) {
    const auto correlation =
        4.0 * (kept.slice(0, lag) * kept.slice(0, 0, kept.size(0) - lag)).mean().item<double>();
    CHECK(std::abs(correlation) < 0.01);
  }
}

TEST_CASE("dropout passes the gradient where it passed the value", "[kernels][gradient]") {
  torch::manual_seed(13);
  auto x = at::ones({5000}).set_requires_grad(true);
  const auto y = seeded_dropout(x, 0.4, true);
  y.sum().backward();
  CHECK(at::equal(x.grad(), y.detach()));
}

TEST_CASE("dropout is the identity outside training", "[kernels][unit]") {
  const auto x = at::randn({10});
  CHECK(seeded_dropout(x, 0.5, false).is_same(x));
  CHECK(seeded_dropout(x, 0.0, true).is_same(x));
}

TEST_CASE("dropout with a residual is dropout and a sum, in values and gradients", "[kernels][property]") {
  const auto type = GENERATE(at::kFloat, at::kBFloat16);
  torch::manual_seed(18);
  const auto residual = at::randn({300}).set_requires_grad(true);
  const auto x = at::randn({300}).to(type).set_requires_grad(true);
  const auto y = dropout_add(residual, x, 0.4, true);
  const auto kept = y.detach().ne(residual.detach());
  CHECK(kept.to(at::kDouble).mean().item<double>() == Approx(0.6).margin(0.1));
  CHECK(difference(y, residual + x.to(at::kFloat) * kept / 0.6) < 1e-5);
  const auto direction = at::randn({300});
  (y * direction).sum().backward();
  CHECK(at::equal(residual.grad(), direction));
  CHECK(x.grad().scalar_type() == type);
  CHECK(difference(x.grad(), (direction * kept / 0.6).to(type)) < (type == at::kFloat ? 1e-5 : 0.05));
  CHECK(difference(dropout_add(residual, x, 0.4, false), residual + x) == 0.0);
}

TEST_CASE("dropout masks repeat with the seed and differ between calls", "[kernels][property]") {
  const auto x = at::ones({1000});
  torch::manual_seed(14);
  const auto first = seeded_dropout(x, 0.5, true), second = seeded_dropout(x, 0.5, true);
  torch::manual_seed(14);
  CHECK(at::equal(seeded_dropout(x, 0.5, true), first));
  CHECK_FALSE(at::equal(first, second));
}

TEST_CASE("the row loss agrees between the kernel and stock operators", "[kernels][property]") {
  torch::manual_seed(15);
  const bool with_gradient = GENERATE(false, true);
  auto single = at::randn({6, 11});
  auto twice = single.to(at::kDouble);
  const auto target = at::randint(0, 11, {6}, at::kLong);
  const auto bias = at::randn({11});
  const auto a = softmax_loss_(single, bias, target, 0.1, 0.5, with_gradient),
             b = softmax_loss_(twice, bias.to(at::kDouble), target, 0.1, 0.5, with_gradient);
  CHECK(a.loss.item<double>() == Approx(b.loss.item<double>()).epsilon(1e-5));
  CHECK(a.nll.item<double>() == Approx(b.nll.item<double>()).epsilon(1e-5));
  if (with_gradient) CHECK(difference(single, twice) < 1e-6);
}
