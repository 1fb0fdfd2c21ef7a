#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace gloss {

/// A unit of a line (piece or word) and its bytes in that line, end exclusive.
struct Unit {
  std::string text;
  size_t begin = 0;
  size_t end = 0;
};

/// Which source unit each target unit came from: rows = target, columns = source.
struct Alignment {
  std::vector<std::string> source;
  std::vector<std::string> target;
  std::vector<double> weights;  ///< [target.size(), source.size()], row-major

  double weight(size_t target_index, size_t source_index) const {
    return weights[target_index * source.size() + source_index];
  }
};

/// One hard link, 0-based.
struct Link {
  int64_t source;
  int64_t target;
  auto operator<=>(const Link&) const = default;
};

}  // namespace gloss
