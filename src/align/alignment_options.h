#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "config/field.h"

namespace gloss {

/// Names of the formats in which alignments are written (table in format.cpp).
std::vector<std::string> alignment_format_names();

/// What translate writes about alignments.
struct AlignmentOptions {
  std::string path;
  std::string format;  ///< empty: as the path has it
  std::string level = "word";
  bool eos = false;
  double threshold = 0.0;
  int64_t layer = 0;
  int64_t head = 0;
  std::string shift;

  template <class Visitor>
  void visit(Visitor&& field) {
    field("alignments", path, "Where to write the alignments; a folder gets one matrix for each line.", any);
    field("alignment-format", format,
          "Default: matrix where --alignments is a folder or ends in '/', else what its name ends in "
          "(.pharaoh, .talp, .naacl, .jsonl), else csv.",
          or_empty(one_of(alignment_format_names())));
    field("alignment-level", level, "Units of the alignments.", one_of({"word", "piece"}));
    field("alignment-eos", eos, "Keep the end mark's row and column; rows are not renormalised then.", any);
    field("alignment-threshold", threshold,
          "pharaoh, talp, naacl: link all weights from here on; 0 takes the largest of each target unit.",
          between(0, 1));
    field("alignment-layer", layer,
          "transformer: decoder layer that alignments are read from; 0: the one that training chose.",
          non_negative);
    field("alignment-head", head, "transformer: attention head, from 1; 0: the mean over all heads.",
          non_negative);
    field("alignment-shift", shift,
          "Whether a target word's row is that of the step that reads it (on) or that writes it (off); "
          "empty: as training chose.",
          or_empty(one_of({"on", "off"})));
  }

  /// The format in words: `format`, or the default for `path`.
  std::string effective_format() const;

  /// Throws UsageError for options that would do nothing.
  void validate() const;
};

}  // namespace gloss
