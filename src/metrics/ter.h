#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "config/field.h"
#include "metrics/metric.h"

namespace gloss {

/// Translation edit rate (Snover et al. 2006) with the numbers, defaults and option names of sacreBLEU 2.6, which
/// follows the program Tercom in its tokenizer, its search for shifts and its beam.
struct TerOptions {
  bool normalized = false;
  bool no_punct = false;
  bool asian_support = false;
  bool case_sensitive = false;

  template <class Visitor>
  void visit(Visitor&& field) {
    field("ter-normalized", normalized, "TER: split off punctuation and decode entities first.", any);
    field("ter-no-punct", no_punct, "TER: leave punctuation out.", any);
    field("ter-asian-support", asian_support,
          "TER: with --ter-normalized split Chinese characters, with --ter-no-punct leave out Asian "
          "punctuation.",
          any);
    field("ter-case-sensitive", case_sensitive, "TER: compare with regard to case.", any);
  }
};

struct TerScore {
  double score = 0.0;  ///< 100 edits / reference_length; may exceed 100
  int64_t edits = 0;   ///< insertions, deletions, substitutions and shifts, against the nearest reference
  double reference_length = 0.0;  ///< in words, the mean over a line's references
};

/// TER as sums over lines: edits, reference length.
std::unique_ptr<Metric> ter_metric(const TerOptions& options);

/// All numbers that follow from the sums of ter_metric.
TerScore ter_from_sums(std::span<const double> sums);

/// TER of a corpus. `references[r][i]` is the r-th reference of line i; edits and lengths are summed before dividing.
/// DataError if the numbers of lines differ, or without any line or reference.
TerScore ter(const std::vector<std::string>& hypotheses,
             const std::vector<std::vector<std::string>>& references, const TerOptions& options = {});

/// TER of one line against its references.
TerScore sentence_ter(const std::string& hypothesis, const std::vector<std::string>& references,
                      const TerOptions& options = {});

/// sacreBLEU's description of the setting, `nrefs:1|case:lc|tok:tercom|norm:no|punct:yes|asian:no|version:2.6.0`.
std::string ter_signature(const TerOptions& options, const SignatureFacts& facts);

}  // namespace gloss
