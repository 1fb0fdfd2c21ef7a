#pragma once

#include "checkpoint/safetensors.h"
#include "torch.h"

namespace gloss {

/// Dynamic loss scaling (Micikevicius et al. 2018): gradients of a loss multiplied by a large factor stay within the
/// range of fp16. The factor is halved when a gradient overflows, and doubled after 2,000 updates without.
/// Inactive for other precisions: the factor is then 1.
class LossScaler {
 public:
  LossScaler(bool is_active, const at::Device& device);

  double scale() const;

  /// Divides the gradients by the factor; those that overflowed stay not finite.
  void unscale(const std::vector<Tensor>& gradients);

  /// After each update: adapts the factor to what unscale() found.
  void update();

  /// Factor and counter, to be saved beside the optimizer's state; empty when inactive.
  NamedTensors state() const;
  /// Takes them out of what was saved; without them the factor starts anew.
  void load_state(NamedTensors& saved);

 private:
  bool is_active_;
  Tensor scale_, steps_, found_inf_;  // scalars; steps_ int32
};

}  // namespace gloss
