#pragma once

#include <cstdint>
#include <vector>

#include "model/seq2seq.h"
#include "search/hypothesis.h"
#include "search/search_options.h"

namespace gloss {

struct TranslateOptions {
  SearchOptions search;
  int64_t batch_tokens = 4096;  ///< source tokens a batch, padding counted
  bool want_attention = false;  ///< of the best hypothesis
};

/// What the search found for one source.
struct Translation {
  std::vector<Hypothesis> n_best;  ///< best first; at least one
  std::vector<double> attention;   ///< [rows, columns] row-major, of n_best.front(); empty unless asked for
  int64_t rows = 0;                ///< its pieces and </s>
  int64_t columns = 0;             ///< source pieces and </s>
};

/// Translates sources of any number and length: batches of like length, results in the order given.
/// The model is in eval mode afterwards. Throws UsageError when the options contradict each other.
///
/// \param sources ids without </s>; an empty one is translated as a bare </s>
std::vector<Translation> translate(Seq2Seq& model, const std::vector<std::vector<int32_t>>& sources,
                                   const TranslateOptions& options, torch::Device device);

}  // namespace gloss
