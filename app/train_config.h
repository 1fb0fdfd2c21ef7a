#pragma once

#include <filesystem>

#include "config/fields.h"
#include "data/data_options.h"
#include "model/model_options.h"
#include "text/text_options.h"
#include "train/train_options.h"

namespace gloss {

/// All that decides a training; as config.toml it lies in the model directory.
struct TrainConfig {
  TokenizerOptions tokenizer;
  DataOptions data;
  ModelOptions model;
  TrainOptions train;
  int64_t seed = 1;  ///< of the shared options

  /// Fills in what follows from other options, so that config.toml says what was really done.
  void complete();

  /// The structs' own rules over several fields. Throws UsageError.
  void validate() const;
};

/// The options that say how to train, not what.
inline constexpr auto kTrainingGroup = "Training";

/// Makes every option of `config` a field of `fields`.
void add_train_config(Fields& fields, TrainConfig& config);

/// What a model directory's config.toml says. Throws CheckpointError when there is none, or it is not one of
/// ours.
TrainConfig read_train_config(const std::filesystem::path& file);

}  // namespace gloss
