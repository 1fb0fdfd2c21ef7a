#include "nn/repeated_linear.h"

#include <utility>
#include <vector>

namespace gloss {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

/// Inputs of the steps and gradients of their outputs, in the order in which the backward pass comes by.
struct Collected : torch::CustomClassHolder {
  std::vector<Tensor> inputs, gradients;
};
using Steps = c10::intrusive_ptr<torch::CustomClassHolder>;

void keep(AutogradContext* context, const Steps& steps) {
  context->saved_data["steps"] = c10::IValue::make_capsule(steps);
  context->set_materialize_grads(false);
}

Collected& kept(AutogradContext* context) {
  return static_cast<Collected&>(*context->saved_data["steps"].toCapsule());
}

/// W and b themselves. Its backward pass comes after those of all steps, which hang on it.
struct Parameters : torch::autograd::Function<Parameters> {
  static variable_list forward(AutogradContext* context, const Tensor& weight,
                               const std::optional<Tensor>& bias, const Steps& steps) {
    keep(context, steps);
    context->saved_data["has_bias"] = bias.has_value();
    variable_list same{weight.detach()};
    if (bias) same.push_back(bias->detach());
    return same;
  }

  static variable_list backward(AutogradContext* context, const variable_list&) {
    auto& collected = kept(context);
    const auto inputs = std::exchange(collected.inputs, {}),
               gradients = std::exchange(collected.gradients, {});
    if (inputs.empty()) return {Tensor(), Tensor(), Tensor()};
    const auto gradient = at::cat(gradients);
    const bool has_bias = context->saved_data["has_bias"].toBool();
    return {at::mm(gradient.t(), at::cat(inputs)), has_bias ? gradient.sum(0) : Tensor(), Tensor()};
  }
};

struct OneStep : torch::autograd::Function<OneStep> {
  static Tensor forward(AutogradContext* context, const Tensor& x, const Tensor& weight,
                        const std::optional<Tensor>& bias, const Steps& steps) {
    keep(context, steps);
    context->save_for_backward({x, weight});
    return at::linear(x, weight, bias.value_or(Tensor()));
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    if (!gradients[0].defined()) return {Tensor(), Tensor(), Tensor(), Tensor()};
    const auto saved = context->get_saved_variables();
    auto& collected = kept(context);
    collected.inputs.push_back(saved[0].detach());
    collected.gradients.push_back(gradients[0]);
    return {at::mm(gradients[0], saved[1]), Tensor(), Tensor(), Tensor()};
  }
};

std::optional<Tensor> optional(const Tensor& x) { return x.defined() ? std::optional(x) : std::nullopt; }

}  // namespace

RepeatedLinear::RepeatedLinear(const Tensor& weight, const Tensor& bias) : weight_(weight), bias_(bias) {
  if (!at::GradMode::is_enabled() || !weight.requires_grad()) return;
  steps_ = c10::make_intrusive<Collected>();
  const auto same = Parameters::apply(weight, optional(bias), steps_);
  weight_ = same[0];
  if (bias.defined()) bias_ = same[1];
}

Tensor RepeatedLinear::operator()(const Tensor& x) const {
  return steps_ ? OneStep::apply(x, weight_, optional(bias_), steps_) : at::linear(x, weight_, bias_);
}

}  // namespace gloss
