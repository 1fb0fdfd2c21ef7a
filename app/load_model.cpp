#include "load_model.h"

#include "checkpoint/attention_metadata.h"
#include "checkpoint/model_directory.h"
#include "checkpoint/options_metadata.h"
#include "checkpoint/tokenizer_files.h"
#include "checkpoint/weights.h"
#include "core/error.h"
#include "model/make_model.h"
#include "model_description.h"
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

void check_model_directory(const std::string& path) {
  if (path.empty()) throw UsageError("--model: name the model directory");
  const ModelDirectory directory(path);
  std::error_code ignored;
  if (!fs::is_directory(path, ignored))
    throw CheckpointError(path + ": no such model directory; gloss train makes one");
  if (!fs::exists(directory.config(), ignored))
    throw CheckpointError(
        path + ": holds no config.toml, so it is no model directory; name the one that gloss train wrote");
  if (!fs::exists(directory.weights(), ignored))
    throw CheckpointError(
        path + ": holds no model.safetensors; its training has not saved weights yet, run it again to go on");
}

LoadedModel load_for_use(const ModelUseOptions& options, const std::string& device_name) {
  const ModelDirectory directory(options.model);
  const auto device = select_device(device_name);
  LoadedModel loaded;
  loaded.config = read_train_config(directory.config());
  const auto weights = read_safetensors(directory.weights());
  const auto file = directory.weights().string();
  auto& architecture = loaded.config.model;
  check_options(weights.metadata, settings_json(architecture),
                file);  // before anything of these sizes is built
  if (!options.attention_backend.empty()) {
    if (architecture.is_rnn())
      throw UsageError("--attention-backend: is for transformers, and " + options.model +
                       " is an rnn; leave it out");
    architecture.attention_backend = options.attention_backend;
  }
  loaded.tokenizers = load_tokenizers(directory.root());
  check_tokenizers(weights.metadata, loaded.tokenizers, file);
  loaded.model = build_model(loaded.config, loaded.tokenizers, directory.config());
  load_strict(*loaded.model, weights.tensors, file);
  loaded.attention = read_attention_metadata(weights.metadata, loaded.model->attention_counts(), file);
  loaded.model->to(device);
  loaded.model->eval();
  check_precision(options.precision, device);
  log_computation(architecture, device, options.precision, /*is_training=*/false);
  return loaded;
}

}  // namespace gloss
