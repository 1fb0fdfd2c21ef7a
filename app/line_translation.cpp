#include "line_translation.h"

#include <algorithm>

#include "align/words.h"
#include "core/lines.h"
#include "search/sentence_search.h"

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
    joined.text += text;
    joined.log_probability += hypothesis.log_probability;
    length += static_cast<int64_t>(hypothesis.ids.size()) + 1;
    for (const auto id : hypothesis.ids) joined.tokens.push_back(target.piece(id));
  }
  joined.score = length_normalized(joined.log_probability, length, length_penalty);
  return joined;
}

std::vector<Unit> units_of(const std::vector<Piece>& pieces, size_t shift = 0) {
  std::vector<Unit> units;
  for (const auto& piece : pieces) units.push_back({piece.text, piece.begin + shift, piece.end + shift});
  return units;
}

/// The segments' attention as blocks of one matrix over all pieces of the line. The end mark's column holds
/// each row's weight on the end of its own segment; its row is that of the last segment.
PieceWeights block_weights(const SourceLine& line, std::span<const Translation> segments,
                           const Tokenizer& target) {
  PieceWeights pieces;
  for (const auto& segment : line.segments) {
    const auto units = units_of(segment);
    pieces.source.insert(pieces.source.end(), units.begin(), units.end());
  }
  const auto columns = pieces.source.size() + 1;
  size_t first_column = 0, text_size = 0;
  for (size_t s = 0; s < segments.size(); ++s) {
    const auto& segment = segments[s];
    const auto& ids = segment.n_best.front().ids;
    const auto text = one_line(target.decode(ids));
    if (text_size > 0 && !text.empty()) ++text_size;  // the space between segments
    const auto units = units_of(target.decode_with_offsets(ids), text_size);
    pieces.target.insert(pieces.target.end(), units.begin(), units.end());
    text_size += text.size();

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
      const auto pieces = block_weights(line, segments, target);
      result.alignment = alignment->level == "word"
                             ? to_words(pieces, line.text, result.hypotheses.front().text, alignment->eos)
                             : to_pieces(pieces, alignment->eos);
    }
  }
  result.source = std::move(line.text);
  return result;
}

}  // namespace gloss
