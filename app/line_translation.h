#pragma once

#include <span>
#include <string>
#include <vector>

#include "align/alignment.h"
#include "align/alignment_options.h"
#include "search/translate.h"
#include "text/tokenizer.h"
#include "translation_lines.h"

namespace gloss {

/// One translation of a line, as it is written.
struct LineHypothesis {
  std::string text;  ///< one line: no LF, CR or NUL
  double score = 0.0;
  double log_probability = 0.0;
  bool is_finished = true;             ///< false: a segment was cut at the output limit
  std::vector<std::string> tokens;     ///< its pieces
  std::vector<size_t> segment_begins;  ///< where in `text`, in bytes, that of each segment begins
};

struct LineTranslation {
  int64_t number = 0;  ///< of the line, from 1
  std::string source;
  std::vector<LineHypothesis> hypotheses;  ///< best first; a blank line has one empty one
  Alignment alignment;                     ///< of the best; empty unless asked for
};

/// Puts the translations of a line's segments together: texts joined by a space, log-probabilities added,
/// scores normalised by the whole length, alignments as blocks of one matrix.
///
/// \param segments one for each of line.segments
/// \param alignment level and end mark; nullptr where no alignment is wanted
LineTranslation join_segments(SourceLine line, std::span<const Translation> segments, const Tokenizer& target,
                              double length_penalty, const AlignmentOptions* alignment);

}  // namespace gloss
