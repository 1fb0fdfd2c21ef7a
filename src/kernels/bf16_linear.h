#pragma once

#include "torch.h"

namespace gloss {

/// Products in bfloat16 on a CPU, made of few shapes. LibTorch's library compiles code for every shape it meets, and
/// keeps it: with batches of all sizes that takes longer than the products, and a gigabyte.

/// x W^T + b in bfloat16, differentiable; gradients of the weights are summed in float32.
/// \param x [..., in] of any type  \param weight [out, in] float32  \param bias [out] float32 or undefined
Tensor bf16_linear(const Tensor& x, const Tensor& weight, const Tensor& bias);

/// out = a·b.  \param a [rows, k]  \param b [k, n]  \param out [rows, n], all bfloat16
void bf16_product(const Tensor& out, const Tensor& a, const Tensor& b);

/// out += a^T·b, summed in float32.  \param a [rows, m]  \param b [rows, n], bfloat16  \param out [m, n] float32
void add_bf16_product(const Tensor& out, const Tensor& a, const Tensor& b);

}  // namespace gloss
