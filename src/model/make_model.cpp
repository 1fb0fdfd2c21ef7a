#include "model/make_model.h"

#include <array>

#include "core/error.h"
#include "model/rnn_seq2seq.h"
#include "model/transformer_seq2seq.h"

namespace gloss {
namespace {

struct ModelEntry {
  const char* type;
  std::shared_ptr<Seq2Seq> (*make)(const ModelOptions&, const VocabularySizes&);
};

constexpr std::array kModels{
    ModelEntry{
        "rnn",
        [](const ModelOptions& options, const VocabularySizes& vocabularies) -> std::shared_ptr<Seq2Seq> {
          return std::make_shared<RnnSeq2Seq>(options, vocabularies);
        }},
    ModelEntry{
        "transformer",
        [](const ModelOptions& options, const VocabularySizes& vocabularies) -> std::shared_ptr<Seq2Seq> {
          return std::make_shared<TransformerSeq2Seq>(options, vocabularies);
        }},
};

}  // namespace

std::vector<std::string> model_types() {
  std::vector<std::string> types;
  for (const auto& entry : kModels) types.emplace_back(entry.type);
  return types;
}

std::shared_ptr<Seq2Seq> make_model(const ModelOptions& options, const VocabularySizes& vocabularies) {
  options.validate();
  for (const auto& entry : kModels)
    if (options.type == entry.type) return entry.make(options.resolved(), vocabularies);
  throw UsageError("unknown model type '" + options.type + "'; choose one of: " + join(model_types()));
}

}  // namespace gloss
