#include "search/search_options.h"

#include <algorithm>
#include <string>

#include "core/error.h"

namespace gloss {

void SearchOptions::validate() const {
  if (n_best > beam_size)
    throw UsageError("n-best: " + std::to_string(n_best) + " translations asked for, but the beam holds " +
                     std::to_string(beam_size) + "; raise --beam-size or lower --n-best");
}

int64_t output_limit(const SearchOptions& options, int64_t source_pieces) {
  if (options.max_output_length > 0) return options.max_output_length;
  constexpr double kLargest = 1e9;  // keeps the product inside int64_t, whatever ratio was asked for
  return static_cast<int64_t>(
             std::min(options.max_output_ratio * static_cast<double>(source_pieces), kLargest)) +
         10;
}

}  // namespace gloss
