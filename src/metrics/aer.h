#pragma once

#include <cstdint>
#include <set>
#include <utility>
#include <vector>

namespace gloss {

/// Links of one sentence: source and target position.
using LinkSet = std::set<std::pair<int64_t, int64_t>>;

/// Gold links of one sentence. Sure links count as possible too, whether or not `possible` repeats them.
struct GoldLinks {
  LinkSet sure;
  LinkSet possible;
};

/// Each from 0 to 1. A ratio 0/0 counts as 1 (AER: 0): nothing was wrong or missed.
struct AerScore {
  double precision = 0.0;
  double recall = 0.0;
  double aer = 0.0;
  double f1 = 0.0;  ///< harmonic mean of precision and recall
};

/// Alignment error rate (Och and Ney 2003):
///   precision = |A n P| / |A|,  recall = |A n S| / |S|,  AER = 1 - (|A n S| + |A n P|) / (|A| + |S|)
/// with the counts summed over the corpus before dividing. DataError if the numbers of sentences differ.
AerScore alignment_error_rate(const std::vector<LinkSet>& links, const std::vector<GoldLinks>& gold);

}  // namespace gloss
