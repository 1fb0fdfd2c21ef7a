#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace gloss {

/// The curve of the learning rate. Every schedule first rises linearly from 0 to `peak` over `warmup` updates.
struct LearningRatePlan {
  double peak = 0.0;
  double minimum = 0.0;       ///< the rate never falls below this after the warm-up
  int64_t warmup = 0;         ///< updates; 0: none
  int64_t decay_updates = 0;  ///< cosine and linear reach `minimum` at this update (warm-up counted)
};

/// constant, inverse-sqrt, cosine, linear, plateau: the rows of the table in schedule.cpp.
std::vector<std::string> schedule_names();

/// Whether the schedule needs to know its length (LearningRatePlan::decay_updates).
bool schedule_has_length(const std::string& name);

/// The learning rate of an update, counted from 1: a pure function of its arguments. `plateau_factor` is what
/// the plateau schedule has multiplied together so far (training state); the other schedules ignore it.
/// Throws UsageError for a name that is not in the table.
double learning_rate(const std::string& name, const LearningRatePlan& plan, int64_t update,
                     double plateau_factor = 1.0);

}  // namespace gloss
