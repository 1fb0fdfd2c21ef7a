#pragma once

#include <cstddef>
#include <vector>

#include "align/alignment.h"
#include "text/tokenizer.h"

namespace gloss {

/// Pieces as units of an alignment. \param shift where their text begins in the line, in bytes
inline std::vector<Unit> units_of(const std::vector<Piece>& pieces, size_t shift = 0) {
  std::vector<Unit> units;
  for (const auto& piece : pieces) units.push_back({piece.text, piece.begin + shift, piece.end + shift});
  return units;
}

}  // namespace gloss
