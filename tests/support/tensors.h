#pragma once

#include <functional>
#include <vector>

#include "catch.h"
#include "torch.h"

namespace gloss {

/// Largest absolute difference; infinite when the shapes differ.
inline double difference(const Tensor& a, const Tensor& b) {
  if (a.sizes() != b.sizes()) return std::numeric_limits<double>::infinity();
  if (a.numel() == 0) return 0.0;
  return (a.to(at::kDouble) - b.to(at::kDouble)).abs().max().item<double>();
}

/// A batch of true lengths as a mask [batch, longest].
inline Tensor mask_of(const Tensor& lengths) {
  return at::arange(lengths.max().item<int64_t>(), at::kLong).unsqueeze(0) < lengths.unsqueeze(1);
}

/// Largest difference between the gradients of f (a scalar function of float64 leaves) and central differences, over
/// every element of every leaf.
inline double gradient_error(const std::function<Tensor()>& f, const std::vector<Tensor>& leaves,
                             double step = 1e-6) {
  for (const auto& leaf : leaves) leaf.mutable_grad() = Tensor();
  f().backward();
  double worst = 0.0;
  for (const auto& leaf : leaves) {
    const auto gradient =
        leaf.grad().defined() ? leaf.grad().flatten().contiguous() : at::zeros({leaf.numel()}, at::kDouble);
    const torch::NoGradGuard no_grad;
    auto flat = leaf.view({-1});
    for (int64_t i = 0; i < flat.numel(); ++i) {
      const double before = flat[i].item<double>();
      flat[i] = before + step;
      const double up = f().item<double>();
      flat[i] = before - step;
      const double down = f().item<double>();
      flat[i] = before;
      const double error = std::abs((up - down) / (2.0 * step) - gradient[i].item<double>());
      worst = std::isfinite(error) ? std::max(worst, error) : std::numeric_limits<double>::infinity();
    }
  }
  return worst;
}

/// Every parameter of a module in float64.
inline std::vector<Tensor> double_parameters(torch::nn::Module& module) {
  module.to(at::kDouble);
  return module.parameters();
}

}  // namespace gloss
