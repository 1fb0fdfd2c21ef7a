#include "align/words.h"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "core/unicode.h"

namespace gloss {
namespace {

using Span = std::pair<size_t, size_t>;

/// For each piece, the words it belongs to.
using Membership = std::vector<std::vector<size_t>>;

Membership words_of_pieces(const std::vector<Unit>& pieces, const std::vector<Span>& words) {
  Membership membership(pieces.size());
  if (words.empty()) return membership;
  for (size_t p = 0; p < pieces.size(); ++p) {
    const auto& piece = pieces[p];
    // Words are in order, so the first that ends behind the piece's beginning is the first it can belong to.
    const auto next = std::upper_bound(words.begin(), words.end(), piece.begin,
                                       [](size_t at, const Span& word) { return at < word.second; });
    for (auto word = next; word != words.end() && word->first < piece.end; ++word)
      membership[p].push_back(static_cast<size_t>(word - words.begin()));
    if (membership[p].empty())
      membership[p].push_back(static_cast<size_t>((next == words.end() ? next - 1 : next) - words.begin()));
  }
  return membership;
}

void check_size(const PieceWeights& pieces) {
  const size_t columns = pieces.source.size() + 1;
  const size_t rows = pieces.target.size();
  if (pieces.weights.size() != (rows + 1) * columns && pieces.weights.size() != rows * columns)
    throw std::invalid_argument("alignment of " + std::to_string(rows) + " target and " +
                                std::to_string(columns - 1) + " source pieces got " +
                                std::to_string(pieces.weights.size()) + " weights");
}

/// Rows of zeros (a word that the model never saw) and of NaN become zeros.
void normalise_rows(Alignment& alignment) {
  const size_t columns = alignment.source.size();
  for (size_t row = 0; row < alignment.target.size(); ++row) {
    double* begin = alignment.weights.data() + row * columns;
    double sum = 0.0;
    for (size_t j = 0; j < columns; ++j) sum += begin[j];
    for (size_t j = 0; j < columns; ++j) begin[j] = sum > 0 ? begin[j] / sum : 0.0;
  }
}

std::vector<std::string> texts_of(const std::vector<Unit>& pieces) {
  std::vector<std::string> texts;
  for (const auto& piece : pieces) texts.push_back(piece.text);
  return texts;
}

std::vector<std::string> texts_of(std::string_view line, const std::vector<Span>& words) {
  std::vector<std::string> texts;
  for (const auto& [begin, end] : words) texts.emplace_back(line.substr(begin, end - begin));
  return texts;
}

Membership each_its_own(size_t size) {
  Membership membership(size);
  for (size_t i = 0; i < size; ++i) membership[i] = {i};
  return membership;
}

/// Merges rows and columns of pieces into those of units; </s> is a unit of its own, or none.
Alignment merge(const PieceWeights& pieces, std::vector<std::string> source, Membership source_units,
                std::vector<std::string> target, Membership target_units, bool keep_eos) {
  check_size(pieces);
  const size_t piece_columns = pieces.source.size() + 1;
  const bool has_eos_row = pieces.weights.size() > pieces.target.size() * piece_columns;
  if (keep_eos) {
    source_units.push_back({source.size()});
    source.emplace_back(kEndMark);
    if (has_eos_row) {
      target_units.push_back({target.size()});
      target.emplace_back(kEndMark);
    }
  }
  Alignment merged{std::move(source), std::move(target), {}};
  const size_t columns = merged.source.size();
  merged.weights.assign(merged.target.size() * columns, 0.0);

  std::vector<double> rows_of_unit(merged.target.size(), 0.0);
  for (const auto& units : target_units)
    for (const size_t unit : units) ++rows_of_unit[unit];
  for (size_t i = 0; i < target_units.size(); ++i) {
    for (size_t j = 0; j < source_units.size(); ++j) {
      const double weight = pieces.weights[i * piece_columns + j];
      for (const size_t row : target_units[i])
        for (const size_t column : source_units[j])
          merged.weights[row * columns + column] +=
              weight / rows_of_unit[row] / static_cast<double>(source_units[j].size());
    }
  }
  if (!keep_eos) normalise_rows(merged);
  return merged;
}

}  // namespace

Alignment to_pieces(const PieceWeights& pieces, bool keep_eos) {
  return merge(pieces, texts_of(pieces.source), each_its_own(pieces.source.size()), texts_of(pieces.target),
               each_its_own(pieces.target.size()), keep_eos);
}

Alignment to_words(const PieceWeights& pieces, std::string_view source_line, std::string_view target_line,
                   bool keep_eos) {
  const auto source_words = word_spans(source_line);
  const auto target_words = word_spans(target_line);
  return merge(pieces, texts_of(source_line, source_words), words_of_pieces(pieces.source, source_words),
               texts_of(target_line, target_words), words_of_pieces(pieces.target, target_words), keep_eos);
}

}  // namespace gloss
