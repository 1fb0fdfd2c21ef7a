#include "data/batch.h"

#include <algorithm>

#include "core/special_tokens.h"

namespace gloss {

namespace {

/// The pairs [begin, end) of a batch.
Batch rows_of(const Batch& batch, int64_t begin, int64_t end) {
  const auto entries = [&](const std::vector<int64_t>& all) {
    return all.empty() ? all : std::vector<int64_t>(all.begin() + begin, all.begin() + end);
  };
  Batch part;
  part.size = end - begin;
  part.source_lengths = entries(batch.source_lengths);
  part.target_lengths = entries(batch.target_lengths);
  part.lines = entries(batch.lines);
  for (const auto length : part.source_lengths) {
    part.source_length = std::max(part.source_length, length);
    part.source_tokens += length;
  }
  for (const auto length : part.target_lengths) {
    part.target_length = std::max(part.target_length, length);
    part.target_tokens += length;
  }
  const auto cells = [&](const std::vector<int64_t>& all, int64_t old_length, int64_t length) {
    std::vector<int64_t> some;
    some.reserve(static_cast<size_t>(part.size * length));
    for (auto row = begin; row < end; ++row) {
      const auto first = all.begin() + row * old_length;
      some.insert(some.end(), first, first + length);
    }
    return some;
  };
  part.source = cells(batch.source, batch.source_length, part.source_length);
  part.target_in = cells(batch.target_in, batch.target_length, part.target_length);
  part.target_out = cells(batch.target_out, batch.target_length, part.target_length);
  return part;
}

}  // namespace

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

std::vector<Batch> split_batch(const Batch& batch, int64_t parts) {
  const auto all = batch.source_tokens + batch.target_tokens;
  std::vector<Batch> split;
  int64_t begin = 0, seen = 0;
  for (int64_t row = 0; row < batch.size; ++row) {
    const auto i = static_cast<size_t>(row);
    seen += batch.source_lengths[i] + (batch.target_lengths.empty() ? 0 : batch.target_lengths[i]);
    const auto share = static_cast<int64_t>(split.size()) + 1;
    if (seen * parts < all * share) continue;
    split.push_back(rows_of(batch, begin, row + 1));
    begin = row + 1;
  }
  return split;
}

}  // namespace gloss
