#pragma once

#include "torch.h"

namespace gloss {

/// (x - mean)/√(variance + ε)·w + b over the last axis (Ba, Kiros, Hinton 2016). LibTorch's own without the headers of
/// all its other layers.
class LayerNormImpl : public torch::nn::Module {
 public:
  explicit LayerNormImpl(int64_t width)
      : weight(register_parameter("weight", at::ones({width}))),
        bias(register_parameter("bias", at::zeros({width}))) {}

  Tensor forward(const Tensor& x) { return at::layer_norm(x, weight.sizes(), weight, bias, 1e-5); }

  Tensor weight, bias;  ///< [width]
};
TORCH_MODULE(LayerNorm);

}  // namespace gloss
