#include "metrics/chrf.h"

#include <algorithm>

#include "metrics/check_lines.h"
#include "metrics/code_points.h"

namespace gloss {
namespace {

/// n-grams of one order: in the hypothesis, in the reference, in both.
struct OrderCounts {
  double hypothesis = 0.0;
  double reference = 0.0;
  double matched = 0.0;
};
using Counts = std::vector<OrderCounts>;  // character orders, then word orders

bool is_ascii_punctuation(char32_t c) {
  return (c >= U'!' && c <= U'/') || (c >= U':' && c <= U'@') || (c >= U'[' && c <= U'`') ||
         (c >= U'{' && c <= U'~');
}

/// One punctuation mark is split off a word: the last, or else the first ("(hi)" gives "(hi" and ")").
std::vector<std::u32string> words_without_punctuation(std::u32string_view line) {
  std::vector<std::u32string> words;
  for (auto& word : python_split(line)) {
    const size_t size = word.size();
    const size_t cut = size < 2                             ? size
                       : is_ascii_punctuation(word.back())  ? size - 1
                       : is_ascii_punctuation(word.front()) ? 1
                                                            : size;
    words.push_back(word.substr(0, cut));
    if (cut < size) words.push_back(word.substr(cut));
  }
  return words;
}

std::u32string without_space(std::u32string line) {
  std::erase_if(line, is_python_space);
  return line;
}

/// A line as symbols: its characters, and its words numbered.
struct Line {
  std::u32string characters;
  std::u32string words;
};

Line prepare(const std::string& text, const ChrfOptions& options, WordNumbers& numbers) {
  const auto points = code_points(options.lowercase ? python_lower(text) : text);
  Line line;
  line.characters = options.whitespace ? points : without_space(points);
  if (options.word_order > 0) line.words = numbers.symbols(words_without_punctuation(points));
  return line;
}

OrderCounts count_matches(const std::u32string& hypothesis, const std::u32string& reference, size_t order) {
  const auto wanted = count_ngrams(reference, order);
  OrderCounts counts;
  for (const auto& [ngram, count] : count_ngrams(hypothesis, order)) {
    counts.hypothesis += count;
    const auto found = wanted.find(ngram);
    if (found != wanted.end()) counts.matched += std::min(count, found->second);
  }
  for (const auto& [ngram, count] : wanted) counts.reference += count;
  if (wanted.empty()) counts.hypothesis = 0.0;  // an order that the reference lacks can't be missed
  return counts;
}

double f_score(const Counts& counts, const ChrfOptions& options) {
  constexpr double kEpsilon = 1e-16;
  const double factor = static_cast<double>(options.beta * options.beta);
  double f_sum = 0.0;
  double precision_sum = 0.0;
  double recall_sum = 0.0;
  double orders = 0.0;
  for (const auto& order : counts) {
    const double precision = order.hypothesis > 0 ? order.matched / order.hypothesis : kEpsilon;
    const double recall = order.reference > 0 ? order.matched / order.reference : kEpsilon;
    const double denominator = factor * precision + recall;
    f_sum += denominator > 0 ? (1 + factor) * precision * recall / denominator : kEpsilon;
    if (order.hypothesis > 0 && order.reference > 0) {
      precision_sum += precision;
      recall_sum += recall;
      ++orders;
    }
  }
  if (options.eps_smoothing) return 100 * f_sum / static_cast<double>(counts.size());
  if (orders == 0 || precision_sum + recall_sum == 0) return 0.0;
  const double precision = precision_sum / orders;
  const double recall = recall_sum / orders;
  return 100 * (1 + factor) * precision * recall / (factor * precision + recall);
}

Counts best_counts(const std::string& hypothesis, const std::vector<const std::string*>& references,
                   const ChrfOptions& options) {
  WordNumbers numbers;
  const auto output = prepare(hypothesis, options, numbers);
  Counts best;
  double best_score = -1.0;
  for (const auto* reference : references) {
    const auto wanted = prepare(*reference, options, numbers);
    Counts counts;
    for (int64_t n = 1; n <= options.char_order; ++n)
      counts.push_back(count_matches(output.characters, wanted.characters, static_cast<size_t>(n)));
    for (int64_t n = 1; n <= options.word_order; ++n)
      counts.push_back(count_matches(output.words, wanted.words, static_cast<size_t>(n)));
    const double score = f_score(counts, options);
    if (score > best_score) {
      best_score = score;
      best = std::move(counts);
    }
  }
  return best;
}

}  // namespace

double chrf(const std::vector<std::string>& hypotheses,
            const std::vector<std::vector<std::string>>& references, const ChrfOptions& options) {
  check_lines("chrf", hypotheses, references);
  Counts sum(static_cast<size_t>(options.char_order + options.word_order));
  for (size_t i = 0; i < hypotheses.size(); ++i) {
    std::vector<const std::string*> line_references;
    for (const auto& reference : references) line_references.push_back(&reference[i]);
    const auto counts = best_counts(hypotheses[i], line_references, options);
    for (size_t order = 0; order < sum.size(); ++order) {
      sum[order].hypothesis += counts[order].hypothesis;
      sum[order].reference += counts[order].reference;
      sum[order].matched += counts[order].matched;
    }
  }
  return f_score(sum, options);
}

double sentence_chrf(const std::string& hypothesis, const std::vector<std::string>& references,
                     const ChrfOptions& options) {
  std::vector<std::vector<std::string>> columns;
  for (const auto& reference : references) columns.push_back({reference});
  return chrf({hypothesis}, columns, options);
}

std::string chrf_name(const ChrfOptions& options) {
  return "chrF" + std::to_string(options.beta) + std::string(static_cast<size_t>(options.word_order), '+');
}

std::string chrf_signature(const ChrfOptions& options, int64_t number_of_references) {
  return "nrefs:" + std::to_string(number_of_references) + "|case:" + (options.lowercase ? "lc" : "mixed") +
         "|eff:" + (options.eps_smoothing ? "no" : "yes") + "|nc:" + std::to_string(options.char_order) +
         "|nw:" + std::to_string(options.word_order) + "|space:" + (options.whitespace ? "yes" : "no") +
         "|version:2.6.0";
}

}  // namespace gloss
