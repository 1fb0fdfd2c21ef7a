#include "metrics/metric.h"

#include <algorithm>
#include <map>
#include <numeric>

#include "core/error.h"
#include "core/random.h"
#include "metrics/bleu.h"
#include "metrics/chrf.h"
#include "metrics/ngram_matches.h"
#include "metrics/ter.h"
#include "support/catch.h"

using namespace gloss;

namespace {

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

TEST_CASE("a line's numbers do not depend on how many references other lines have", "[metrics][property]") {
  const Segment two{"the cat sat", {"the cat", "a cat"}}, one{"dog", {"a dog"}},
      with_empty{"dog", {"a dog", ""}};
  for (const auto& metric : all_metrics()) {
    INFO(metric->name());
    const auto ragged = count_lines(*metric, {two, one});
    CHECK(std::ranges::equal(ragged.line(1), count_lines(*metric, {one}).line(0)));
    if (metric->name() == "TER")
      CHECK_FALSE(std::ranges::equal(ragged.line(1), count_lines(*metric, {with_empty}).line(0)));
  }
}

TEST_CASE("signatures say var where lines have different numbers of references", "[metrics][unit]") {
  const std::vector<Segment> ragged{{"a", {"a", "c"}}, {"b", {"b"}}};
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
