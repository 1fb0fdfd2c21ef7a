#include "train/schedule.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "core/table.h"

namespace gloss {
namespace {

// Each row gives the rate after the warm-up; `update` > plan.warmup.
using Decay = double (*)(const LearningRatePlan& plan, double update, double plateau_factor);

double constant(const LearningRatePlan& plan, double, double) { return plan.peak; }

double inverse_sqrt(const LearningRatePlan& plan, double update, double) {
  return plan.peak * std::sqrt(static_cast<double>(std::max<int64_t>(plan.warmup, 1)) / update);
}

// Share of the decay that is over: 0 at the end of the warm-up, 1 at decay_updates and ever after.
double progress(const LearningRatePlan& plan, double update) {
  const auto length = static_cast<double>(plan.decay_updates - plan.warmup);
  return length <= 0 ? 1.0 : std::clamp((update - static_cast<double>(plan.warmup)) / length, 0.0, 1.0);
}

double cosine(const LearningRatePlan& plan, double update, double) {
  const double share = 0.5 * (1.0 + std::cos(std::numbers::pi * progress(plan, update)));
  return plan.minimum + (plan.peak - plan.minimum) * share;
}

double linear(const LearningRatePlan& plan, double update, double) {
  return plan.minimum + (plan.peak - plan.minimum) * (1.0 - progress(plan, update));
}

double plateau(const LearningRatePlan& plan, double, double plateau_factor) {
  return plan.peak * plateau_factor;
}

struct Row {
  const char* name;
  Decay decay;
  bool has_length;
};

constexpr std::array kSchedules{Row{"constant", constant, false}, Row{"inverse-sqrt", inverse_sqrt, false},
                                Row{"cosine", cosine, true}, Row{"linear", linear, true},
                                Row{"plateau", plateau, false}};

const Row& find(const std::string& name) { return row_of(kSchedules, "schedule", name); }

}  // namespace

std::vector<std::string> schedule_names() { return names_of(kSchedules); }

bool schedule_has_length(const std::string& name) { return find(name).has_length; }

double learning_rate(const std::string& name, const LearningRatePlan& plan, int64_t update,
                     double plateau_factor) {
  const auto& row = find(name);
  if (update <= plan.warmup)
    return plan.peak * static_cast<double>(update) / static_cast<double>(plan.warmup);
  return std::max(plan.minimum, row.decay(plan, static_cast<double>(update), plateau_factor));
}

}  // namespace gloss
