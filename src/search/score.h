#pragma once

#include <cstdint>
#include <vector>

#include "data/batch.h"
#include "model/seq2seq.h"

namespace gloss {

/// Log-probability of every token of given targets, the end mark last: log p(y_t | y_<t, x). An empty source is its
/// bare </s>, an empty target its end mark alone, so every pair has a score. Pairs of like length share a batch; what
/// a pair gets does not depend on the others. The model is in eval mode afterwards. Throws CheckpointError on NaN: a
/// model with such weights is broken.
///
/// \param pairs        in any order; the result has theirs
/// \param batch_tokens most tokens of a batch on its longer side, padding and end marks counted; one pair over it is a
///                     batch of its own
/// \return             [pairs][target pieces + 1]
std::vector<std::vector<double>> score(Seq2Seq& model, const std::vector<EncodedPair>& pairs,
                                       int64_t batch_tokens);

}  // namespace gloss
