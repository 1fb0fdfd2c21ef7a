#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "config/field.h"
#include "metrics/metric.h"

namespace gloss {

/// chrF and chrF++ (Popović 2015, 2017) with the numbers, defaults and option names of sacreBLEU 2.6.
struct ChrfOptions {
  int64_t char_order = 6;
  int64_t word_order = 0;  ///< 2 is chrF++
  int64_t beta = 2;
  bool whitespace = false;
  bool lowercase = false;
  bool eps_smoothing = false;

  template <class Visitor>
  void visit(Visitor&& field) {
    field("chrf-char-order", char_order, "chrF: longest character n-gram.", between(1, 100));
    field("chrf-word-order", word_order, "chrF: longest word n-gram; 2 is chrF++.", between(0, 100));
    field("chrf-beta", beta, "chrF: how much more recall counts than precision.", positive);
    field("chrf-whitespace", whitespace, "chrF: count white space as characters.", any);
    field("chrf-lowercase", lowercase, "chrF: compare without regard to case.", any);
    field("chrf-eps-smoothing", eps_smoothing,
          "chrF: average the F scores of all orders, as chrF++.py and NLTK do, instead of leaving out empty "
          "orders.",
          any);
  }
};

/// chrF as sums over lines: for each order, characters first, the n-grams of the hypothesis, of the reference and of
/// both, of the reference that gives the line its best score.
std::unique_ptr<Metric> chrf_metric(const ChrfOptions& options);

/// chrF of a corpus, 0 to 100. `references[r][i]` is the r-th reference of line i; each line counts with the
/// reference that gives it the best score, and the counts are summed before dividing. DataError if the numbers of
/// lines differ, or without any line or reference.
double chrf(const std::vector<std::string>& hypotheses,
            const std::vector<std::vector<std::string>>& references, const ChrfOptions& options = {});

/// chrF of one line against its references.
double sentence_chrf(const std::string& hypothesis, const std::vector<std::string>& references,
                     const ChrfOptions& options = {});

/// The usual name: chrF2, or chrF2++ with word order 2.
std::string chrf_name(const ChrfOptions& options);

/// sacreBLEU's description of the setting, `nrefs:1|case:mixed|eff:yes|nc:6|nw:0|space:no|version:2.6.0`.
std::string chrf_signature(const ChrfOptions& options, const SignatureFacts& facts);

}  // namespace gloss
