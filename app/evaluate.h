#pragma once

#include <string>
#include <vector>

#include "config/field.h"
#include "metrics/bleu.h"
#include "metrics/chrf.h"

namespace gloss {

/// `gloss evaluate`: a translation against references, or links against gold links.
struct EvaluateOptions {
  std::string hypothesis = "-";
  std::vector<std::string> reference;
  std::string metrics = "bleu,chrf";
  std::string gold;
  std::string gold_base = "auto";
  bool json = false;
  bool sentence_level = false;
  BleuOptions bleu;
  ChrfOptions chrf;

  template <class Visitor>
  void visit(Visitor&& field) {
    field("hypothesis", hypothesis,
          "Translations to score, a line each; with --gold a file of links. - is stdin.", any);
    field("reference", reference, "Reference translations; each file has a line for each hypothesis.", any);
    field("metrics", metrics, "What to compute, separated by commas.", metrics_check());
    field("gold", gold, "Gold links, sure (1-2) and possible (1p2): computes the alignment error rate.", any);
    field("gold-base", gold_base, "Number of the first word in --gold; auto: 1 for .talp and .naacl, else 0.",
          one_of({"auto", "0", "1"}));
    field("json", json, "Print JSON, with all digits and details.", any);
    field("sentence-level", sentence_level,
          "Scores of each line (BLEU with effective order) instead of the corpus.", any);
    bleu.visit(field);
    chrf.visit(field);
  }

  /// Either references or gold links.
  void validate() const;

 private:
  static Check metrics_check();
};

/// What the command prints, with its last LF.
///
/// Text: a line `name<TAB>score<TAB>signature` for each metric; with sentence_level a line for each hypothesis with
/// its scores, in the order of `metrics`, separated by tabs; with gold a line `name<TAB>value` for each of precision,
/// recall, aer and f1.
/// DataError if files have different numbers of lines or there are none; UsageError from validate().
std::string evaluate_report(const EvaluateOptions& options);

}  // namespace gloss
