#include "metrics/bleu.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "core/error.h"
#include "metrics/check_lines.h"
#include "metrics/code_points.h"

namespace gloss {
namespace {

struct Smoothing {
  const char* name;
  double value;  ///< the usual --smooth-value
  bool has_value;
};
constexpr std::array kSmoothings{Smoothing{"exp", 0.0, false}, Smoothing{"floor", 0.1, true},
                                 Smoothing{"add-k", 1.0, true}, Smoothing{"none", 0.0, false}};

const Smoothing& smoothing(const BleuOptions& options) {
  for (const auto& entry : kSmoothings)
    if (entry.name == options.smooth_method) return entry;
  throw UsageError("smooth-method: unknown value '" + options.smooth_method +
                   "'; choose one of: " + join(bleu_smoothing_names()));
}

double smooth_value(const BleuOptions& options) {
  return options.smooth_value < 0 ? smoothing(options).value : options.smooth_value;
}

BleuScore empty_score(const BleuOptions& options) {
  BleuScore score;
  const auto orders = static_cast<size_t>(options.max_ngram_order);
  score.precisions.assign(orders, 0.0);
  score.matches.assign(orders, 0.0);
  score.totals.assign(orders, 0.0);
  return score;
}

std::u32string words_as_symbols(const std::string& line, const BleuOptions& options, WordNumbers& numbers) {
  return numbers.symbols(metric_words(options.lowercase ? python_lower(line) : line, options.tokenize));
}

/// Adds the counts of one line. A hypothesis n-gram matches as often as it stands in the reference that has most of it.
void add_line(BleuScore& sum, const std::string& hypothesis,
              const std::vector<const std::string*>& references, const BleuOptions& options) {
  WordNumbers numbers;
  const auto output = words_as_symbols(hypothesis, options, numbers);
  std::vector<std::u32string> wanted;
  for (const auto* reference : references) wanted.push_back(words_as_symbols(*reference, options, numbers));

  const auto distance = [&](size_t length) {
    return length > output.size() ? length - output.size() : output.size() - length;
  };
  size_t closest = wanted.front().size();
  for (const auto& reference : wanted) {
    const size_t length = reference.size();
    if (distance(length) < distance(closest) || (distance(length) == distance(closest) && length < closest))
      closest = length;
  }
  sum.hypothesis_length += static_cast<int64_t>(output.size());
  sum.reference_length += static_cast<int64_t>(closest);

  for (size_t order = 1; order <= sum.matches.size() && order <= output.size(); ++order) {
    NgramCounts allowed;
    for (const auto& reference : wanted)
      for (const auto& [ngram, count] : count_ngrams(reference, order))
        allowed[ngram] = std::max(allowed[ngram], count);
    for (const auto& [ngram, count] : count_ngrams(output, order)) {
      sum.totals[order - 1] += count;
      const auto found = allowed.find(ngram);
      if (found != allowed.end()) sum.matches[order - 1] += std::min(count, found->second);
    }
  }
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

  const std::string method = smoothing(options).name;
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

}  // namespace

std::vector<std::string> bleu_smoothing_names() {
  std::vector<std::string> names;
  for (const auto& entry : kSmoothings) names.emplace_back(entry.name);
  return names;
}

BleuScore bleu(const std::vector<std::string>& hypotheses,
               const std::vector<std::vector<std::string>>& references, const BleuOptions& options) {
  check_lines("bleu", hypotheses, references);
  auto sum = empty_score(options);
  for (size_t i = 0; i < hypotheses.size(); ++i) {
    std::vector<const std::string*> line_references;
    for (const auto& reference : references) line_references.push_back(&reference[i]);
    add_line(sum, hypotheses[i], line_references, options);
  }
  finish(sum, options);
  return sum;
}

BleuScore sentence_bleu(const std::string& hypothesis, const std::vector<std::string>& references,
                        const BleuOptions& options) {
  std::vector<std::vector<std::string>> columns;
  for (const auto& reference : references) columns.push_back({reference});
  return bleu({hypothesis}, columns, options);
}

std::string bleu_signature(const BleuOptions& options, int64_t number_of_references) {
  std::string smooth = options.smooth_method;
  if (smoothing(options).has_value) {
    char value[32];
    std::snprintf(value, sizeof value, "[%.2f]", smooth_value(options));
    smooth += value;
  }
  return "nrefs:" + std::to_string(number_of_references) + "|case:" + (options.lowercase ? "lc" : "mixed") +
         "|eff:" + (options.effective_order ? "yes" : "no") + "|tok:" + options.tokenize +
         "|smooth:" + smooth + "|version:2.6.0";
}

}  // namespace gloss
