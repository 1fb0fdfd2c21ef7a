#include "train/loss_scaler.h"

namespace gloss {
namespace {

constexpr double kFirstScale = 65536.0;
constexpr double kGrowth = 2.0;
constexpr double kBackoff = 0.5;
constexpr int64_t kGrowthInterval = 2000;
constexpr auto kScaleName = "loss_scale";
constexpr auto kStepsName = "loss_scale_steps";

}  // namespace

LossScaler::LossScaler(bool is_active, const at::Device& device) : is_active_(is_active) {
  const at::TensorOptions on(device);
  scale_ = at::full({}, is_active ? kFirstScale : 1.0, on.dtype(at::kFloat));
  steps_ = at::zeros({}, on.dtype(at::kInt));
  found_inf_ = at::zeros({}, on.dtype(at::kFloat));
}

double LossScaler::scale() const { return is_active_ ? scale_.item<double>() : 1.0; }

void LossScaler::unscale(const std::vector<Tensor>& gradients) {
  if (!is_active_ || gradients.empty()) return;
  at::_amp_foreach_non_finite_check_and_unscale_(gradients, found_inf_, scale_.reciprocal());
}

void LossScaler::update() {
  if (!is_active_) return;
  at::_amp_update_scale_(scale_, steps_, found_inf_, kGrowth, kBackoff, kGrowthInterval);
  found_inf_.zero_();
}

NamedTensors LossScaler::state() const {
  if (!is_active_) return {};
  return {{kScaleName, scale_}, {kStepsName, steps_}};
}

void LossScaler::load_state(NamedTensors& saved) {
  for (const auto& [name, own] : {std::pair(kScaleName, &scale_), std::pair(kStepsName, &steps_)}) {
    const auto found = saved.extract(name);
    if (is_active_ && !found.empty()) own->copy_(found.mapped());
  }
}

}  // namespace gloss
