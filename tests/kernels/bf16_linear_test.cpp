#include "kernels/bf16_linear.h"

#include "support/tensors.h"

using namespace gloss;

// Correct on any CPU, only slow without bf16 units. Row counts around the blocks that the products are made of.

namespace {

double relative(const Tensor& a, const Tensor& b) {
  return ((a.to(at::kDouble) - b.to(at::kDouble)).norm() / b.to(at::kDouble).norm()).item<double>();
}

}  // namespace

TEST_CASE("a bf16 linear layer is the float32 one within rounding, with its gradients",
          "[kernels][bf16][property]") {
  torch::manual_seed(22);
  const int64_t rows = GENERATE(1, 16, 17, 511, 512, 513, 1300);
  const bool has_bias = GENERATE(true, false);
  INFO(rows << (has_bias ? " rows with bias" : " rows"));
  const auto x = at::randn({rows, 24}).set_requires_grad(true),
             w = at::randn({10, 24}).set_requires_grad(true);
  const auto b = has_bias ? at::randn({10}).set_requires_grad(true) : Tensor();
  const auto direction = at::randn({rows, 10});
  std::vector<std::vector<Tensor>> results;
  for (const bool is_bf16 : {false, true}) {
    for (const auto& leaf : {x, w, b})
      if (leaf.defined()) leaf.mutable_grad() = Tensor();
    const auto y = is_bf16 ? bf16_linear(x, w, b) : at::linear(x, w, b);
    CHECK(y.scalar_type() == at::kFloat);
    (y.to(at::kFloat) * direction).sum().backward();
    results.push_back({y, x.grad(), w.grad()});
    if (has_bias) results.back().push_back(b.grad());
  }
  for (size_t i = 0; i < results[0].size(); ++i) {
    CHECK(relative(results[1][i], results[0][i]) < 0.01);
    if (i > 0) CHECK(results[1][i].scalar_type() == at::kFloat);
  }
}

TEST_CASE("a bf16 layer keeps the shape and the number type of its input, in the gradient too",
          "[kernels][bf16][unit]") {
  const auto x = at::randn({2, 3, 8}).to(at::kBFloat16).set_requires_grad(true),
             w = at::randn({4, 8}).set_requires_grad(true);
  const auto y = bf16_linear(x, w, {});
  CHECK(y.sizes() == at::IntArrayRef({2, 3, 4}));
  CHECK(y.scalar_type() == at::kBFloat16);
  y.sum().backward();
  CHECK(x.grad().sizes() == x.sizes());
  CHECK(x.grad().scalar_type() == at::kBFloat16);
}
