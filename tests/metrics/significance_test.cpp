#include "metrics/significance.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "core/random.h"
#include "metrics/bleu.h"
#include "metrics/chrf.h"
#include "metrics/ter.h"
#include "support/catch.h"

using namespace gloss;

namespace {

/// Its score is the mean of the one number of a line, so that everything can be worked out by hand.
class MeanMetric : public Metric {
 public:
  explicit MeanMetric(size_t lines) : lines_(static_cast<double>(lines)) {}
  std::string name() const override { return "mean"; }
  std::string signature(const SignatureFacts& /*facts*/) const override { return ""; }
  size_t width() const override { return 1; }
  void count(const Segment& /*segment*/, std::span<double> /*numbers*/) const override {}
  double score(std::span<const double> sums) const override { return sums[0] / lines_; }

 private:
  double lines_;
};

LineCounts counts_of(const std::vector<double>& numbers) {
  LineCounts counts(numbers.size(), 1);
  for (size_t i = 0; i < numbers.size(); ++i) counts.line(i)[0] = numbers[i];
  return counts;
}

std::vector<double> random_numbers(uint64_t seed, size_t count) {
  Random random(seed);
  std::vector<double> numbers(count);
  for (auto& n : numbers) n = static_cast<double>(random.below(100));
  return numbers;
}

/// The p-value that infinitely many trials would give, by trying all ways to change places.
double enumerated_p(const std::vector<double>& a, const std::vector<double>& b) {
  const MeanMetric metric(a.size());
  const auto difference = [&](uint64_t swapped) {
    std::vector<double> left{0}, right{0};
    for (size_t i = 0; i < a.size(); ++i) {
      const bool swap = (swapped >> i) & 1;
      left[0] += swap ? b[i] : a[i];
      right[0] += swap ? a[i] : b[i];
    }
    return std::abs(metric.score(left) - metric.score(right));
  };
  const uint64_t ways = uint64_t{1} << a.size();
  double above = 0;
  for (uint64_t swapped = 0; swapped < ways; ++swapped) above += difference(swapped) > difference(0);
  return above / static_cast<double>(ways);
}

/// Four standard errors of a share of `trials`, or of the difference of two.
double tolerance(double p, double trials, double other_trials = INFINITY) {
  return 4 * std::sqrt(std::max(p * (1 - p), 1 / trials) * (1 / trials + 1 / other_trials)) + 2 / trials;
}

}  // namespace

TEST_CASE("a confidence interval cuts off the lowest and the highest fortieth", "[metrics][unit]") {
  std::vector<double> scores;
  for (int i = 100; i >= 1; --i) scores.push_back(i);
  const auto confidence = confidence_of(scores);
  CHECK(confidence.mean == Approx(50.5));
  CHECK(confidence.low == 3.0);
  CHECK(confidence.high == 98.0);
  CHECK(confidence.half_width() == 47.5);
  CHECK(confidence_of({4.0}).half_width() == 0.0);
}

TEST_CASE("bootstrap scores lie around the real score as the central limit theorem wants",
          "[metrics][property]") {
  const auto numbers = random_numbers(1, 400);
  const auto counts = counts_of(numbers);
  const MeanMetric metric(numbers.size());
  const double real = metric.score(counts.sum());
  double variance = 0;
  for (const double n : numbers) variance += (n - real) * (n - real) / 400.0;
  const double deviation = std::sqrt(variance / 400.0);
  const auto confidence = confidence_of(bootstrap_scores(metric, counts, {.count = 4000}));
  CHECK(confidence.mean == Approx(real).margin(4 * deviation / std::sqrt(4000.0)));
  CHECK(confidence.half_width() == Approx(1.96 * deviation).epsilon(0.1));
}

TEST_CASE("draws hang on the seed and not on the number of threads", "[metrics][property]") {
  const auto counts = counts_of(random_numbers(1, 50));
  const auto baseline = counts_of(random_numbers(2, 50));
  const MeanMetric metric(50);
  const Draws one{.count = 333, .seed = 5, .threads = 1};
  const Draws many{.count = 333, .seed = 5, .threads = 4};
  const Draws other{.count = 333, .seed = 6, .threads = 1};
  CHECK(bootstrap_scores(metric, counts, one) == bootstrap_scores(metric, counts, many));
  CHECK(bootstrap_scores(metric, counts, one) != bootstrap_scores(metric, counts, other));
  CHECK(paired_randomisation(metric, counts, baseline, one) ==
        paired_randomisation(metric, counts, baseline, many));
  CHECK(paired_bootstrap(metric, counts, baseline, one).p_value ==
        paired_bootstrap(metric, counts, baseline, many).p_value);
}

