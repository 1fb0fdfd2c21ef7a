#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "config/field.h"
#include "metrics/metric.h"
#include "metrics/tokenize.h"

namespace gloss {

/// exp, floor, add-k, none.
std::vector<std::string> bleu_smoothing_names();

/// Does the smoothing read --smooth-value?
bool bleu_smoothing_has_value(const std::string& name);

/// -1, or what smoothing can add: beyond that no score is a number any more.
inline Check smooth_value_check() {
  return detail::number_check("-1, or between 0 and 1000000",
                              [](double v) { return v == -1 || (v >= 0 && v <= 1e6); });
}

/// BLEU (Papineni et al. 2002) with the numbers, defaults and option names of sacreBLEU 2.6.
struct BleuOptions {
  std::string tokenize = "13a";
  bool lowercase = false;  ///< as Python's str.lower: full Unicode mappings, final sigma
  std::string smooth_method = "exp";
  double smooth_value = -1.0;
  bool effective_order = false;
  int64_t max_ngram_order = 4;

  template <class Visitor>
  void visit(Visitor&& field) {
    field("tokenize", tokenize, "BLEU: how lines are split into words.", one_of(metric_tokenizer_names()));
    field("lowercase", lowercase, "BLEU: compare without regard to case.", any);
    field("smooth-method", smooth_method, "BLEU: what an order without a match counts as.",
          one_of(bleu_smoothing_names()));
    field("smooth-value", smooth_value,
          "BLEU: value of floor (0.1) or add-k (1) smoothing; -1 takes the usual one.", smooth_value_check());
    field("effective-order", effective_order, "BLEU: leave out orders longer than the line.", any);
    field("max-ngram-order", max_ngram_order, "BLEU: longest n-gram.", between(1, 100));
  }
};

/// All numbers of one score. Vectors have one entry an order; scores and precisions run from 0 to 100.
struct BleuScore {
  double score = 0.0;
  std::vector<double> precisions;
  std::vector<double> matches;  ///< clipped n-gram matches; add-k smoothing included
  std::vector<double> totals;   ///< n-grams of the hypotheses; add-k smoothing included
  double brevity_penalty = 0.0;
  int64_t hypothesis_length = 0;
  int64_t reference_length = 0;
};

/// BLEU as sums over lines: length of the hypothesis, length of the reference closest to it, then the matches of each
/// order, then its n-grams. UsageError for an unknown tokenizer or smoothing.
std::unique_ptr<Metric> bleu_metric(const BleuOptions& options);

/// All numbers that follow from the sums of bleu_metric.
BleuScore bleu_from_sums(std::span<const double> sums, const BleuOptions& options);

/// BLEU of a corpus. `references[r][i]` is the r-th reference of line i; the counts of all lines are summed before
/// dividing. DataError if the numbers of lines differ, or without any line or reference.
BleuScore bleu(const std::vector<std::string>& hypotheses,
               const std::vector<std::vector<std::string>>& references, const BleuOptions& options = {});

/// BLEU of one line against its references (effective_order is usually wanted here).
BleuScore sentence_bleu(const std::string& hypothesis, const std::vector<std::string>& references,
                        const BleuOptions& options = {});

/// sacreBLEU's description of the setting, `nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:2.6.0`.
std::string bleu_signature(const BleuOptions& options, const SignatureFacts& facts);

}  // namespace gloss
