#include "length_border.h"

#include <spdlog/spdlog.h>

#include <algorithm>

#include "core/error.h"

namespace gloss {
namespace {

void check_side(const std::string& option, int64_t most, size_t pieces, const std::string& place) {
  if (static_cast<int64_t>(pieces) <= most) return;
  throw DataError(place + ": " + std::to_string(pieces) + " pieces, but this model sees no more than " +
                  std::to_string(most) + "; leave the pair out, or train with a larger --" + option);
}

}  // namespace

LengthBorder length_border(const ModelOptions& options) {
  if (options.is_rnn() && !score_reads_keys(options.attention_score))
    return {.option = "attention-max-length", .source = options.attention_max_length - 1};
  // The decoder reads as many positions as the target has pieces and a begin mark.
  if (!options.is_rnn() && positions_have_table(options.positions))
    return {
        .option = "max-positions", .source = options.max_positions - 1, .target = options.max_positions - 1};
  return {};
}

void warn_beyond_border(const LengthBorder& border, int64_t max_length) {
  const auto seen = std::min(border.source, border.target);
  if (max_length <= seen) return;
  spdlog::warn(
      "--max-length {}: this model tells no more than {} pieces apart, so the ends of longer sentences train "
      "it badly; give --max-length {}, or a larger --{}",
      max_length, seen, seen, border.option);
}

void check_length(const LengthBorder& border, size_t source_pieces, size_t target_pieces,
                  const std::string& source_place, const std::string& target_place) {
  check_side(border.option, border.source, source_pieces, source_place);
  check_side(border.option, border.target, target_pieces, target_place);
}

}  // namespace gloss
