#pragma once

#include "kernels/shared_inputs.h"
#include "torch.h"

namespace gloss {

/// W x + b at every step of a sequence, in the precision of the moment (precision.h). The gradients of W and b are made
/// once, as products over all steps together: one for each step would be many small products and as many passes over a
/// matrix of W's size.
/// W may also be one matrix for each sentence, such as the keys that every query is multiplied with; those products are
/// in the number type of x.
/// To be made anew for each run over a sequence; first derivatives only.
class RepeatedLinear {
 public:
  /// \param weight [out, in] or [batch, out, in]  \param bias [out] or undefined
  explicit RepeatedLinear(const Tensor& weight, const Tensor& bias = {});

  /// [..., in] → [..., out], or for one matrix a sentence [batch, n, in] → [batch, n, out]
  Tensor operator()(const Tensor& x) const;

 private:
  Tensor weight_, bias_;
  SharedRun run_;  // null without gradients
  Tensor anchor_;
};

}  // namespace gloss
