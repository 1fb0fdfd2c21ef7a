#include "metrics/bleu.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <deque>

#include "core/table.h"
#include "metrics/code_points.h"
#include "metrics/ngram_matches.h"

namespace gloss {
namespace {

struct Smoothing {
  const char* name;
  double value;  ///< the usual --smooth-value
  bool has_value;
};
constexpr std::array kSmoothings{Smoothing{"exp", 0.0, false}, Smoothing{"floor", 0.1, true},
                                 Smoothing{"add-k", 1.0, true}, Smoothing{"none", 0.0, false}};

const Smoothing& smoothing(const std::string& name) { return row_of(kSmoothings, "smoothing", name); }

double smooth_value(const BleuOptions& options) {
  return options.smooth_value < 0 ? smoothing(options.smooth_method).value : options.smooth_value;
}

// Where the numbers of a line stand; matches and totals of each order follow.
constexpr size_t kHypothesisLength = 0;
constexpr size_t kReferenceLength = 1;
constexpr size_t kMatches = 2;

size_t orders_of(const BleuOptions& options) { return static_cast<size_t>(options.max_ngram_order); }

/// The closest one counts, the shorter of two that are equally close.
size_t closest_length(size_t length, const std::vector<std::u32string>& references) {
  const auto distance = [&](size_t other) { return other > length ? other - length : length - other; };
  size_t closest = references.front().size();
  for (const auto& reference : references) {
    const size_t other = reference.size();
    if (distance(other) < distance(closest) || (distance(other) == distance(closest) && other < closest))
      closest = other;
  }
  return closest;
}

double brevity_penalty(const BleuScore& sum) {
  if (sum.hypothesis_length >= sum.reference_length) return 1.0;
  if (sum.hypothesis_length == 0) return 0.0;
  return std::exp(1.0 -
                  static_cast<double>(sum.reference_length) / static_cast<double>(sum.hypothesis_length));
}

/// Smoothing after Chen and Cherry 2014: exp is their method 3 (NIST), floor method 1, add-k method 2.
void finish(BleuScore& sum, const BleuOptions& options) {
  sum.brevity_penalty = brevity_penalty(sum);
  const auto matched = [](double count) { return count > 0; };
  if (std::none_of(sum.matches.begin(), sum.matches.end(), matched)) return;  // 0 under every smoothing

  const std::string method = smoothing(options.smooth_method).name;
  const double value = smooth_value(options);
  const size_t orders = sum.matches.size();
  size_t used = orders;
  double halvings = 1.0;
  for (size_t n = 0; n < orders; ++n) {
    if (method == "add-k" && n > 0) {
      sum.matches[n] += value;
      sum.totals[n] += value;
    }
    if (sum.totals[n] == 0) break;
    if (options.effective_order) used = n + 1;
    if (sum.matches[n] > 0) {
      sum.precisions[n] = 100.0 * sum.matches[n] / sum.totals[n];
    } else if (method == "exp") {
      halvings *= 2;
      sum.precisions[n] = 100.0 / (halvings * sum.totals[n]);
    } else if (method == "floor") {
      sum.precisions[n] = 100.0 * value / sum.totals[n];
    }
  }

  double log_sum = 0.0;
  for (size_t n = 0; n < used; ++n) {
    if (sum.precisions[n] == 0) return;
    log_sum += std::log(sum.precisions[n]);
  }
  sum.score = sum.brevity_penalty * std::exp(log_sum / static_cast<double>(used));
}

class Bleu : public Metric {
 public:
  explicit Bleu(const BleuOptions& options) : options_(options) {
    smoothing(options.smooth_method);
    metric_tokenized("", options.tokenize);
  }

  std::string name() const override { return "BLEU"; }
  std::string signature(const SignatureFacts& facts) const override {
    return bleu_signature(options_, facts);
  }
  size_t width() const override { return kMatches + 2 * orders_of(options_); }
  double score(std::span<const double> sums) const override { return bleu_from_sums(sums, options_).score; }

  void count(const Segment& segment, std::span<double> numbers) const override {
    std::deque<std::u32string> texts;  // keeps the words in place
    WordNumbers words;
    const auto symbols = [&](std::string_view line) {
      texts.push_back(
          metric_tokenized(options_.lowercase ? python_lower(line) : std::string(line), options_.tokenize));
      return words.symbols(python_split(texts.back()));
    };
    const auto hypothesis = symbols(segment.hypothesis);
    std::vector<std::u32string> references;
    for (const auto reference : segment.references) references.push_back(symbols(reference));

    numbers[kHypothesisLength] = static_cast<double>(hypothesis.size());
    numbers[kReferenceLength] = static_cast<double>(closest_length(hypothesis.size(), references));
    const size_t orders = orders_of(options_);
    thread_local NgramMatcher matcher;  // its tables serve all lines of the thread
    matcher.count(hypothesis, references, numbers.subspan(kMatches, orders));
    for (size_t n = 1; n <= orders; ++n) numbers[kMatches + orders + n - 1] = ngrams_in(hypothesis.size(), n);
  }

 private:
  BleuOptions options_;
};

}  // namespace

std::vector<std::string> bleu_smoothing_names() { return names_of(kSmoothings); }

bool bleu_smoothing_has_value(const std::string& name) { return smoothing(name).has_value; }

std::unique_ptr<Metric> bleu_metric(const BleuOptions& options) { return std::make_unique<Bleu>(options); }

BleuScore bleu_from_sums(std::span<const double> sums, const BleuOptions& options) {
  const size_t orders = orders_of(options);
  const auto matches = sums.subspan(kMatches, orders);
  const auto totals = sums.subspan(kMatches + orders, orders);
  BleuScore score;
  score.precisions.assign(orders, 0.0);
  score.matches.assign(matches.begin(), matches.end());
  score.totals.assign(totals.begin(), totals.end());
  score.hypothesis_length = static_cast<int64_t>(sums[kHypothesisLength]);
  score.reference_length = static_cast<int64_t>(sums[kReferenceLength]);
  finish(score, options);
  return score;
}

BleuScore bleu(const std::vector<std::string>& hypotheses,
               const std::vector<std::vector<std::string>>& references, const BleuOptions& options) {
  const Bleu metric(options);
  return bleu_from_sums(count_lines(metric, make_segments(hypotheses, references)).sum(), options);
}

BleuScore sentence_bleu(const std::string& hypothesis, const std::vector<std::string>& references,
                        const BleuOptions& options) {
  std::vector<std::vector<std::string>> columns;
  for (const auto& reference : references) columns.push_back({reference});
  return bleu({hypothesis}, columns, options);
}

std::string bleu_signature(const BleuOptions& options, const SignatureFacts& facts) {
  std::string smooth = options.smooth_method;
  if (smoothing(options.smooth_method).has_value) {
    char value[32];
    std::snprintf(value, sizeof value, "[%.2f]", smooth_value(options));
    smooth += value;
  }
  return signature(facts, std::string("case:") + (options.lowercase ? "lc" : "mixed") +
                              "|eff:" + (options.effective_order ? "yes" : "no") +
                              "|tok:" + options.tokenize + "|smooth:" + smooth);
}

}  // namespace gloss
