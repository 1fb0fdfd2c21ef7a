#include "kernels/shared_inputs.h"

namespace gloss {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

struct Anchor : torch::autograd::Function<Anchor> {
  static Tensor forward(AutogradContext* context, at::TensorList inputs, const SharedRun& run) {
    keep_run(context, run);
    return at::empty({0}, inputs.front().options());
  }

  static variable_list backward(AutogradContext* context, const variable_list&) {
    auto gradients = kept_run<SharedInputs>(context).gradients();
    gradients.emplace_back();  // of the run
    return gradients;
  }
};

}  // namespace

Tensor anchor(at::TensorList inputs, const SharedRun& run) { return Anchor::apply(inputs, run); }

void keep_run(AutogradContext* context, const SharedRun& run) {
  context->saved_data["run"] = c10::IValue::make_capsule(run);
  context->set_materialize_grads(false);
}

}  // namespace gloss
