#pragma once

#include <string>

#include "line_translation.h"

namespace gloss {

/// What stands on a line of the output.
enum class OutputForm {
  kText,    ///< text
  kScores,  ///< score TAB text
  kNBest,   ///< line number TAB score TAB text, best first
  kJson,    ///< an object with line, source and hypotheses
};

/// The line, or in kNBest the lines, of a translation, each with its LF.
std::string format_translation(const LineTranslation& translation, OutputForm form);

}  // namespace gloss
