#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "data/spool.h"
#include "text/text_source.h"

namespace gloss {

/// Files of a parallel corpus. source[i] and target[i] belong together; "-" is stdin.
struct CorpusFiles {
  std::vector<std::string> source;
  std::vector<std::string> target;
  std::vector<std::string> tsv;
};

/// Two lines that translate each other, as they stand in the files, and where.
struct LinePair {
  std::string source;
  std::string target;
  std::string source_file;  ///< for messages; the TSV file on both sides where the pair comes from one
  std::string target_file;
  int64_t file_line = 0;  ///< 1-based, in those files
  int64_t number = 0;     ///< 0-based, in the whole corpus
};

/// A parallel corpus on disk, checked for equal numbers of lines and readable as often as wanted. Text from stdin and
/// pipes is copied to a temporary file first.
class ParallelText {
 public:
  /// Reads all files once. Throws DataError: a file that cannot be read, files of different length (both names, both
  /// counts), a TSV line without a tab, no lines at all; UsageError where files are missing on one side.
  explicit ParallelText(const CorpusFiles& files);

  int64_t size() const { return size_; }

  /// File names, for messages.
  std::string name() const;

  /// One side, for vocabulary training. The source outlives this object.
  TextSource source() const;
  TextSource target() const;

  /// Every pair, in order; a visitor that returns false ends the pass.
  void for_each(const std::function<bool(LinePair&)>& visit) const;

 private:
  struct File {
    std::string name;  // for messages
    std::string path;  // where the bytes are
  };
  struct Part {
    File source;
    File target;  // empty path: source is a TSV file
  };

  File add(const std::string& path);
  static int64_t check(const Part& part);
  static TextSource side(std::shared_ptr<const ParallelText> text, bool want_target);

  std::vector<Part> parts_;
  std::vector<std::shared_ptr<Spool>> spools_;
  int64_t size_ = 0;
};

}  // namespace gloss
