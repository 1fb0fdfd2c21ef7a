#pragma once

#include "torch.h"

namespace gloss {

/// W x + b at every step of a sequence. The gradients of W and b are made once, as products over all steps together:
/// one for each step would be many small products and as many passes over a matrix of W's size.
/// To be made anew for each run over a sequence; first derivatives only.
class RepeatedLinear {
 public:
  /// \param weight [out, in]  \param bias [out] or undefined
  explicit RepeatedLinear(const Tensor& weight, const Tensor& bias = {});

  /// [n, in] → [n, out]
  Tensor operator()(const Tensor& x) const;

 private:
  c10::intrusive_ptr<torch::CustomClassHolder>
      steps_;  // what the steps leave for the gradient; null without one
  Tensor weight_, bias_;
};

}  // namespace gloss
