#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "train/train_options.h"
#include "train/train_record.h"
#include "train/training_state.h"
#include "train/validation.h"

namespace gloss {

/// What makes the training end by itself; zeros: no such limit.
struct Limits {
  int64_t updates = 0;
  int64_t epochs = 0;
  double seconds = 0.0;
};

/// Seconds until the nearest limit at the pace so far; nothing without a limit or before the first update.
/// \param epochs_done passes over the corpus as a fraction, 2.5 in the middle of the third
std::optional<double> seconds_left(const TrainingState& state, const Limits& limits, double epochs_done);

/// "1:02:03", "2:03".
std::string clock_text(double seconds);

/// Largest memory of this process so far, in MiB.
double peak_memory_mib();

/// Shows the training to people (log lines, a progress bar) and to programs (train.jsonl).
class Reporter {
 public:
  /// \param bar draw a progress bar; ignored where stderr is no terminal
  Reporter(TrainRecord record, const Limits& limits, bool bar);
  ~Reporter();
  Reporter(const Reporter&) = delete;
  Reporter& operator=(const Reporter&) = delete;

  /// The state's window of updates; the caller empties it afterwards.
  void report(const TrainingState& state, double learning_rate, double epochs_done);
  void validation(const TrainingState& state, const ValidationResult& result, bool is_best);
  void end(const TrainingState& state, const std::string& reason);

  /// Redraws the progress bar, some times a second at most.
  void tick(const TrainingState& state, double epochs_done);

 private:
  void clear_bar();

  TrainRecord record_;
  Limits limits_;
  bool bar_;
  bool drawn_ = false;
  std::chrono::steady_clock::time_point last_drawn_;
};

}  // namespace gloss
