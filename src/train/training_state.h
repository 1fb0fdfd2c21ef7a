#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "torch.h"

namespace gloss {

/// Sums over the updates since the last report. They are part of the state, so that the first report after a resume
/// says what it would have said without the interruption.
struct ReportWindow {
  int64_t updates = 0;
  int64_t target_tokens = 0;
  int64_t source_tokens = 0;
  int64_t padding = 0;     ///< cells
  double nll = 0.0;        ///< sum of -log p over the target tokens
  double grad_norm = 0.0;  ///< sum over updates
  double seconds = 0.0;    ///< of training, validation not counted
};

/// All that a training must know to go on as if it had never stopped, apart from tensors and random numbers.
struct TrainingState {
  int64_t update = 0;  ///< updates made (skipped ones counted)
  int64_t epoch = 1;   ///< of the next batch, from 1
  int64_t batch = 0;   ///< batches of it already used
  bool validation_due = false;
  int64_t validated = 0;       ///< update of the last validation
  std::optional<double> best;  ///< best value of the metric so far
  int64_t best_update = 0;
  int64_t bad_validations = 0;  ///< in a row, without improvement
  double plateau_factor = 1.0;
  int64_t plateau_bad = 0;  ///< validations without improvement since the plateau schedule acted last
  int64_t skipped = 0;      ///< updates without a finite gradient
  int64_t skipped_in_row = 0;
  int64_t target_tokens = 0;  ///< over the whole training
  double elapsed = 0.0;       ///< seconds, all runs together
  ReportWindow window;

  /// The epoch that the last update belonged to.
  int64_t epoch_of_update() const { return batch == 0 && update > 0 ? epoch - 1 : epoch; }

  nlohmann::json to_json() const;
  /// Throws CheckpointError for a state that this version can't read; `name` stands in the message.
  static TrainingState from_json(const nlohmann::json& json, const std::string& name);

  /// Takes note of a validation: best value, patience, plateau. A value that is not finite is no improvement.
  /// \return whether it is the best so far
  bool record_validation(double value, bool higher_is_better, int64_t plateau_patience,
                         double plateau_factor_step);
};

/// The state of torch's default CPU generator, from which dropout and sampling draw. [bytes] uint8
Tensor random_state();
void set_random_state(const Tensor& state);

/// Compares the settings of a checkpoint with today's. A change in one of `fixed` (what was reached
/// hangs on it) throws a CheckpointError that lists all such changes; others are returned as "name: old, now new" to be shown.
std::vector<std::string> changed_settings(const nlohmann::json& old_settings,
                                          const nlohmann::json& new_settings,
                                          const std::vector<std::string>& fixed, const std::string& name);

}  // namespace gloss
