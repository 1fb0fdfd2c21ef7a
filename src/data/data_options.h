#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "config/field.h"

namespace gloss {

/// Where the text of a training run lies and how it becomes batches.
struct DataOptions {
  std::vector<std::string> train_source;
  std::vector<std::string> train_target;
  std::vector<std::string> train_tsv;
  std::vector<std::string> valid_source;
  std::vector<std::string> valid_target;
  std::string valid_alignments;
  int64_t batch_tokens = 4096;
  int64_t max_length = 100;

  template <class Visitor>
  void visit(Visitor&& field) {
    field("train-source", train_source,
          "Training text, source side: files (plain or gzip, - is stdin), one after the other.", any);
    field("train-target", train_target,
          "Training text, target side: as many files, line by line its translation.", any);
    field("train-tsv", train_tsv,
          "Training text as files of source TAB target (further columns are not read).", any);
    field("valid-source", valid_source, "Validation text, source side.", any);
    field("valid-target", valid_target, "Validation text, target side.", any);
    field(
        "valid-alignments", valid_alignments,
        "Gold word alignments of the validation text (.talp, .naacl, else pharaoh): they choose the decoder "
        "layer that a transformer's alignments are read from.",
        any);
    field("batch-tokens", batch_tokens, "Target tokens a batch, padding and end marks counted.", positive);
    field("max-length", max_length,
          "Longest training sentence in pieces, end mark not counted; longer pairs are left out.", positive);
  }

  /// Throws UsageError.
  void validate() const;
};

}  // namespace gloss
