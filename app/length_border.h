#pragma once

#include <cstdint>
#include <limits>
#include <string>

#include "model/model_options.h"

namespace gloss {

/// How far a model sees whose parameters are made for so many positions: location scores of an RNN, learned positions
/// of a transformer. All other models see sentences of any length.
struct LengthBorder {
  static constexpr int64_t kNone = std::numeric_limits<int64_t>::max();

  std::string option;      ///< that set it in training
  int64_t source = kNone;  ///< most pieces, end mark not counted
  int64_t target = kNone;
};

LengthBorder length_border(const ModelOptions& options);

/// Warns when training takes pairs that are longer than the model can tell apart.
/// \param max_length most pieces of a training sentence, end mark not counted
void warn_beyond_border(const LengthBorder& border, int64_t max_length);

/// Throws DataError for a pair beyond the border: what is given cannot be split, as translate splits its lines.
/// \param place of the pair, for the message: "file:line"
void check_length(const LengthBorder& border, size_t source_pieces, size_t target_pieces,
                  const std::string& source_place, const std::string& target_place);

}  // namespace gloss
