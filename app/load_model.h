#pragma once

#include <memory>
#include <string>

#include "model/seq2seq.h"
#include "nn/precision.h"
#include "text/train_tokenizer.h"
#include "train_config.h"

namespace gloss {

/// What every command asks that computes with a trained model.
struct ModelUseOptions {
  std::string model;
  std::string precision = "float32";
  std::string attention_backend;

  template <class Visitor>
  void visit(Visitor&& field) {
    field("model", model, "Model directory.", any);
    field("precision", precision,
          "Number type of the matrix products; norms, softmax and scores are always float32.",
          one_of(precision_names()));
    field("attention-backend", attention_backend, "transformer: as in training; empty: the one used there.",
          or_empty(one_of(attention_backend_names())));
  }
};

/// A model directory, loaded and ready for use.
struct LoadedModel {
  TrainConfig config;  ///< how it was trained
  Tokenizers tokenizers;
  std::shared_ptr<Seq2Seq> model;  ///< in eval mode, on its device
  AttentionChoice attention;       ///< that alignments are read from
};

/// Throws CheckpointError that says what is missing where there is no trained model in the directory.
void check_model_directory(const std::string& path);

/// Loads the model of a directory that has been checked, and logs how it will be computed.
///
/// Checks everything in the directory before use: names, shapes and types of the weights, and the SHA-256 of
/// the vocabularies they were trained with. Throws CheckpointError; UsageError for a device or precision that
/// cannot be had, or a backend for a model that has none.
LoadedModel load_for_use(const ModelUseOptions& options, const std::string& device);

}  // namespace gloss
