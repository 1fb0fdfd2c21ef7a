#pragma once

#include "kernels/bf16_blocks.h"
#include "torch.h"

namespace gloss {

/// x W^T + b in bfloat16 on a CPU, differentiable; products and gradients of the weights are summed in float32.
/// Made of few shapes of products: LibTorch's library compiles code for every shape it meets, and keeps it, which with
/// batches of all sizes takes longer than the products, and a gigabyte.
/// \param x [..., in] float32 or bfloat16  \param weight [out, in] float32  \param bias [out] float32 or undefined
/// \return [..., out] in the number type of x
Tensor bf16_linear(const Tensor& x, const Tensor& weight, const Tensor& bias);

/// The parts that it is made of, for weights that stay packed for several products. They need has_bf16_blocks().
/// a·b + bias. \param a [rows, k]  \param b packed [k, columns]  \param bias [columns] float32 or undefined
/// \param type of the result: float32 or bfloat16  \return [rows, columns]
Tensor bf16_product(const Tensor& a, const PackedMatrix& b, int64_t columns, const Tensor& bias,
                    at::ScalarType type);
/// The gradient of the weight. \param dy packed [rows, out]  \param x [rows, in]  \return dy^T x [out, in] float32
Tensor bf16_weight_gradient(const PackedMatrix& dy, int64_t out, const Tensor& x);

}  // namespace gloss
