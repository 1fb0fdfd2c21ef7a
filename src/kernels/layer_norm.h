#pragma once

#include "torch.h"

namespace gloss {

/// (x - mean)/√(variance + ε)·w + b over the last axis, differentiable (Ba, Kiros, Hinton 2016).
/// \param x [..., width]  \param type of the result: that of x, or bfloat16, rounded from float32, for a product that
///   takes its input so
Tensor layer_norm(const Tensor& x, const Tensor& weight, const Tensor& bias, double epsilon,
                  at::ScalarType type);

}  // namespace gloss
