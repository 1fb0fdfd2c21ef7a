#include "metrics/chrf.h"

#include <algorithm>

#include "metrics/code_points.h"
#include "metrics/ngram_matches.h"

namespace gloss {
namespace {

// Numbers of an order.
constexpr size_t kHypothesis = 0;
constexpr size_t kReference = 1;
constexpr size_t kMatched = 2;
constexpr size_t kNumbers = 3;

bool is_ascii_punctuation(char32_t c) {
  return (c >= U'!' && c <= U'/') || (c >= U':' && c <= U'@') || (c >= U'[' && c <= U'`') ||
         (c >= U'{' && c <= U'~');
}

/// One punctuation mark is split off a word: the last, or else the first ("(hi)" gives "(hi" and ")").
std::vector<std::u32string_view> words_without_punctuation(std::u32string_view line) {
  std::vector<std::u32string_view> words;
  for (const auto word : python_split(line)) {
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

/// Mirrors sacreBLEU's order of operations, on which the last digit hangs.
double f_score(std::span<const double> counts, const ChrfOptions& options) {
  constexpr double kEpsilon = 1e-16;
  const auto beta = static_cast<double>(options.beta);
  const double factor = beta * beta;
  const auto f = [&](double precision, double recall) {
    return (1 + factor) * precision * recall / (factor * precision + recall);
  };
  double f_sum = 0.0;
  double precision_sum = 0.0;
  double recall_sum = 0.0;
  double orders = 0.0;
  for (size_t i = 0; i < counts.size(); i += kNumbers) {
    const bool in_hypothesis = counts[i + kHypothesis] > 0;
    const bool in_reference = counts[i + kReference] > 0;
    const double precision = in_hypothesis ? counts[i + kMatched] / counts[i + kHypothesis] : kEpsilon;
    const double recall = in_reference ? counts[i + kMatched] / counts[i + kReference] : kEpsilon;
    f_sum += factor * precision + recall > 0 ? f(precision, recall) : kEpsilon;
    if (in_hypothesis && in_reference) {
      precision_sum += precision;
      recall_sum += recall;
      ++orders;
    }
  }
  if (options.eps_smoothing) return 100 * f_sum / (static_cast<double>(counts.size()) / kNumbers);
  if (orders == 0 || precision_sum + recall_sum == 0) return 0.0;
  return 100 * f(precision_sum / orders, recall_sum / orders);
}

/// A line as symbols: its characters, and its words numbered.
struct Line {
  std::u32string points;
  std::u32string characters;
  std::u32string words;
};

/// The words point into the line's `points`.
void prepare(Line& line, std::string_view text, const ChrfOptions& options, WordNumbers& numbers) {
  line.points = options.lowercase ? code_points(python_lower(text)) : code_points(text);
  line.characters = options.whitespace ? line.points : without_space(line.points);
  if (options.word_order > 0) line.words = numbers.symbols(words_without_punctuation(line.points));
}

class Chrf : public Metric {
 public:
  explicit Chrf(const ChrfOptions& options) : options_(options) {}

  std::string name() const override { return chrf_name(options_); }
  std::string signature(const SignatureFacts& facts) const override {
    return chrf_signature(options_, facts);
  }
  size_t width() const override {
    return kNumbers * static_cast<size_t>(options_.char_order + options_.word_order);
  }
  double score(std::span<const double> sums) const override { return f_score(sums, options_); }

  void count(const Segment& segment, std::span<double> numbers) const override {
    WordNumbers words;
    Line hypothesis;
    prepare(hypothesis, segment.hypothesis, options_, words);
    std::vector<Line> references(segment.references.size());  // none moves while words point into it
    std::vector<double> counts(numbers.size());
    double best = -1.0;
    for (size_t r = 0; r < references.size(); ++r) {
      prepare(references[r], segment.references[r], options_, words);
      compare(hypothesis, references[r], counts);
      const double score = f_score(counts, options_);
      if (score <= best) continue;
      best = score;
      std::copy(counts.begin(), counts.end(), numbers.begin());
    }
  }

 private:
  void compare(const Line& hypothesis, const Line& reference, std::span<double> counts) const {
    const auto characters = kNumbers * static_cast<size_t>(options_.char_order);
    compare(hypothesis.characters, reference.characters, counts.first(characters));
    compare(hypothesis.words, reference.words, counts.subspan(characters));
  }

  static void compare(const std::u32string& hypothesis, const std::u32string& reference,
                      std::span<double> counts) {
    thread_local NgramMatcher matcher;  // its tables serve all lines of the thread
    std::vector<double> matches(counts.size() / kNumbers);
    matcher.count(hypothesis, {&reference, 1}, matches);
    for (size_t n = 1; n <= matches.size(); ++n) {
      const auto order = counts.subspan(kNumbers * (n - 1), kNumbers);
      order[kReference] = ngrams_in(reference.size(), n);
      // An order that the reference lacks can't be missed.
      order[kHypothesis] = order[kReference] > 0 ? ngrams_in(hypothesis.size(), n) : 0.0;
      order[kMatched] = matches[n - 1];
    }
  }

  ChrfOptions options_;
};

}  // namespace

std::unique_ptr<Metric> chrf_metric(const ChrfOptions& options) { return std::make_unique<Chrf>(options); }

double chrf(const std::vector<std::string>& hypotheses,
            const std::vector<std::vector<std::string>>& references, const ChrfOptions& options) {
  return f_score(count_lines(Chrf(options), make_segments(hypotheses, references)).sum(), options);
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

std::string chrf_signature(const ChrfOptions& options, const SignatureFacts& facts) {
  return signature(facts, std::string("case:") + (options.lowercase ? "lc" : "mixed") +
                              "|eff:" + (options.eps_smoothing ? "no" : "yes") +
                              "|nc:" + std::to_string(options.char_order) +
                              "|nw:" + std::to_string(options.word_order) +
                              "|space:" + (options.whitespace ? "yes" : "no"));
}

}  // namespace gloss
