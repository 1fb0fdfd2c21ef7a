#pragma once

#include <string>
#include <vector>

#include "config/field.h"
#include "metrics/bleu.h"
#include "metrics/chrf.h"
#include "metrics/ter.h"

namespace gloss {

/// Tests of significance: of the difference from a baseline, or how far one score may be trusted.
struct SignificanceOptions {
  std::string baseline;
  bool paired_bs = false;
  bool paired_ar = false;
  int64_t paired_bs_n = 1000;
  int64_t paired_ar_n = 10000;
  bool confidence = false;
  int64_t confidence_n = 1000;

  template <class Visitor>
  void visit(Visitor&& field) {
    field("baseline", baseline, "Translations of another system: is the difference more than chance?", any);
    field(
        "paired-bs", paired_bs,
        "Compare with the baseline by paired bootstrap resampling (done anyway unless --paired-ar is given).",
        any);
    field("paired-ar", paired_ar, "Compare with the baseline by paired approximate randomization.", any);
    field("paired-bs-n", paired_bs_n, "Resamples of --paired-bs.", between(2, 999999));
    field("paired-ar-n", paired_ar_n, "Trials of --paired-ar.", between(2, 999999));
    field("confidence", confidence, "95 % confidence intervals by bootstrap resampling.", any);
    field("confidence-n", confidence_n, "Resamples of --confidence.", between(2, 999999));
  }

  /// Which tests compare with the baseline.
  bool resamples_pairs() const { return !baseline.empty() && (paired_bs || !paired_ar); }
  bool swaps_pairs() const { return !baseline.empty() && paired_ar; }
};

/// `gloss evaluate`: a translation against references, or links against gold links.
struct EvaluateOptions {
  std::string hypothesis = "-";
  std::vector<std::string> reference;
  std::string metrics = "bleu,chrf";
  std::string gold;
  std::string gold_base = "auto";
  bool json = false;
  bool sentence_level = false;
  SignificanceOptions significance;
  BleuOptions bleu;
  ChrfOptions chrf;
  TerOptions ter;

  template <class Visitor>
  void visit(Visitor&& field) {
    field("hypothesis", hypothesis,
          "Translations to score, a line each; with --gold a file of links. - is stdin.", any);
    field("reference", reference,
          "Reference translations; each file has a line for each hypothesis. An empty line is an empty "
          "reference.",
          any);
    field("metrics", metrics, "What to compute, separated by commas.", metrics_check());
    field("gold", gold, "Gold links, sure (1-2) and possible (1p2): computes the alignment error rate.", any);
    field("gold-base", gold_base, "Number of the first word in --gold; auto: 1 for .talp and .naacl, else 0.",
          one_of({"auto", "0", "1"}));
    field("json", json, "Print JSON, with all digits and details.", any);
    field("sentence-level", sentence_level,
          "Scores of each line (BLEU with effective order) instead of the corpus, as CSV or with --json.",
          any);
    significance.visit(field);
    bleu.visit(field);
    chrf.visit(field);
    ter.visit(field);
  }

  /// UsageError unless the options make sense together.
  void validate() const;

 private:
  static Check metrics_check();
};

}  // namespace gloss
