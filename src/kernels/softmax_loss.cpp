#include "kernels/softmax_loss.h"

#include "kernels/cpu_kernels.h"

namespace gloss {
namespace {

RowLosses stock(Tensor& logits, const Tensor& bias, const Tensor& target, double smoothing, double scale,
                bool with_gradient) {
  const auto log_p = at::log_softmax(logits.add_(bias), -1);
  const auto y = target.unsqueeze(1);
  const auto nll = -log_p.gather(1, y).sum(at::kDouble);
  const auto loss = (1.0 - smoothing) * nll - smoothing * log_p.mean(-1).sum(at::kDouble);
  if (with_gradient) {
    logits.copy_(log_p).exp_().sub_(smoothing / static_cast<double>(logits.size(1)));
    logits.scatter_add_(1, y, at::full_like(y, -(1.0 - smoothing), logits.options())).mul_(scale);
  }
  return {loss, nll};
}

}  // namespace

RowLosses softmax_loss_(Tensor& logits, const Tensor& bias, const Tensor& target, double smoothing,
                        double scale, bool with_gradient) {
  if (!logits.is_cpu() || logits.scalar_type() != at::kFloat || !logits.is_contiguous())
    return stock(logits, bias, target, smoothing, scale, with_gradient);
  const auto rows = logits.size(0);
  const auto classes = logits.size(1);
  auto sums = at::empty({2, rows}, logits.options().dtype(at::kDouble));
  auto* data = logits.mutable_data_ptr<float>();
  const auto* b = bias.const_data_ptr<float>();
  const auto* y = target.const_data_ptr<int64_t>();
  auto* loss = sums.mutable_data_ptr<double>();
  at::parallel_for(0, rows, 8, [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row)
      cpu_kernels().softmax_loss(data + row * classes, b, classes, y[row], static_cast<float>(smoothing),
                                 static_cast<float>(scale), with_gradient, loss + row, loss + rows + row);
  });
  const auto totals = sums.sum(1);
  return {totals[0], totals[1]};
}

}  // namespace gloss
