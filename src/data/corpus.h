#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/sha256.h"
#include "data/batch.h"
#include "data/parallel_text.h"
#include "data/spool.h"
#include "text/train_tokenizer.h"

namespace gloss {

/// What became of the pairs of a corpus. Each pair left out is counted under one reason.
struct CorpusCounts {
  int64_t pairs = 0;
  int64_t kept = 0;
  int64_t empty = 0;         ///< a side without a piece
  int64_t too_long = 0;      ///< a side over max-length pieces
  int64_t invalid_utf8 = 0;  ///< lines (of either side) in which bytes were replaced by U+FFFD
};

/// Pairs of ids on disk (a temporary file), with an index of 16 bytes a pair in memory. Reading is thread-safe.
class EncodedCorpus {
 public:
  /// Building: append all, then finish() once.
  void append(const EncodedPair& pair);
  void finish();

  size_t size() const { return index_.size(); }
  EncodedPair pair(size_t i) const;
  int64_t source_length(size_t i) const { return index_[i].source_length; }  ///< </s> not counted
  int64_t target_length(size_t i) const { return index_[i].target_length; }

  /// SHA-256 of all pairs in their order: the same digest, the same training.
  const std::string& digest() const { return digest_; }

 private:
  struct Entry {
    uint64_t offset;
    uint32_t source_length;
    uint32_t target_length;
  };
  std::vector<Entry> index_;
  Spool ids_;
  Sha256 sha256_;
  std::string digest_;
};

/// One pass over the text: bytes that are no UTF-8 replaced and reported by line number, pairs with an empty side or one
/// over `max_length` pieces left out and counted, the rest encoded (by `threads` threads; the result does not depend
/// on their number). Logs what happened. Throws DataError when nothing is left.
EncodedCorpus encode_corpus(const ParallelText& text, const Tokenizers& tokenizers, int64_t max_length,
                            int64_t threads = 1);

/// A validation set: small, whole, in order.
struct ValidationSet {
  std::vector<std::string> source;  ///< lines, made valid UTF-8
  std::vector<std::string> target;
  std::vector<EncodedPair> pairs;
  std::vector<bool> in_loss;  ///< false: an empty side, or over max_length; decoded all the same
  CorpusCounts counts;
  std::string digest;  ///< SHA-256 of the lines
};

/// Throws DataError when no pair counts in the loss.
ValidationSet load_validation_set(const ParallelText& text, const Tokenizers& tokenizers, int64_t max_length);

}  // namespace gloss
