#include "train/train_options.h"

#include "core/error.h"

namespace gloss {
namespace {

constexpr int64_t kDefaultEpochs = 20;

}  // namespace

void TrainOptions::validate(bool has_validation) const {
  if (model.empty())
    throw UsageError("--model: no directory given; name the one to write, for example --model model");
  if (min_learning_rate > learning_rate)
    throw UsageError("--min-learning-rate " + plain_number(min_learning_rate) + ": above --learning-rate " +
                     plain_number(learning_rate) + "; lower it");
  if (!has_validation && (patience > 0 || schedule == "plateau"))
    throw UsageError(
        "--patience and --schedule plateau: need a validation set; give --valid-source and --valid-target");
  if (!schedule_has_length(schedule)) return;
  const auto plan = learning_rate_plan();
  if (plan.decay_updates == 0)
    throw UsageError("--schedule " + schedule + ": needs its length; give --decay-updates or --updates");
  if (plan.decay_updates <= warmup)
    throw UsageError("--schedule " + schedule + ": ends at update " + std::to_string(plan.decay_updates) +
                     ", but --warmup takes " + std::to_string(warmup) +
                     "; lower --warmup or raise --decay-updates");
}

int64_t TrainOptions::epoch_limit() const {
  const bool other_limit = updates > 0 || time_limit > 0 || patience > 0;
  return epochs > 0 || other_limit ? epochs : kDefaultEpochs;
}

LearningRatePlan TrainOptions::learning_rate_plan() const {
  return {.peak = learning_rate,
          .minimum = min_learning_rate,
          .warmup = warmup,
          .decay_updates = decay_updates > 0 ? decay_updates : updates};
}

}  // namespace gloss
