#include "kernels/bf16_loss.h"

#include "kernels/bf16_blocks.h"
#include "support/tensors.h"

using namespace gloss;

namespace {

double relative(const Tensor& a, const Tensor& b) {
  return ((a.to(at::kDouble) - b.to(at::kDouble)).norm() / b.to(at::kDouble).norm().clamp_min(1e-12))
      .item<double>();
}

}  // namespace

TEST_CASE("packed matrices hold pairs of rows side by side, zeros around them", "[kernels][bf16][unit]") {
  const auto type = GENERATE(at::kFloat, at::kBFloat16);
  const int64_t k = GENERATE(1, 2, 63, 130), n = GENERATE(1, 64, 70);
  const auto matrix = at::arange(k * n, at::kFloat).remainder(251).view({k, n}).to(type);
  for (const auto& packed : {pack(matrix), pack_transposed(matrix.t().contiguous())}) {
    CHECK(packed.k == whole_blocks(k));
    CHECK(packed.n == whole_blocks(n));
    const auto rows = packed.data.permute({1, 3, 0, 2}).reshape({packed.k, packed.n});
    CHECK(at::equal(rows.narrow(0, 0, k).narrow(1, 0, n), matrix.to(at::kBFloat16)));
    CHECK(at::equal(transposed_rows(packed, n), rows.t().narrow(0, 0, n)));
    CHECK(rows.to(at::kFloat).sum().item<double>() == matrix.to(at::kDouble).sum().item<double>());
  }
}

// Rows around the blocks of 64 and groups of 256, classes around the blocks of 64.
TEST_CASE("the blockwise loss is the formula's in float64 within the rounding of bf16, with its gradients",
          "[kernels][bf16][property]") {
  if (!has_bf16_blocks()) {
    WARN("this CPU has no bf16 units: not tested here");
    return;
  }
  torch::manual_seed(3);
  const int64_t rows = GENERATE(1, 63, 64, 129, 256, 300), classes = GENERATE(3, 64, 203);
  const double smoothing = GENERATE(0.0, 0.1), scale = 1.0 / 7.0;
  CAPTURE(rows, classes, smoothing);
  const auto h = at::randn({rows, 64}).to(at::kBFloat16).to(at::kFloat);
  const auto w = (at::randn({classes, 64}) * 0.2).to(at::kBFloat16).to(at::kFloat);
  const auto b = at::randn({classes});
  const auto y = at::randint(0, classes, {rows}, at::kLong);

  const auto H = h.to(at::kDouble).set_requires_grad(true), W = w.to(at::kDouble).set_requires_grad(true),
             B = b.to(at::kDouble).set_requires_grad(true);
  const auto log_p = at::log_softmax(at::linear(H, W, B), 1);
  const auto nll = -log_p.gather(1, y.unsqueeze(1)).sum();
  const auto loss = (1 - smoothing) * nll - smoothing * log_p.mean(1).sum();
  (loss * scale).backward();

  const auto got = bf16_output_loss(h, w, b, y, smoothing, scale, /*with_gradient=*/true);
  const double per_row = 5e-3 * static_cast<double>(rows);
  CHECK(got.loss.item<double>() == Approx(loss.item<double>()).margin(per_row));
  CHECK(got.nll.item<double>() == Approx(nll.item<double>()).margin(per_row));
  CHECK(relative(got.dhidden, H.grad()) < 0.01);
  CHECK(relative(got.dweight, W.grad()) < 0.01);
  CHECK(relative(got.dbias, B.grad()) < 0.01);

  const auto without = bf16_output_loss(h, w, b, y, smoothing, scale, /*with_gradient=*/false);
  CHECK(without.loss.item<double>() == Approx(got.loss.item<double>()).epsilon(1e-6));
  CHECK_FALSE(without.dhidden.defined());
}
