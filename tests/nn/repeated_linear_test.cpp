#include "nn/repeated_linear.h"

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
