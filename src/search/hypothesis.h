#pragma once

#include <cstdint>
#include <vector>

namespace gloss {

/// A finished (or cut) translation of one sentence.
struct Hypothesis {
  std::vector<int32_t> ids;      ///< without <s> and </s>
  double log_probability = 0.0;  ///< sum over ids and </s>
  double score = 0.0;            ///< log_probability / length^A, length with </s>
  bool finished = true;          ///< false: cut at the length limit before </s>
};

}  // namespace gloss
