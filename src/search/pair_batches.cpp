#include "search/pair_batches.h"

#include <algorithm>
#include <utility>

#include "data/batcher.h"

namespace gloss {

std::vector<PairBatch> pair_batches(const std::vector<EncodedPair>& pairs, int64_t batch_tokens) {
  std::vector<size_t> lengths;
  for (const auto& pair : pairs) lengths.push_back(std::max(pair.source.size(), pair.target.size()) + 1);
  std::vector<PairBatch> batches;
  for (auto& members : batch_by_length(lengths, batch_tokens)) {
    auto& batch = batches.emplace_back();
    for (const auto i : members) batch.pairs.push_back(pairs[i]);
    batch.members = std::move(members);
  }
  return batches;
}

}  // namespace gloss
