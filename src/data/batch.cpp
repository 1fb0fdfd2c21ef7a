#include "data/batch.h"

#include <algorithm>

#include "core/special_tokens.h"

namespace gloss {

Batch make_batch(const std::vector<EncodedPair>& pairs, bool has_target) {
  Batch batch;
  batch.size = static_cast<int64_t>(pairs.size());
  for (const auto& pair : pairs) {
    batch.source_lengths.push_back(static_cast<int64_t>(pair.source.size()) + 1);
    batch.source_length = std::max(batch.source_length, batch.source_lengths.back());
    batch.source_tokens += batch.source_lengths.back();
    batch.lines.push_back(pair.line);
    if (!has_target) continue;
    batch.target_lengths.push_back(static_cast<int64_t>(pair.target.size()) + 1);
    batch.target_length = std::max(batch.target_length, batch.target_lengths.back());
    batch.target_tokens += batch.target_lengths.back();
  }
  batch.source.assign(static_cast<size_t>(batch.size * batch.source_length), kPad);
  batch.target_in.assign(static_cast<size_t>(batch.size * batch.target_length), kPad);
  batch.target_out = batch.target_in;
  for (size_t i = 0; i < pairs.size(); ++i) {
    const auto& [source, target, line] = pairs[i];
    const auto source_row = batch.source.begin() + static_cast<int64_t>(i) * batch.source_length;
    *std::copy(source.begin(), source.end(), source_row) = kEos;
    if (!has_target) continue;
    const auto offset = static_cast<int64_t>(i) * batch.target_length;
    *(batch.target_in.begin() + offset) = kBos;
    std::copy(target.begin(), target.end(), batch.target_in.begin() + offset + 1);
    *std::copy(target.begin(), target.end(), batch.target_out.begin() + offset) = kEos;
  }
  return batch;
}

}  // namespace gloss
