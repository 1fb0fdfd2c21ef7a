#include "metrics/significance.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "core/parallel.h"
#include "core/random.h"

namespace gloss {
namespace {

constexpr size_t kDrawsAtATime = 8;

void add(std::span<double> sums, std::span<const double> numbers) {
  for (size_t k = 0; k < sums.size(); ++k) sums[k] += numbers[k];
}

/// One number for each draw, in the order of draws.
std::vector<double> for_each_draw(const Draws& draws, const std::function<double(Random&)>& work) {
  std::vector<double> results(static_cast<size_t>(draws.count));
  in_parallel(results.size(), kDrawsAtATime, draws.threads, [&](size_t begin, size_t end) {
    for (size_t n = begin; n < end; ++n) {
      Random random(mix(static_cast<uint64_t>(draws.seed), n));
      results[n] = work(random);
    }
  });
  return results;
}

double p_value(const std::vector<double>& statistics, double real) {
  const auto above = std::count_if(statistics.begin(), statistics.end(), [=](double s) { return s > real; });
  return (static_cast<double>(above) + 1) / (static_cast<double>(statistics.size()) + 1);
}

double mean(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double difference(const Metric& metric, std::span<const double> a, std::span<const double> b) {
  return std::abs(metric.score(a) - metric.score(b));
}

}  // namespace

Confidence confidence_of(std::vector<double> scores) {
  std::sort(scores.begin(), scores.end());
  const size_t cut = scores.size() / 40;
  return {.mean = mean(scores), .low = scores[cut], .high = scores[scores.size() - cut - 1]};
}

std::vector<double> bootstrap_scores(const Metric& metric, const LineCounts& counts, const Draws& draws) {
  return for_each_draw(draws, [&](Random& random) {
    std::vector<double> sums(counts.width());
    for (size_t i = 0; i < counts.lines(); ++i) add(sums, counts.line(random.below(counts.lines())));
    return metric.score(sums);
  });
}

PairedBootstrap paired_bootstrap(const Metric& metric, const LineCounts& system, const LineCounts& baseline,
                                 const Draws& draws) {
  const auto of_system = bootstrap_scores(metric, system, draws);
  const auto of_baseline = bootstrap_scores(metric, baseline, draws);
  std::vector<double> differences(of_system.size());
  for (size_t n = 0; n < differences.size(); ++n) differences[n] = std::abs(of_system[n] - of_baseline[n]);
  const double centre = mean(differences);
  for (auto& d : differences) d -= centre;
  return {.p_value = p_value(differences, difference(metric, system.sum(), baseline.sum())),
          .system = confidence_of(of_system),
          .baseline = confidence_of(of_baseline)};
}

double paired_randomisation(const Metric& metric, const LineCounts& system, const LineCounts& baseline,
                            const Draws& draws) {
  const auto system_sums = system.sum();
  const auto baseline_sums = baseline.sum();
  LineCounts gains(system.lines(), system.width());  // of the system if the line changes places
  for (size_t i = 0; i < gains.lines(); ++i)
    for (size_t k = 0; k < gains.width(); ++k) gains.line(i)[k] = baseline.line(i)[k] - system.line(i)[k];

  const auto differences = for_each_draw(draws, [&](Random& random) {
    auto a = system_sums;
    uint64_t coins = 0;
    for (size_t i = 0; i < gains.lines(); ++i, coins >>= 1) {
      if (i % 64 == 0) coins = random.next();
      if (coins & 1) add(a, std::as_const(gains).line(i));
    }
    auto b = baseline_sums;
    for (size_t k = 0; k < b.size(); ++k) b[k] += system_sums[k] - a[k];
    return difference(metric, a, b);
  });
  return p_value(differences, difference(metric, system_sums, baseline_sums));
}

}  // namespace gloss
