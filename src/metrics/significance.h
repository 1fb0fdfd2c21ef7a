#pragma once

#include <cstdint>
#include <vector>

#include "metrics/metric.h"

namespace gloss {

/// Tests of significance as sacreBLEU 2.6 defines them; the random numbers are our own. They draw lines and score the
/// sums of their numbers: no text is looked at again.

/// How to draw. Draw n takes the same lines for each metric and each system, whatever the number of threads.
struct Draws {
  int64_t count = 1000;
  int64_t seed = 1;
  int64_t threads = 1;
};

/// 95 % of resampled scores lie within `half_width` of the middle of [low, high]: the lowest and the highest fortieth
/// are cut off.
struct Confidence {
  double mean = 0.0;
  double low = 0.0;
  double high = 0.0;
  double half_width() const { return 0.5 * (high - low); }
};

/// Of one score or more.
Confidence confidence_of(std::vector<double> scores);

/// Bootstrap resampling (Efron 1979, for BLEU Koehn 2004): scores of texts of as many lines, drawn with replacement.
std::vector<double> bootstrap_scores(const Metric& metric, const LineCounts& counts, const Draws& draws);

struct PairedBootstrap {
  double p_value = 1.0;
  Confidence system;
  Confidence baseline;
};

/// Paired bootstrap resampling: with D the difference |system - baseline| of the scores and d_n that of resample n, the
/// share of resamples with d_n - mean(d) > D, one added to both counts. (The same text twice has D = 0 and d_n = 0, thus
/// the smallest p-value, 1 / (count + 1), as in sacreBLEU.) Both texts have the same lines.
PairedBootstrap paired_bootstrap(const Metric& metric, const LineCounts& system, const LineCounts& baseline,
                                 const Draws& draws);

/// Two-sided approximate randomisation (Riezler and Maxwell 2005): each trial lets a coin decide, line by line, whether
/// the two systems change places. The p-value is the share of trials whose difference exceeds that of the systems, one
/// added to both counts.
double paired_randomisation(const Metric& metric, const LineCounts& system, const LineCounts& baseline,
                            const Draws& draws);

}  // namespace gloss
