#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "model/seq2seq.h"
#include "search/hypothesis.h"
#include "search/search_options.h"

namespace gloss {

struct TranslateOptions {
  SearchOptions search;
  int64_t batch_tokens = 4096;                    ///< source tokens a batch, padding counted
  std::optional<AttentionChoice> attention = {};  ///< wanted of the best hypothesis, if any
};

/// What the search found for one source.
struct Translation {
  std::vector<Hypothesis> n_best;  ///< best first; at least one
  /// Of n_best.front(), if wanted: [its pieces + 1, source pieces + 1] row-major, </s> last.
  std::vector<double> attention;
};

/// Translates sources of any number and length: batches of like length, results in the order given.
/// The model is in eval mode afterwards. Throws UsageError when the options contradict each other.
///
/// \param sources ids without </s>; an empty one is translated as a bare </s>
std::vector<Translation> translate(Seq2Seq& model, const std::vector<std::vector<int32_t>>& sources,
                                   const TranslateOptions& options);

}  // namespace gloss
