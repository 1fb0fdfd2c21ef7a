#pragma once

#include <cstdint>
#include <string>

#include "config/field.h"
#include "nn/precision.h"
#include "train/schedule.h"

namespace gloss {

/// How to train: when to stop, validate, save and report, and how each update is computed.
struct TrainOptions {
  std::string model;
  int64_t updates = 0;
  int64_t epochs = 0;
  double time_limit = 0.0;
  int64_t patience = 0;
  int64_t valid_every = 500;
  std::string valid_metric = "perplexity";
  bool valid_bleu = false;
  int64_t save_every = 1000;
  int64_t keep_checkpoints = 2;
  int64_t report_every = 50;
  double learning_rate = 2e-3;
  std::string schedule = "inverse-sqrt";
  int64_t warmup = 200;
  double min_learning_rate = 0.0;
  int64_t decay_updates = 0;
  double plateau_factor = 0.5;
  int64_t plateau_patience = 2;
  double adam_beta1 = 0.9;
  double adam_beta2 = 0.98;
  double adam_epsilon = 1e-9;
  double weight_decay = 0.0;
  double label_smoothing = 0.1;
  double clip_norm = 1.0;
  double exponential_smoothing = 0.0;
  int64_t accumulate = 1;
  std::string precision = "float32";
  double teacher_forcing = 1.0;
  std::string teacher_forcing_mode = "sequence";

  template <class Visitor>
  void visit(Visitor&& field) {
    field("model", model,
          "Model directory to write; the same command again resumes from its last checkpoint.", any);
    field("updates", updates, "Stop after this many updates; 0: no limit.", non_negative);
    field("epochs", epochs,
          "Stop after this many passes over the corpus; 0: no limit, or 20 where no other limit is given.",
          non_negative);
    field("time-limit", time_limit,
          "Stop after this many minutes of training, resumed time counted; 0: no limit.", non_negative);
    field("patience", patience, "Stop after this many validations in a row without improvement; 0: never.",
          non_negative);
    field("valid-every", valid_every, "Updates between validations; 0: at the end of each epoch.",
          non_negative);
    field("valid-metric", valid_metric, "What decides which weights are the best.",
          one_of({"perplexity", "cross-entropy", "bleu"}));
    field("valid-bleu", valid_bleu,
          "Also translate the validation set (greedily) and report BLEU and chrF; "
          "always done when valid-metric is bleu.",
          any);
    field("save-every", save_every, "Updates between checkpoints; 0: at the end only.", non_negative);
    field("keep-checkpoints", keep_checkpoints, "Checkpoints to keep; older ones are removed.", positive);
    field("report-every", report_every, "Updates between log lines.", positive);
    field("learning-rate", learning_rate, "Peak learning rate.", positive);
    field("schedule", schedule, "Learning rate after the warm-up.", one_of(schedule_names()));
    field("warmup", warmup, "Updates over which the learning rate rises linearly to its peak.", non_negative);
    field("min-learning-rate", min_learning_rate, "Lowest learning rate after the warm-up.", non_negative);
    field("decay-updates", decay_updates,
          "Update at which cosine and linear reach min-learning-rate; 0: the one of "
          "--updates.",
          non_negative);
    field("plateau-factor", plateau_factor, "What the plateau schedule multiplies the learning rate by.",
          between(0.01, 1));
    field("plateau-patience", plateau_patience,
          "Validations without improvement before plateau lowers the learning rate.", positive);
    field("adam-beta1", adam_beta1, "Adam: decay of the mean of the gradients.", below_one());
    field("adam-beta2", adam_beta2, "Adam: decay of the mean of the squared gradients.", below_one());
    field("adam-epsilon", adam_epsilon, "Adam: added to the denominator.", positive);
    field("weight-decay", weight_decay, "Decoupled weight decay (AdamW).", non_negative);
    field("label-smoothing", label_smoothing, "Probability mass spread evenly over the vocabulary.",
          below_one());
    field("clip-norm", clip_norm, "Largest norm of the gradient of all parameters together; 0: no limit.",
          non_negative);
    field("exponential-smoothing", exponential_smoothing,
          "Validate and keep weights averaged over the updates with this decay, such as 0.999; 0: the plain "
          "ones.",
          below_one());
    field("accumulate", accumulate, "Batches whose gradients are summed for one update.", positive);
    field("precision", precision,
          "Number type of the matrix products; weights, norms, softmax and loss are always float32.",
          one_of(precision_names()));
    field("teacher-forcing", teacher_forcing,
          "Share of the training in which the decoder reads the given target; in the "
          "rest it reads its own words.",
          between(0, 1));
    field("teacher-forcing-mode", teacher_forcing_mode,
          "Draw teacher forcing for each sentence or for each word.", one_of({"sequence", "step"}));
  }

  /// Throws UsageError for values that do not fit together.
  void validate(bool has_validation) const;

  /// The limit on epochs in force: `epochs`, or 20 where nothing else ends the training.
  int64_t epoch_limit() const;

  /// The learning rate's curve that these options describe.
  LearningRatePlan learning_rate_plan() const;
};

}  // namespace gloss
