#include "load_model.h"

#include "checkpoint/attention_metadata.h"
#include "checkpoint/tokenizer_files.h"
#include "checkpoint/weights.h"
#include "core/error.h"
#include "model/make_model.h"
#include "nn/device.h"

namespace gloss {
namespace {

namespace fs = std::filesystem;

/// A model of these options that later takes its weights from a file; a combination that cannot be built
/// means that the directory is not one that gloss wrote.
std::shared_ptr<Seq2Seq> build_model(const TrainConfig& config, const Tokenizers& tokenizers,
                                     const fs::path& file) {
  try {
    return make_model(config.model, {.source = tokenizers.source->size(),
                                     .target = tokenizers.target->size(),
                                     .shared = tokenizers.shared});
  } catch (const UsageError& error) {
    throw CheckpointError(file.string() + ": " + error.what());
  }
}

}  // namespace

ModelDirectory open_model_directory(const std::string& path) {
  if (path.empty()) throw UsageError("--model: name the model directory");
  ModelDirectory directory(path);
  std::error_code ignored;
  if (!fs::is_directory(path, ignored))
    throw CheckpointError(path + ": no such model directory; gloss train makes one");
  if (!fs::exists(directory.config(), ignored))
    throw CheckpointError(
        path + ": holds no config.toml, so it is no model directory; name the one that gloss train wrote");
  if (!fs::exists(directory.weights(), ignored))
    throw CheckpointError(
        path + ": holds no model.safetensors; its training has not saved weights yet, run it again to go on");
  return directory;
}

LoadedModel load_model(const std::string& path, const std::string& device,
                       const std::string& attention_backend) {
  const auto directory = open_model_directory(path);
  LoadedModel loaded;
  loaded.device = select_device(device);
  loaded.config = read_train_config(directory.config());
  if (!attention_backend.empty()) {
    if (loaded.config.model.type == "rnn")
      throw UsageError("--attention-backend: is for transformers, and " + path + " is an rnn; leave it out");
    loaded.config.model.attention_backend = attention_backend;
  }
  loaded.tokenizers = load_tokenizers(directory.root());
  const auto weights = read_safetensors(directory.weights());
  check_tokenizers(weights.metadata, loaded.tokenizers, directory.weights().string());
  loaded.model = build_model(loaded.config, loaded.tokenizers, directory.config());
  load_strict(*loaded.model, weights.tensors, directory.weights().string());
  loaded.model->attention_choice =
      read_attention_metadata(weights.metadata, loaded.model->attention_choice,
                              loaded.model->attention_counts(), directory.weights().string());
  loaded.model->to(loaded.device);
  loaded.model->eval();
  return loaded;
}

}  // namespace gloss
