#pragma once

#include <vector>

#include "align/links.h"

namespace gloss {

/// Each from 0 to 1. A ratio 0/0 counts as 1 (AER: 0): nothing was wrong or missed.
struct AerScore {
  double precision = 0.0;
  double recall = 0.0;
  double aer = 0.0;
  double f1 = 0.0;  ///< harmonic mean of precision and recall
};

/// Alignment error rate (Och and Ney 2003):
///   precision = |A n P| / |A|,  recall = |A n S| / |S|,  AER = 1 - (|A n S| + |A n P|) / (|A| + |S|)
/// with the counts summed over the corpus before dividing. A, S and P are sets: the order of links and repeated ones do
/// not matter. Sure links count as possible too, whether or not `possible` repeats them. DataError if the numbers of
/// sentences differ.
AerScore alignment_error_rate(const std::vector<std::vector<Link>>& links,
                              const std::vector<SentenceLinks>& gold);

}  // namespace gloss
