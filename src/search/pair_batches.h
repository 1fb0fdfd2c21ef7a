#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "data/batch.h"

namespace gloss {

/// Pairs of like length that the model gets at once.
struct PairBatch {
  std::vector<size_t> members;  ///< their places in the list that they come from
  std::vector<EncodedPair> pairs;
};

/// All pairs in batches, the longest first. In each, pairs × longest side (end mark counted) ≤ batch_tokens, or it is
/// one pair.
std::vector<PairBatch> pair_batches(const std::vector<EncodedPair>& pairs, int64_t batch_tokens);

}  // namespace gloss
