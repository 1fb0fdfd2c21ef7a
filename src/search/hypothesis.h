#pragma once

#include <cstdint>
#include <vector>

namespace gloss {

/// A translation of one sentence.
struct Hypothesis {
  std::vector<int32_t> ids;      ///< without <s> and </s>
  double log_probability = 0.0;  ///< sum over ids and </s>; without </s> where cut
  double score = 0.0;            ///< log_probability / length^A, </s> counted where it is
  bool is_finished = true;       ///< false: cut at the length limit before its </s>
};

}  // namespace gloss