TEST_CASE("randomisation agrees with trying all ways to change places", "[metrics][property]") {
  for (uint64_t seed = 1; seed <= 8; ++seed) {
    const size_t lines = 1 + seed;
    const auto a = random_numbers(seed, lines), b = random_numbers(100 + seed, lines);
    const Draws draws{.count = 20000, .seed = 1, .threads = 2};
    const double p = paired_randomisation(MeanMetric(lines), counts_of(a), counts_of(b), draws);
    const double expected = enumerated_p(a, b);
    INFO(lines << " lines");
    CHECK(p == Approx(expected).margin(tolerance(expected, 20000)));
  }
}

TEST_CASE("both tests are the same whichever system is the baseline", "[metrics][property]") {
  const auto a = counts_of(random_numbers(1, 40)), b = counts_of(random_numbers(2, 40));
  const MeanMetric metric(40);
  CHECK(paired_bootstrap(metric, a, b, {}).p_value == paired_bootstrap(metric, b, a, {}).p_value);
  CHECK(paired_randomisation(metric, a, b, {}) == paired_randomisation(metric, b, a, {}));
}

TEST_CASE("the same text twice has the smallest p-value, as in sacreBLEU", "[metrics][unit]") {
  const auto counts = counts_of(random_numbers(1, 40));
  CHECK(paired_bootstrap(MeanMetric(40), counts, counts, {.count = 99}).p_value == Approx(0.01));
  CHECK(paired_randomisation(MeanMetric(40), counts, counts, {.count = 99}) == Approx(0.01));
}

TEST_CASE("systems that differ by chance alone seldom look different", "[metrics][property]") {
  int found = 0;
  for (uint64_t seed = 1; seed <= 100; ++seed) {
    const auto a = counts_of(random_numbers(seed, 60)), b = counts_of(random_numbers(1000 + seed, 60));
    found += paired_randomisation(MeanMetric(60), a, b, {.count = 500, .seed = 3}) < 0.05;
  }
  CHECK(found < 15);  // 5 are expected
  CHECK(found > 0);
}

TEST_CASE("intervals and p-values agree with sacreBLEU's within sampling error", "[metrics][golden]") {
  std::vector<nlohmann::json> rows;
  std::ifstream file(GLOSS_SOURCE_DIR "/tests/golden/metrics_random.jsonl");
  for (std::string line; std::getline(file, line);) rows.push_back(nlohmann::json::parse(line));
  std::vector<std::string> hypotheses, first, second;
  for (const auto& row : rows) {
    if (!row.contains("hypothesis") || row["references"][1].is_null()) continue;
    hypotheses.push_back(row["hypothesis"]);
    first.push_back(row["references"][0]);
    second.push_back(row["references"][1]);
  }
  std::vector<std::unique_ptr<Metric>> metrics;
  metrics.push_back(bleu_metric({}));
  metrics.push_back(chrf_metric({}));
  metrics.push_back(ter_metric({}));
  int compared = 0;
  for (const auto& row : rows) {
    if (!row.contains("significance")) continue;
    const auto lines = row["lines"].get<size_t>();
    const auto part = [&](const auto& text) {
      return std::vector<std::string>(text.begin(), text.begin() + static_cast<int64_t>(lines));
    };
    const auto system_lines = part(hypotheses), baseline_lines = part(second);
    const std::vector<std::vector<std::string>> references{part(first)};
    for (const auto& metric : metrics) {
      INFO(metric->name() << " of " << lines << " lines");
      const auto& expected = row["significance"][metric->name()];
      const auto system = count_lines(*metric, make_segments(system_lines, references));
      const auto baseline = count_lines(*metric, make_segments(baseline_lines, references));
      CHECK(metric->score(system.sum()) == Approx(expected["system"].get<double>()).epsilon(1e-14));
      CHECK(metric->score(baseline.sum()) == Approx(expected["baseline"].get<double>()).epsilon(1e-14));
      const auto bootstrap = paired_bootstrap(*metric, system, baseline, {.count = 1000, .threads = 2});
      const double p_bs = expected["p_bs"];
      CHECK(bootstrap.p_value == Approx(p_bs).margin(tolerance(p_bs, 1000, 1000)));
      // A mean of 1000 resamples is off by a thirtieth of their deviation, the bounds by about a tenth.
      const double half_width = expected["ci"];
      CHECK(bootstrap.system.mean == Approx(expected["mean"].get<double>()).margin(half_width / 10));
      CHECK(bootstrap.system.half_width() == Approx(half_width).epsilon(0.15));
      CHECK(bootstrap.baseline.half_width() == Approx(expected["baseline_ci"].get<double>()).epsilon(0.15));
      const double p_ar = expected["p_ar"];
      const double p = paired_randomisation(*metric, system, baseline, {.count = 10000, .threads = 2});
      CHECK(p == Approx(p_ar).margin(tolerance(p_ar, 10000, 10000)));
      ++compared;
    }
  }
  CHECK(compared == 6);
}
