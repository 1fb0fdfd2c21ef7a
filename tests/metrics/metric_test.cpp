#include "metrics/metric.h"

#include <algorithm>
#include <atomic>
#include <map>
#include <numeric>
#include <stdexcept>

#include "core/error.h"
#include "core/random.h"
#include "metrics/bleu.h"
#include "metrics/chrf.h"
#include "metrics/ngram_matches.h"
#include "metrics/parallel.h"
#include "metrics/ter.h"
#include "support/catch.h"

using namespace gloss;

namespace {

using MaybeLines = std::vector<std::vector<std::optional<std::string>>>;

const std::vector<std::string> kHypotheses{"the cat sat", "a dog", "", "one two three four five"};
const std::vector<std::vector<std::string>> kReferences{
    {"the cat sat down", "the dog", "x", "two three one four"},
    {"a cat sat", "dog", "", "one two three four five six"}};

std::vector<std::unique_ptr<Metric>> all_metrics() {
  std::vector<std::unique_ptr<Metric>> metrics;
  metrics.push_back(bleu_metric({}));
  metrics.push_back(chrf_metric({.word_order = 2}));
  metrics.push_back(ter_metric({}));
  return metrics;
}

std::vector<std::string> random_lines(Random& random, size_t count) {
  std::vector<std::string> lines(count);
  for (auto& line : lines)
    for (size_t words = random.below(9); words > 0; --words)
      line += std::string(1, static_cast<char>('a' + random.below(6))) + " ";
  return lines;
}

/// Counts as the definition says, with a map.
std::vector<double> plain_matches(const std::u32string& text, const std::vector<std::u32string>& references,
                                  size_t orders) {
  std::vector<double> matches(orders);
  for (size_t n = 1; n <= orders; ++n) {
    const auto count = [&](const std::u32string& line) {
      std::map<std::u32string, int64_t> counts;
      for (size_t i = 0; i + n <= line.size(); ++i) ++counts[line.substr(i, n)];
      return counts;
    };
    std::map<std::u32string, int64_t> most;
    for (const auto& reference : references)
      for (const auto& [ngram, times] : count(reference)) most[ngram] = std::max(most[ngram], times);
    for (const auto& [ngram, times] : count(text))
      matches[n - 1] += static_cast<double>(std::min(times, most[ngram]));
  }
  return matches;
}

}  // namespace

TEST_CASE("the numbers of a text are the sum of those of its parts", "[metrics][property]") {
  for (const auto& metric : all_metrics()) {
    INFO(metric->name());
    const auto segments = make_segments(kHypotheses, kReferences);
    const auto whole = count_lines(*metric, segments).sum();
    std::vector<double> parts(metric->width());
    for (size_t i = 0; i < segments.size(); ++i) {
      const auto part = count_lines(*metric, {segments[i]}).sum();
      for (size_t k = 0; k < parts.size(); ++k) parts[k] += part[k];
    }
    CHECK(parts == whole);
  }
}

TEST_CASE("any number of threads gives the same numbers", "[metrics][property]") {
  Random random(1);
  const auto hypotheses = random_lines(random, 3000);
  const std::vector<std::vector<std::string>> references{
      random_lines(random, 3000), random_lines(random, 3000), random_lines(random, 3000)};
  const auto segments = make_segments(hypotheses, references);
  for (const auto& metric : all_metrics()) {
    INFO(metric->name());
    const auto one = count_lines(*metric, segments, 1).sum();
    CHECK(count_lines(*metric, segments, 2).sum() == one);
    CHECK(count_lines(*metric, segments, 7).sum() == one);
  }
}

