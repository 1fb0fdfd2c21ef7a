#include "nn/repeated_linear.h"

#include <functional>

#include "support/bf16.h"
#include "support/tensors.h"

using namespace gloss;

TEST_CASE("a layer repeated over steps has the values and gradients of the plain one", "[nn][gradient]") {
  torch::manual_seed(4);
  const bool has_bias = GENERATE(true, false);
  const auto weight = at::randn({4, 4}, at::kDouble).set_requires_grad(true),
             bias = has_bias ? at::randn({4}, at::kDouble).set_requires_grad(true) : Tensor(),
             first = at::randn({5, 4}, at::kDouble).set_requires_grad(true);
  // Three steps, each on the outcome of the last; fewer rows later, as in a packed sequence, and one step that the result
  // doesn't hang on.
  const auto run = [&](const std::function<Tensor(const Tensor&)>& layer) {
    const auto second = at::tanh(layer(first));
    layer(second * 2);
    return layer(at::tanh(layer(second.narrow(0, 0, 3))));
  };
  std::vector<Tensor> leaves{weight, first};
  if (has_bias) leaves.push_back(bias);
  const RepeatedLinear repeated(weight, bias);
  const auto got = run(repeated), expected = run([&](const Tensor&x) { return at::linear(x, weight, bias); });
  CHECK(difference(got, expected) < 1e-12);
  const auto direction = at::randn({3, 4}, at::kDouble);
  const auto got_gradients = torch::autograd::grad({got}, leaves, {direction}),
             expected_gradients = torch::autograd::grad({expected}, leaves, {direction});
  for (size_t i = 0; i < leaves.size(); ++i)
    CHECK(difference(got_gradients[i], expected_gradients[i]) < 1e-12);
}

TEST_CASE("a repeated layer that nothing hangs on, or without gradients, is the plain one", "[nn][unit]") {
  const auto weight = at::randn({2, 3}).set_requires_grad(true);
  const auto x = at::randn({4, 3});
  const RepeatedLinear unused(weight);
  const auto y = unused(x);
  const auto other = (weight * 2).sum();
  CHECK_NOTHROW(other.backward());
  const at::NoGradGuard no_grad;
  CHECK(at::equal(RepeatedLinear(weight)(x), at::linear(x, weight)));
  CHECK(difference(y, at::linear(x, weight)) < 1e-6);
}

TEST_CASE("a backward pass that does not ask for a repeated layer's weight leaves nothing for the next one",
          "[nn][gradient]") {
  torch::manual_seed(7);
  const auto weight = at::randn({2, 3}, at::kDouble).set_requires_grad(true),
             x = at::randn({4, 3}, at::kDouble).set_requires_grad(true);
  const auto y = RepeatedLinear(weight)(x).square().sum();
  torch::autograd::grad({y}, {x}, {}, /*retain_graph=*/true);
  const auto got = torch::autograd::grad({y}, {weight}),
             expected = torch::autograd::grad({at::linear(x, weight).square().sum()}, {weight});
  CHECK(difference(got[0], expected[0]) < 1e-12);
}

TEST_CASE("a layer with a matrix for each sentence has the values and gradients of the plain product",
          "[nn][gradient]") {
  torch::manual_seed(5);
  const auto weight = at::randn({2, 4, 3}, at::kDouble).set_requires_grad(true),
             first = at::randn({2, 1, 3}, at::kDouble).set_requires_grad(true);
  const auto run = [&](const std::function<Tensor(const Tensor&)>& layer) {
    const auto second = at::tanh(layer(first)).narrow(2, 0, 3);
    return layer(at::cat({second, first * 2}, 1));
  };
  const auto got = run(RepeatedLinear(weight)),
             expected = run([&](const Tensor&x) { return at::bmm(x, weight.transpose(1, 2)); });
  CHECK(difference(got, expected) < 1e-12);
  const auto direction = at::randn({2, 2, 4}, at::kDouble);
  const auto got_gradients = torch::autograd::grad({got}, {weight, first}, {direction}),
             expected_gradients = torch::autograd::grad({expected}, {weight, first}, {direction});
  for (size_t i = 0; i < 2; ++i) CHECK(difference(got_gradients[i], expected_gradients[i]) < 1e-12);
}

TEST_CASE("a repeated layer in bf16 is the float32 one within rounding, with its gradients",
          "[nn][bf16][property]") {
  if (!has_bf16()) return;
  torch::manual_seed(6);
  const int64_t width = GENERATE(64, 40);
  const auto weight = (at::randn({width, width}) / 8).set_requires_grad(true),
             bias = at::randn({width}).set_requires_grad(true),
             first = at::randn({150, width}).set_requires_grad(true);
  const auto direction = at::randn({130, width});
  std::vector<std::vector<Tensor>> results;
  for (const std::string precision : {"float32", "bf16"}) {
    const PrecisionGuard guard(precision, at::kCPU);
    const RepeatedLinear layer(weight, bias);
    const auto y = layer(at::tanh(layer(first)).narrow(0, 0, 130));
    CHECK(y.scalar_type() == at::kFloat);
    results.push_back(torch::autograd::grad({y}, {weight, bias, first}, {direction}));
    results.back().push_back(y);
  }
  for (size_t i = 0; i < results[0].size(); ++i) {
    const auto &exact = results[0][i], &rounded = results[1][i];
    CHECK(rounded.scalar_type() == at::kFloat);
    CHECK(((rounded - exact).norm() / exact.norm()).item<double>() < 0.015);
    CHECK_FALSE(at::equal(rounded, exact));
  }
}
