#pragma once

#include "torch.h"

namespace gloss {

/// Zeroes each element with probability p and scales the rest by 1/(1-p); the identity when not training or p = 0.
/// The mask comes from a counter-based generator whose key is one draw of torch's default CPU generator: it is never
/// stored, and the generator's state is all that a checkpoint needs. On CUDA and for float64 the mask is a tensor.
Tensor seeded_dropout(const Tensor& x, double p, bool is_training);

/// residual + seeded_dropout(x), in one pass. x may be bfloat16 where the residual is float32, as the sum is then.
Tensor dropout_add(const Tensor& residual, const Tensor& x, double p, bool is_training);

}  // namespace gloss
