#pragma once

#include "kernels/layer_norm.h"
#include "nn/precision.h"
#include "torch.h"

namespace gloss {

/// Normalises over the last axis (kernels/layer_norm.h).
class LayerNormImpl : public torch::nn::Module {
 public:
  explicit LayerNormImpl(int64_t width)
      : weight(register_parameter("weight", at::ones({width}))),
        bias(register_parameter("bias", at::zeros({width}))) {}

  Tensor forward(const Tensor& x) { return layer_norm(x, weight, bias, kEpsilon, x.scalar_type()); }

  /// for_products (precision.h) of the norm, in one pass
  Tensor for_products(const Tensor& x) {
    return layer_norm(x, weight, bias, kEpsilon, x.is_cpu() ? product_type(x) : x.scalar_type());
  }

  Tensor weight, bias;  ///< [width]

 private:
  static constexpr double kEpsilon = 1e-5;
};
TORCH_MODULE(LayerNorm);

}  // namespace gloss
