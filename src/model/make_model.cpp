#include "model/make_model.h"

#include <array>

#include "core/table.h"
#include "model/rnn_seq2seq.h"
#include "model/transformer_seq2seq.h"

namespace gloss {
namespace {

struct ModelEntry {
  const char* name;
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

std::vector<std::string> model_types() { return names_of(kModels); }

std::shared_ptr<Seq2Seq> make_model(const ModelOptions& options, const VocabularySizes& vocabularies) {
  options.validate();
  return row_of(kModels, "model type", options.type).make(options.resolved(), vocabularies);
}

}  // namespace gloss
