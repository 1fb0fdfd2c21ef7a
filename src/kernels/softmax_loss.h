#pragma once

#include "torch.h"

namespace gloss {

struct RowLosses {
  Tensor loss;  ///< scalar float64, sum of the smoothed losses of the rows
  Tensor nll;   ///< scalar float64, sum of -log p(target)
};

/// Label-smoothed cross entropy of each row, (1-ε)(-log p_y) + ε/V Σ_k(-log p_k), summed. If `with_gradient`, the
/// logits are overwritten by scale · ∂loss/∂logits = scale·(p - ε/V - (1-ε)·[k = y]).
/// The bias is added here, in the pass that looks for the largest logit.
/// Computed in float32 for logits in a shorter number type.
/// \param logits [rows, classes] without bias, changed in place  \param bias [classes]  \param target [rows] int64, all real (no padding)
RowLosses softmax_loss_(Tensor& logits, const Tensor& bias, const Tensor& target, double smoothing,
                        double scale, bool with_gradient);

}  // namespace gloss
