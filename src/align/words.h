#pragma once

#include <string_view>
#include <vector>

#include "align/alignment.h"
#include "core/special_tokens.h"

namespace gloss {

/// A model's attention in its own pieces, with the end mark.
struct PieceWeights {
  std::vector<Unit> source;  ///< pieces and their bytes in the raw source line, without </s>
  std::vector<Unit> target;  ///< likewise of the output line
  /// [target.size() + 1, source.size() + 1], row-major; the last row and column belong to </s>. The last row may be
  /// missing: [target.size(), source.size() + 1] (output cut at its length limit).
  std::vector<double> weights;
};

/// How the end mark is written when it is kept.
inline constexpr std::string_view kEndMark = kSpecialTokens[kEos];

/// The pieces as units. Without `keep_eos` the row and column of </s> are dropped and each row is divided by its sum,
/// also where the attention itself sums to less than 1 (local-p); a row of zeros stays so. With it all weights are
/// as the model gave them.
/// Throws std::invalid_argument if the number of weights does not fit.
Alignment to_pieces(const PieceWeights& pieces, bool keep_eos);

/// The words of both raw lines as units. A piece belongs to every word that its bytes overlap; a piece in no word (a
/// lone space mark) goes with the next word, or with the last at the end of the line. A source word gets the sum of
/// its pieces' weights (a piece in n words gives each 1/n), a target word the mean of its pieces' rows; a word without
/// pieces gets zeros. </s> and sums as in to_pieces.
Alignment to_words(const PieceWeights& pieces, std::string_view source_line, std::string_view target_line,
                   bool keep_eos);

}  // namespace gloss
