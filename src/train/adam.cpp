#include "train/adam.h"

#include <cmath>

#include "core/error.h"

namespace gloss {

Adam::Adam(const Parameters& parameters, const AdamOptions& options) : options_(options) {
  for (const auto& [name, parameter] : parameters) {
    if (!parameter.requires_grad()) continue;
    names_.push_back(name);
    parameters_.push_back(parameter);
    means_.push_back(at::zeros_like(parameter));
    squares_.push_back(at::zeros_like(parameter));
  }
  TORCH_CHECK_VALUE(!parameters_.empty(), "Adam needs at least one parameter that wants a gradient");
  updates_ = at::zeros({}, parameters_.front().options().dtype(at::kFloat).requires_grad(false));
}

void Adam::step(double learning_rate) {
  const at::NoGradGuard no_grad;
  std::vector<Tensor> parameters, gradients, means, squares;
  for (size_t i = 0; i < parameters_.size(); ++i) {
    if (!parameters_[i].grad().defined()) continue;
    parameters.push_back(parameters_[i]);
    gradients.push_back(parameters_[i].grad());
    means.push_back(means_[i]);
    squares.push_back(squares_[i]);
  }
  updates_.add_(1);
  if (parameters.empty()) return;
  // The kernel only reads the counter, so one tensor serves all parameters.
  const std::vector<Tensor> updates(parameters.size(), updates_);
  at::_fused_adamw_(parameters, gradients, means, squares, /*max_exp_avg_sqs=*/{}, updates, learning_rate,
                    options_.beta1, options_.beta2, options_.weight_decay, options_.epsilon,
                    /*amsgrad=*/false,
                    /*maximize=*/false);
}

void Adam::clear_gradients() {
  for (auto& parameter : parameters_) parameter.mutable_grad().reset();
}

double Adam::clip_gradients(double limit) {
  const at::NoGradGuard no_grad;
  const auto all = gradients();
  if (all.empty()) return 0.0;
  const double norm = at::stack(at::_foreach_norm(all, 2)).norm().item<double>();
  // As PyTorch does it: the small constant keeps the result at or below the limit in spite of rounding.
  if (limit > 0 && std::isfinite(norm) && norm > limit) at::_foreach_mul_(all, limit / (norm + 1e-6));
  return norm;
}

std::vector<Tensor> Adam::gradients() const {
  std::vector<Tensor> defined;
  for (const auto& parameter : parameters_)
    if (parameter.grad().defined()) defined.push_back(parameter.grad());
  return defined;
}

NamedTensors Adam::state() const {
  NamedTensors tensors{{"updates", updates_}};
  for (size_t i = 0; i < names_.size(); ++i) {
    tensors[names_[i] + ".mean"] = means_[i];
    tensors[names_[i] + ".square"] = squares_[i];
  }
  return tensors;
}

void Adam::load_state(const NamedTensors& saved) {
  const at::NoGradGuard no_grad;
  const auto own = state();
  std::string faults;
  for (const auto& [name, tensor] : own) {
    const auto found = saved.find(name);
    if (found == saved.end())
      faults += "\n  '" + name + "': missing";
    else if (found->second.sizes() != tensor.sizes() || found->second.scalar_type() != tensor.scalar_type())
      faults += "\n  '" + name + "': other shape or number type than the model's";
  }
  if (!faults.empty())
    throw CheckpointError(
        "optimizer state: does not belong to this model; train into another --model directory" + faults);
  for (const auto& [name, tensor] : own) tensor.copy_(saved.at(name));
}

}  // namespace gloss
