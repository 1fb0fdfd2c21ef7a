#include "train_config.h"

#include <utility>

#include "config/toml.h"
#include "core/error.h"
#include "core/text.h"
#include "shared_options.h"

namespace gloss {

void TrainConfig::complete() {
  model = model.resolved();
  std::vector<std::string> symbols;  // --user-symbols a,b is --user-symbols a b
  for (const auto& list : tokenizer.user_symbols)
    for (auto& name : split(list, ','))
      if (!name.empty()) symbols.push_back(std::move(name));
  tokenizer.user_symbols = std::move(symbols);
}

void TrainConfig::validate() const {
  if (train.model.empty()) throw UsageError("--model: name the model directory to write");
  tokenizer.validate();
  data.validate();
  model.validate();
  model.refuse_unread();
  train.validate(/*has_validation=*/!data.valid_source.empty());
  if (model.is_rnn() && !data.valid_alignments.empty())
    throw UsageError(
        "--valid-alignments: choose a transformer's decoder layer, and type is rnn; leave them out");
}

void add_train_config(Fields& fields, TrainConfig& config) {
  fields.add(config.train, kTrainingGroup);
  fields.add(config.data, "Data");
  fields.add(config.tokenizer, "Vocabulary");
  fields.add(config.model, "Model");
}

TrainConfig read_train_config(const std::filesystem::path& file) {
  TrainConfig config;
  SharedOptions shared;
  Fields fields;
  add_train_config(fields, config);
  fields.add(shared, "Every command");
  try {
    const auto settings = read_toml(file, fields);
    if (settings.empty())
      throw UsageError(file.string() + ": is empty; copy the model directory again, or train anew");
    fields.apply(settings);
    config.seed = shared.seed;
    config.model.validate();  // what does nothing harms nobody here
  } catch (const UsageError& error) {
    throw CheckpointError(std::string(error.what()) +
                          " (the configuration of this model; was it changed by hand?)");
  }
  return config;
}

}  // namespace gloss
