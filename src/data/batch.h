#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace gloss {

/// Sentence pairs as rectangles of ids, padded with kPad at the right. Row-major, no LibTorch here:
/// search/batch_tensors.h turns them into tensors.
///
/// Every source row ends in kEos before its padding, so no source is ever empty.
/// target_in  = <s>  y_1 … y_n        target_out = y_1 … y_n </s>
struct Batch {
  int64_t size = 0;                     ///< number of pairs
  int64_t source_length = 0;            ///< longest source row, </s> counted
  int64_t target_length = 0;            ///< longest target row, </s> counted; 0 when there is no target side
  std::vector<int64_t> source;          ///< [size, source_length]
  std::vector<int64_t> target_in;       ///< [size, target_length]
  std::vector<int64_t> target_out;      ///< [size, target_length]
  std::vector<int64_t> source_lengths;  ///< [size], </s> counted
  std::vector<int64_t> target_lengths;  ///< [size], </s> counted
  std::vector<int64_t> lines;           ///< [size], 0-based pair numbers in the corpus, for messages

  int64_t source_tokens = 0;  ///< sum of source_lengths
  int64_t target_tokens = 0;  ///< sum of target_lengths

  /// Cells that hold padding, both sides together.
  int64_t padding_cells() const {
    return size * (source_length + target_length) - source_tokens - target_tokens;
  }
};

struct EncodedPair {
  std::vector<int32_t> source;  ///< ids without </s>
  std::vector<int32_t> target;
  int64_t line = 0;
};

/// Lays pairs out as a batch in the order given. `has_target` false leaves the target side empty.
Batch make_batch(const std::vector<EncodedPair>& pairs, bool has_target = true);

/// The batch in at most `parts` batches of neighbouring pairs, in order, with about equally many tokens each. Each is
/// padded to its own longest rows only.
std::vector<Batch> split_batch(const Batch& batch, int64_t parts);

}  // namespace gloss
