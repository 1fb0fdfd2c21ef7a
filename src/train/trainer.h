#pragma once

#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "align/links.h"
#include "checkpoint/model_directory.h"
#include "core/stop.h"
#include "data/corpus.h"
#include "data/data_options.h"
#include "model/seq2seq.h"
#include "text/train_tokenizer.h"
#include "train/train_options.h"

namespace gloss {

struct TrainingData {
  const EncodedCorpus& corpus;
  const ValidationSet* validation;  ///< or null
  const Tokenizers& tokenizers;
  std::vector<SentenceLinks> gold = {};  ///< alignments of the validation set's first sentences, or none
};

/// Everything that steers train(), besides the data and the model.
struct TrainSettings {
  TrainOptions train;
  DataOptions data;
  int64_t seed = 1;          ///< order of the batches
  bool progress_bar = true;  ///< shown only where stderr is a terminal as well
  /// What the model was built from: kept beside its weights, and a resume shows what changed.
  nlohmann::json model_options = nlohmann::json::object();
  std::function<void()> on_begin = {};      ///< called when nothing can be refused any more
  std::function<int()> stop = stop_signal;  ///< looked at between updates: 0, or the signal to stop for
};

/// How the training ended. The model directory then holds model.safetensors, a checkpoint and train.jsonl.
struct TrainingResult {
  std::string reason;          ///< for people: "reached 2000 updates", "stopped by SIGTERM"
  int signal = 0;              ///< SIGINT or SIGTERM where one stopped it (exit code 130 or 143), else 0
  int64_t updates = 0;         ///< updates made, those before a resume counted
  std::optional<double> best;  ///< best value of valid-metric, where the validation set was looked at
};

/// Trains the model on the corpus until a stopping rule holds, and leaves the best weights in the model directory
/// (the last ones where there is no validation set). Where the directory has a checkpoint it goes on from there, bit
/// by bit as if it had never stopped (CPU, same threads); `model` must be of the same kind, its weights are replaced.
///
/// Sums of token losses are divided by the real target tokens of the whole update, all accumulated batches together.
/// Random numbers (dropout, sampled words) come from torch's default CPU generator, which the caller has seeded.
///
/// \param model on its device; in eval mode afterwards, with the last weights
/// Throws UsageError (options that do not fit together), CheckpointError (a checkpoint of another training),
/// OutputError (disk), DataError (20 updates in a row without a finite gradient; names the lines).
TrainingResult train(Seq2Seq& model, const TrainingData& data, const TrainSettings& settings,
                     const ModelDirectory& directory);

}  // namespace gloss
