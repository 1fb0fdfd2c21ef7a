#pragma once

#include "torch.h"

namespace gloss {

/// Inputs that every step of a run reads, such as weights or keys. Their gradient is made once for all steps, from what
/// each leaves here on its way back: step by step it would be as many passes over a tensor of their size.
///
/// A step is a function of its own that takes, beside its input, the anchor, keeps the run (keep_run), and gives the anchor
/// no gradient; the graph then calls gradients() after the last of the steps' backward passes. A backward pass that the
/// anchor has no part in must leave nothing here.
/// One object a run; first derivatives only. The inputs must not change before the backward pass; nothing checks that.
class SharedInputs : public torch::CustomClassHolder {
 public:
  /// Of the inputs, in the order in which anchor() was given them; undefined where no step led to the loss.
  virtual torch::autograd::variable_list gradients() = 0;
};
using SharedRun = c10::intrusive_ptr<SharedInputs>;

/// What stands for the inputs in the graph of the steps. Requires gradients where one of them does.
Tensor anchor(at::TensorList inputs, const SharedRun& run);

/// To be called in the forward pass of a step, whose gradients may then be undefined.
void keep_run(torch::autograd::AutogradContext* context, const SharedRun& run);

/// The run again, in the backward pass.
template <class Run>
Run& kept_run(torch::autograd::AutogradContext* context) {
  return static_cast<Run&>(*context->saved_data["run"].toCapsule());
}

}  // namespace gloss
