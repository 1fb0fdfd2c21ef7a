#pragma once

#include <string>
#include <vector>

#include "evaluate_options.h"
#include "metrics/metric.h"

namespace gloss {

/// The lines to compare.
struct EvaluationTexts {
  std::vector<std::string> hypotheses;
  std::vector<std::string> baseline;                 ///< empty without one
  std::vector<std::vector<std::string>> references;  ///< [reference][line]
};

/// Reads the files as sacreBLEU does: lines end at LF alone and lose the white space at their right end; a byte order
/// mark stays. Warns of what makes scores lower than they need be: a byte order mark, bytes that are no UTF-8,
/// tokenized text under BLEU, lower-cased text against cased references. DataError, naming the files, if one can't be
/// read or has another number of lines, or none.
EvaluationTexts read_evaluation_texts(const EvaluateOptions& options);

}  // namespace gloss
