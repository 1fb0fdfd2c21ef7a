#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <spdlog/spdlog.h>

#include <memory>
#include <optional>

#include "checkpoint/options_metadata.h"
#include "checkpoint/tokenizer_files.h"
#include "command.h"
#include "config/toml.h"
#include "core/error.h"
#include "core/file.h"
#include "core/stop.h"
#include "core/unicode.h"
#include "data/corpus.h"
#include "length_border.h"
#include "model/make_model.h"
#include "model_description.h"
#include "model_folder.h"
#include "nn/device.h"
#include "nn/precision.h"
#include "train/trainer.h"
#include "train_config.h"

namespace gloss {
namespace {

ParallelText training_text(const DataOptions& data) {
  return ParallelText({.source = data.train_source, .target = data.train_target, .tsv = data.train_tsv});
}

/// The vocabularies of the training that is resumed, or new ones.
Tokenizers vocabularies(const TrainConfig& config, const ModelFolder& folder, const ParallelText& text) {
  if (folder.is_resumed()) return load_tokenizers(folder.directory().root());
  return make_tokenizers(config.tokenizer, text.source(), text.target());
}

std::optional<ParallelText> validation_text(const DataOptions& data) {
  if (data.valid_source.empty()) return {};
  return ParallelText({.source = data.valid_source, .target = data.valid_target, .tsv = {}});
}

/// Throws DataError where the links cannot be of the validation text.
void check_gold(const std::vector<SentenceLinks>& gold, const ValidationSet& validation,
                const std::string& file) {
  const bool one_line_each = link_format_of_file(file).one_line_each;
  const auto sentences = validation.pairs.size();
  if (gold.size() > sentences || (one_line_each && gold.size() < sentences))
    throw DataError(file + ": " + std::to_string(gold.size()) + " sentences, but the validation text has " +
                    std::to_string(sentences) + "; give alignments of that text");
  bool has_links = false;
  for (size_t i = 0; i < gold.size(); ++i) {
    const auto source_words = static_cast<int64_t>(word_spans(validation.source[i]).size());
    const auto target_words = static_cast<int64_t>(word_spans(validation.target[i]).size());
    for (const auto* links : {&gold[i].sure, &gold[i].possible})
      for (const auto& link : *links) {
        has_links = true;
        if (link.source >= source_words || link.target >= target_words)
          throw DataError(file + ": sentence " + std::to_string(i + 1) + " has a link beyond its " +
                          std::to_string(source_words) + " source and " + std::to_string(target_words) +
                          " target words; give alignments of the validation text, word by word");
      }
  }
  if (!has_links) throw DataError(file + ": holds no link; give alignments of the validation text");
}

std::vector<SentenceLinks> gold_alignments(const std::string& file) {
  if (file.empty()) return {};
  return read_links(file, link_format_of_file(file));
}

std::shared_ptr<Seq2Seq> new_model(const TrainConfig& config, const Tokenizers& tokenizers,
                                   const at::Device& device) {
  at::manual_seed(static_cast<uint64_t>(config.seed));
  auto model = make_model(config.model, {.source = tokenizers.source->size(),
                                         .target = tokenizers.target->size(),
                                         .shared = tokenizers.shared});
  int64_t parameters = 0;
  for (const auto& parameter : model->parameters()) parameters += parameter.numel();
  model->to(device);
  spdlog::info("model: {}, {} parameters, on {}", config.model.type, parameters, device.str());
  return model;
}

std::string config_text(TrainConfig config, SharedOptions shared) {
  Fields fields;
  add_train_config(fields, config);
  fields.add(shared, "Every command");
  return write_toml(fields);
}

int run_train(TrainConfig config, const SharedOptions& shared) {
  config.seed = shared.seed;
  config.complete();
  config.validate();
  const auto device = select_device(shared.device);  // one that cannot be had is known before any work
  check_precision(config.train.precision, device);
  log_computation(config.model, device, config.train.precision, /*is_training=*/true);
  warn_beyond_border(length_border(config.model), config.data.max_length);
  ModelFolder folder(config);
  // All texts before any work: what cannot be read is known at once.
  const auto text = training_text(config.data);
  const auto valid_text = validation_text(config.data);
  const auto gold = gold_alignments(config.data.valid_alignments);
  const auto tokenizers = vocabularies(config, folder, text);
  const auto corpus = encode_corpus(text, tokenizers, config.data.max_length, at::get_num_threads());
  std::optional<ValidationSet> validation;
  if (valid_text) validation = load_validation_set(*valid_text, tokenizers, config.data.max_length);
  if (!config.data.valid_alignments.empty()) check_gold(gold, *validation, config.data.valid_alignments);
  const auto model = new_model(config, tokenizers, device);
  if (!folder.is_resumed()) save_tokenizers(folder.directory().root(), tokenizers);
  const auto begin = [&] {
    write_file(folder.directory().config().string(), config_text(config, shared));
    folder.keep();
  };
  install_stop_handlers();
  const auto result = train(*model,
                            {.corpus = corpus,
                             .validation = validation ? &*validation : nullptr,
                             .tokenizers = tokenizers,
                             .gold = gold},
                            {.train = config.train,
                             .data = config.data,
                             .seed = config.seed,
                             .progress_bar = !shared.quiet,
                             .model_options = settings_json(config.model),
                             .on_begin = begin},
                            folder.directory());
  return result.signal == 0 ? 0 : 128 + result.signal;
}

}  // namespace

Command train_command() {
  return {"train", "parallel text in, model directory out; the same command again resumes",
          [](Fields& fields) -> Command::Run {
            auto config = std::make_shared<TrainConfig>();
            add_train_config(fields, *config);
            return [config](const SharedOptions& shared) { return run_train(*config, shared); };
          }};
}

}  // namespace gloss
