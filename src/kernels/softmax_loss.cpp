#include "kernels/softmax_loss.h"

#include <vector>

#include "kernels/cpu_kernels.h"

namespace gloss {
namespace {

RowLosses stock(Tensor& logits, const Tensor& bias, const Tensor& target, double smoothing, double scale,
                bool with_gradient) {
  const bool is_double = logits.scalar_type() == at::kDouble;
  const auto log_p = at::log_softmax(logits.to(is_double ? at::kDouble : at::kFloat) + bias, -1);
  const auto y = target.unsqueeze(1);
  const auto nll = -log_p.gather(1, y).sum(at::kDouble);
  const auto loss = (1.0 - smoothing) * nll - smoothing * log_p.mean(-1).sum(at::kDouble);
  if (with_gradient) {
    auto gradient = log_p.exp().sub_(smoothing / static_cast<double>(logits.size(1)));
    gradient.scatter_add_(1, y, at::full_like(y, -(1.0 - smoothing), gradient.options()));
    logits.copy_(gradient.mul_(scale));
  }
  return {loss, nll};
}

}  // namespace

RowLosses softmax_loss_(Tensor& logits, const Tensor& bias, const Tensor& target, double smoothing,
                        double scale, bool with_gradient) {
  const bool is_bf16 = logits.scalar_type() == at::kBFloat16;
  if (!logits.is_cpu() || !logits.is_contiguous() || (!is_bf16 && logits.scalar_type() != at::kFloat))
    return stock(logits, bias, target, smoothing, scale, with_gradient);
  const auto rows = logits.size(0);
  const auto classes = logits.size(1);
  auto sums = at::empty({2, rows}, logits.options().dtype(at::kDouble));
  const auto* b = bias.const_data_ptr<float>();
  const auto* y = target.const_data_ptr<int64_t>();
  auto* loss = sums.mutable_data_ptr<double>();
  auto* nll = loss + rows;
  const auto epsilon = static_cast<float>(smoothing);
  const auto factor = static_cast<float>(scale);
  if (is_bf16) {
    auto* data = reinterpret_cast<uint16_t*>(logits.mutable_data_ptr<at::BFloat16>());
    at::parallel_for(0, rows, 8, [&](int64_t begin, int64_t end) {
      std::vector<float> scratch(static_cast<size_t>(classes));
      for (int64_t row = begin; row < end; ++row)
        cpu_kernels().softmax_loss_bf16(data + row * classes, b, classes, y[row], epsilon, factor,
                                        with_gradient, loss + row, nll + row, scratch.data());
    });
  } else {
    auto* data = logits.mutable_data_ptr<float>();
    at::parallel_for(0, rows, 8, [&](int64_t begin, int64_t end) {
      for (int64_t row = begin; row < end; ++row)
        cpu_kernels().softmax_loss(data + row * classes, b, classes, y[row], epsilon, factor, with_gradient,
                                   loss + row, nll + row);
    });
  }
  const auto totals = sums.sum(1);
  return {totals[0], totals[1]};
}

}  // namespace gloss
