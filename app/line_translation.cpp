#include "line_translation.h"

#include <algorithm>

#include "align/words.h"
#include "core/lines.h"
#include "search/sentence_search.h"
#include "search/units.h"

namespace gloss {
namespace {

/// The k-th hypothesis of a segment; one with fewer gives its last.
const Hypothesis& hypothesis_of(const Translation& segment, size_t k) {
  return segment.n_best[std::min(k, segment.n_best.size() - 1)];
}

LineHypothesis join_hypothesis(std::span<const Translation> segments, size_t k, const Tokenizer& target,
                               double length_penalty) {
  LineHypothesis joined;
  int64_t length = 0;
  for (const auto& segment : segments) {
    const auto& hypothesis = hypothesis_of(segment, k);
    const auto text = one_line(target.decode(hypothesis.ids));
    if (!joined.text.empty() && !text.empty()) joined.text += ' ';
    joined.segment_begins.push_back(joined.text.size());
    joined.text += text;
    joined.log_probability += hypothesis.log_probability;
    joined.is_finished &= hypothesis.is_finished;
    length += static_cast<int64_t>(hypothesis.ids.size()) + (hypothesis.is_finished ? 1 : 0);
    for (const auto id : hypothesis.ids) joined.tokens.push_back(target.piece(id));
  }
  joined.score = length_normalized(joined.log_probability, length, length_penalty);
  return joined;
}

/// The segments' attention as blocks of one matrix over all pieces of the line. The end mark's column holds
/// each row's weight on the end of its own segment; its row is that of the last segment.
/// \param begins where each segment's text begins in the best hypothesis
PieceWeights block_weights(const SourceLine& line, std::span<const Translation> segments,
                           const std::vector<size_t>& begins, const Tokenizer& target) {
  PieceWeights pieces;
  for (const auto& segment : line.segments) {
    const auto units = units_of(segment);
    pieces.source.insert(pieces.source.end(), units.begin(), units.end());
  }
  const auto columns = pieces.source.size() + 1;
  size_t first_column = 0;
  for (size_t s = 0; s < segments.size(); ++s) {
    const auto& segment = segments[s];
    const auto units = units_of(target.decode_with_offsets(segment.n_best.front().ids), begins[s]);
    pieces.target.insert(pieces.target.end(), units.begin(), units.end());

    const auto segment_columns = line.segments[s].size() + 1;
    const auto rows = units.size() + (s + 1 == segments.size() ? 1 : 0);
    for (size_t i = 0; i < rows; ++i) {
      const auto* from = segment.attention.data() + i * segment_columns;
      std::vector<double> row(columns, 0.0);
      std::copy(from, from + segment_columns - 1, row.begin() + static_cast<std::ptrdiff_t>(first_column));
      row.back() = from[segment_columns - 1];
      pieces.weights.insert(pieces.weights.end(), row.begin(), row.end());
    }
    first_column += segment_columns - 1;
  }
  return pieces;
}

}  // namespace

LineTranslation join_segments(SourceLine line, std::span<const Translation> segments, const Tokenizer& target,
                              double length_penalty, const AlignmentOptions* alignment) {
  LineTranslation result;
  result.number = line.number;
  if (segments.empty()) {
    result.hypotheses.emplace_back();
  } else {
    size_t count = 0;
    for (const auto& segment : segments) count = std::max(count, segment.n_best.size());
    for (size_t k = 0; k < count; ++k)
      result.hypotheses.push_back(join_hypothesis(segments, k, target, length_penalty));
    if (alignment) {
      const auto& best = result.hypotheses.front();
      const auto pieces = block_weights(line, segments, best.segment_begins, target);
      result.alignment = alignment->level == "word" ? to_words(pieces, line.text, best.text, alignment->eos)
                                                    : to_pieces(pieces, alignment->eos);
    }
  }
  result.source = std::move(line.text);
  return result;
}

}  // namespace gloss
