#pragma once

#include "torch.h"

namespace gloss {

/// x W^T + b in bfloat16 on a CPU, differentiable; products and gradients of the weights are summed in float32.
/// Made of few shapes of products: LibTorch's library compiles code for every shape it meets, and keeps it, which with
/// batches of all sizes takes longer than the products, and a gigabyte.
/// \param x [..., in] of any type  \param weight [out, in] float32  \param bias [out] float32 or undefined
Tensor bf16_linear(const Tensor& x, const Tensor& weight, const Tensor& bias);

}  // namespace gloss
