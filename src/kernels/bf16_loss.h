#pragma once

#include "torch.h"

namespace gloss {

struct OutputLoss {
  Tensor loss;                     ///< scalar float64, sum of the smoothed losses of the rows
  Tensor nll;                      ///< scalar float64, sum of -log p(target)
  Tensor dhidden, dweight, dbias;  ///< gradients of scale · loss, float32; undefined when not asked for
};

/// Softmax, label-smoothed loss and gradients of an output layer with its products in bfloat16 and all else in float32:
/// the logits of some rows exist at a time, in the cache. Of the gradient of the logits,
///   g = scale·(p - ε/V - (1-ε)·[k = y]),
/// only p goes through products; the other two terms are a constant and a sparse matrix, and are added in float32.
/// \param hidden [rows, width] float32 or bfloat16  \param weight [classes, width] float32  \param bias [classes]
/// \param target [rows] int64, all real (no padding)
OutputLoss bf16_output_loss(const Tensor& hidden, const Tensor& weight, const Tensor& bias,
                            const Tensor& target, double smoothing, double scale, bool with_gradient);

/// Whether it can be used here: the CPU's abilities and a width of whole blocks.
bool has_bf16_output_loss(const Tensor& hidden);

}  // namespace gloss
