#pragma once

#include <cstdint>
#include <memory>

#include "model/model_options.h"
#include "model/seq2seq.h"

namespace gloss {

struct VocabularySizes {
  int64_t source = 0;
  int64_t target = 0;
  bool shared = false;  ///< one vocabulary for both sides, hence one embedding
};

/// Builds and initialises the model that the options describe (torch's default generator decides the weights).
/// Throws UsageError for a combination that makes no sense.
std::shared_ptr<Seq2Seq> make_model(const ModelOptions& options, const VocabularySizes& vocabularies);

}  // namespace gloss