TEST_CASE("a missing reference is as if the line had fewer, and no empty one", "[metrics][property]") {
  const std::vector<std::string> hypotheses{"the cat sat", "dog"};
  const std::vector<std::string> second_line{"dog"};
  const MaybeLines ragged{{"the cat", "a dog"}, {"a cat", std::nullopt}};
  const MaybeLines fewer{{"a dog"}};
  const MaybeLines with_empty{{"a dog"}, {""}};
  const auto segments = make_segments(hypotheses, ragged);
  CHECK(segments[0].references.size() == 2);
  CHECK(segments[1].references.size() == 1);
  for (const auto& metric : all_metrics()) {
    INFO(metric->name());
    const auto counts = count_lines(*metric, segments);
    CHECK(
        std::ranges::equal(counts.line(1), count_lines(*metric, make_segments(second_line, fewer)).line(0)));
    if (metric->name() == "TER")
      CHECK_FALSE(std::ranges::equal(counts.line(1),
                                     count_lines(*metric, make_segments(second_line, with_empty)).line(0)));
  }
}

TEST_CASE("signatures say var where lines have different numbers of references", "[metrics][unit]") {
  const std::vector<std::string> hypotheses{"a", "b"};
  const MaybeLines references{{"a", "b"}, {"c", std::nullopt}};
  const auto ragged = make_segments(hypotheses, references);
  CHECK(count_references(ragged) == kVaryingReferences);
  CHECK(ter_signature({}, {.references = count_references(ragged)}) ==
        "nrefs:var|case:lc|tok:tercom|norm:no|punct:yes|asian:no|version:2.6.0");
}

TEST_CASE("signatures name what was drawn and its seed", "[metrics][unit]") {
  CHECK(signature({.references = 1, .bootstrap_samples = 1000, .seed = 7}, "case:lc") ==
        "nrefs:1|bs:1000|seed:7|case:lc|version:2.6.0");
  CHECK(signature({.references = 2, .randomisation_trials = 10, .seed = 7}, "case:lc") ==
        "nrefs:2|ar:10|seed:7|case:lc|version:2.6.0");
}

TEST_CASE("a line without any reference is refused by its number", "[metrics][unit]") {
  const MaybeLines references{{"a", std::nullopt}, {"b", std::nullopt}};
  CHECK_THROWS_AS(make_segments({"a", "b"}, references), DataError);
  CHECK_THROWS_WITH(make_segments({"a", "b"}, references),
                    Catch::Matchers::Contains("line 2 has no reference"));
}

TEST_CASE("n-gram matches are those of the definition", "[metrics][property]") {
  Random random(4);
  NgramMatcher kept;  // tables of one text must not leak into the next
  for (int i = 0; i < 300; ++i) {
    const auto text_of = [&] {
      std::u32string text;
      const auto kinds = 1 + random.below(5);
      for (size_t left = random.below(random.below(10) == 0 ? 200 : 15); left > 0; --left)
        text += static_cast<char32_t>(random.below(kinds));
      return text;
    };
    const auto text = text_of();
    std::vector<std::u32string> references(1 + random.below(3));
    for (auto& reference : references) reference = text_of();
    std::vector<double> matches(1 + random.below(6));
    kept.count(text, references, matches);
    CHECK(matches == plain_matches(text, references, matches.size()));
  }
}

TEST_CASE("pieces of work cover everything once", "[metrics][property]") {
  const auto [count, piece, threads] = GENERATE(table<size_t, size_t, int64_t>(
      {{0, 3, 4}, {1, 3, 4}, {10, 3, 1}, {10, 3, 2}, {1000, 7, 8}, {5, 100, 3}, {10, 1, 0}}));
  std::vector<std::atomic<int>> visits(count);
  in_parallel(count, piece, threads, [&, limit = piece](size_t begin, size_t end) {
    if (end - begin > limit) throw std::logic_error("piece too large");
    for (size_t i = begin; i < end; ++i) ++visits[i];
  });
  CHECK(std::all_of(visits.begin(), visits.end(), [](const auto& n) { return n == 1; }));
}

TEST_CASE("an exception in any thread reaches the caller", "[metrics][unit]") {
  CHECK_THROWS_AS(in_parallel(100, 1, 4,
                              [](size_t begin, size_t) {
                                if (begin == 57) throw DataError("57");
                              }),
                  DataError);
}
