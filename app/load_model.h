#pragma once

#include <memory>
#include <string>

#include "checkpoint/model_directory.h"
#include "model/seq2seq.h"
#include "text/train_tokenizer.h"
#include "torch.h"
#include "train_config.h"

namespace gloss {

/// A model directory, loaded and ready for use.
struct LoadedModel {
  TrainConfig config;  ///< how it was trained
  Tokenizers tokenizers;
  std::shared_ptr<Seq2Seq> model;  ///< in eval mode, on `device`
  at::Device device{at::kCPU};
};

/// The directory, once it is sure that there is a trained model in it. Throws CheckpointError that says what
/// is missing.
ModelDirectory open_model_directory(const std::string& path);

/// \param attention_backend empty: as trained
///
/// Checks everything in the directory before use: names, shapes and types of the weights, and the SHA-256 of
/// the vocabularies they were trained with. Throws CheckpointError; UsageError for a device that cannot be
/// had, or a backend for a model that has none.
LoadedModel load_model(const std::string& path, const std::string& device,
                       const std::string& attention_backend = "");

}  // namespace gloss
