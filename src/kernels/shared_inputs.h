#pragma once

#include "torch.h"

namespace gloss {

/// Inputs that every step of a run reads, such as weights or keys. Their gradient is made once for all steps, from what
/// each leaves here on its way back: step by step it would be as many passes over a tensor of their size.
///
/// Each step is a SharedStep; the graph calls gradients() after the last of their backward passes. A backward pass that the
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

/// What a step's backward pass is asked for.
struct StepNeeds {
  bool input, shared;
};

/// One step of a run, x → y: apply(x, anchor, run). `Run` is a SharedInputs with
///   Tensor output(const Tensor& x) const;
///   Tensor step_back(const Tensor& x, const Tensor& dy, StepNeeds needs);  // the gradient of x, if it is needed
template <class Run>
struct SharedStep : torch::autograd::Function<SharedStep<Run>> {
  static Tensor forward(torch::autograd::AutogradContext* context, const Tensor& x, const Tensor& /*anchor*/,
                        const SharedRun& run) {
    keep_run(context, run);
    context->save_for_backward({x});
    return kept_run<Run>(context).output(x);
  }

  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 const torch::autograd::variable_list& gradients) {
    if (!gradients[0].defined()) return {Tensor(), Tensor(), Tensor()};
    const auto dx = kept_run<Run>(context).step_back(
        context->get_saved_variables()[0], gradients[0],
        {.input = context->needs_input_grad(0), .shared = context->needs_input_grad(1)});
    return {dx, Tensor(), Tensor()};
  }
};

}  // namespace gloss
