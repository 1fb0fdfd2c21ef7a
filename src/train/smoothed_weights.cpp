#include "train/smoothed_weights.h"

#include <algorithm>

namespace gloss {

SmoothedWeights::SmoothedWeights(const Adam::Parameters& parameters, double decay) : decay_(decay) {
  if (decay == 0.0) return;
  for (const auto& [name, parameter] : parameters) {
    names_.push_back(name + ".smoothed");
    parameters_.push_back(parameter.detach());  // the same memory, without a history
    smoothed_.push_back(parameter.detach().clone());
  }
}

void SmoothedWeights::follow(int64_t updates) {
  if (smoothed_.empty()) return;
  const auto t = static_cast<double>(updates);
  at::_foreach_lerp_(smoothed_, parameters_, 1.0 - std::min(decay_, (1.0 + t) / (10.0 + t)));
}

void SmoothedWeights::swap() {
  const at::NoGradGuard no_grad;
  for (size_t i = 0; i < smoothed_.size(); ++i) {
    const auto plain = parameters_[i].clone();
    parameters_[i].copy_(smoothed_[i]);
    smoothed_[i].copy_(plain);
  }
}

NamedTensors SmoothedWeights::state() const {
  NamedTensors tensors;
  for (size_t i = 0; i < names_.size(); ++i) tensors[names_[i]] = smoothed_[i];
  return tensors;
}

void SmoothedWeights::load_state(NamedTensors& saved) {
  for (size_t i = 0; i < names_.size(); ++i) {
    const auto found = saved.extract(names_[i]);
    smoothed_[i].copy_(found.empty() ? parameters_[i] : found.mapped());
  }
}

}  // namespace gloss
