#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "align/alignment.h"
#include "align/alignment_options.h"

namespace gloss {

/// What a format may say about a sentence besides its alignment.
struct AlignmentInfo {
  double score = 0.0;
  std::string hypothesis;
  std::string source;
};

/// Writes alignments in one of the formats. Throws OutputError.
class AlignmentWriter {
 public:
  virtual ~AlignmentWriter() = default;

  /// Sentences come in order; numbers count from 1.
  virtual void write(int64_t sentence, const Alignment& alignment, const AlignmentInfo& info) = 0;

  /// Must be called after the last sentence: a file appears under its name only then.
  virtual void close() {}
};

/// The writer of options.effective_format() to options.path, where "-" is stdout. matrix makes the folder, and writes
/// each sentence's file at once (000001.csv, ...). Throws OutputError where that can be known already, and UsageError
/// for an unknown format or a matrix on stdout.
std::unique_ptr<AlignmentWriter> make_alignment_writer(const AlignmentOptions& options);

}  // namespace gloss
