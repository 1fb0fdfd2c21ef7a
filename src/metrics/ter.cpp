#include "metrics/ter.h"

#include <algorithm>
#include <array>
#include <deque>
#include <limits>

#include "metrics/code_points.h"
#include "metrics/edits_with_shifts.h"
#include "metrics/tokenize_rules.h"

namespace gloss {
namespace {

constexpr size_t kEdits = 0;
constexpr size_t kReferenceLength = 1;
constexpr size_t kWidth = 2;

struct Range {
  char32_t first;
  char32_t last;
};

template <size_t n>
bool in_any(char32_t c, const std::array<Range, n>& ranges) {
  return std::any_of(ranges.begin(), ranges.end(), [c](Range r) { return c >= r.first && c <= r.last; });
}

/// Ideographs, radicals, strokes and compatibility forms. The last range is sacreBLEU's as it works: its upper end
/// was meant to be U+32FF. Its rules for kana can match nowhere but at the start of a line, which holds a blank by then.
constexpr std::array kSplitAlone{Range{0x4E00, 0x9FFF}, Range{0x3400, 0x4DBF}, Range{0x31C0, 0x31EF},
                                 Range{0x2E80, 0x2EFF}, Range{0x3300, 0x33FF}, Range{0xF900, 0xFAFF},
                                 Range{0xFE30, 0xFE4F}, Range{0x3200, 0x3F22}};
constexpr std::array kAsianPunctuation{Range{0x3001, 0x3002}, Range{0x3008, 0x3011}, Range{0x3014, 0x301F},
                                       Range{0xFF61, 0xFF65}, Range{0x30FB, 0x30FB}, Range{0xFF0E, 0xFF0E},
                                       Range{0xFF0C, 0xFF0C}, Range{0xFF1F, 0xFF1F}, Range{0xFF1A, 0xFF1B},
                                       Range{0xFF01, 0xFF02}, Range{0xFF08, 0xFF09}};

bool is_asian_punctuation(char32_t c) { return in_any(c, kAsianPunctuation); }
bool is_split_alone(char32_t c) { return in_any(c, kSplitAlone) || is_asian_punctuation(c); }
bool is_western_punctuation(char32_t c) {
  return std::u32string_view(U".,?:;!\"()").find(c) != std::u32string_view::npos;
}

std::u32string normalized(std::u32string line) {
  replace_all(line, U"\n-", U"");
  replace_all(line, U"\n", U" ");
  decode_entities(line);
  line = split_marks(U" " + line + U" ");
  replace_all(line, U"'s ", U" 's ");
  return split_stops(line);
}

/// The line as Tercom's tokenizer leaves it; white space separates words.
std::u32string tercom_tokenized(std::u32string line, const TerOptions& options) {
  if (options.normalized) {
    line = normalized(std::move(line));
    if (options.asian_support) line = space_around(line, is_split_alone);
  }
  if (options.no_punct) {
    std::erase_if(line, is_western_punctuation);
    if (options.asian_support) std::erase_if(line, is_asian_punctuation);
  }
  return line;
}

std::u32string prepared(std::string_view text, const TerOptions& options) {
  text = without_trailing_space(text);
  return options.case_sensitive ? code_points(text) : code_points(python_lower(text));
}

std::u32string single_spaced(std::u32string_view line) {
  std::u32string text;
  for (const auto word : python_split(line)) (text += text.empty() ? U"" : U" ") += word;
  return text;
}

std::u32string hypothesis_text(std::string_view text, const TerOptions& options) {
  return tercom_tokenized(prepared(text, options), options);
}

/// sacreBLEU tokenizes references twice, and hypotheses once. It shows where the first pass makes room for a rule of the
/// second: the reference "it's," becomes "it 's ,", the hypothesis "it's ,". Equal numbers need the same.
std::u32string reference_text(std::string_view text, const TerOptions& options) {
  const auto once = hypothesis_text(text, options);
  return options.normalized ? tercom_tokenized(single_spaced(once), options) : once;
}

class Ter : public Metric {
 public:
  explicit Ter(const TerOptions& options) : options_(options) {}

  std::string name() const override { return "TER"; }
  std::string signature(const SignatureFacts& facts) const override { return ter_signature(options_, facts); }
  size_t width() const override { return kWidth; }
  double score(std::span<const double> sums) const override { return ter_from_sums(sums).score; }

  void count(const Segment& segment, std::span<double> numbers) const override {
    std::deque<std::u32string> texts;  // keeps the words in place
    WordNumbers words;
    const auto symbols = [&](std::u32string text) {
      texts.push_back(std::move(text));
      return words.symbols(python_split(texts.back()));
    };
    const auto hypothesis = symbols(hypothesis_text(segment.hypothesis, options_));
    thread_local EditsWithShifts edits;  // its tables serve all lines of the thread
    int64_t fewest = std::numeric_limits<int64_t>::max();
    double length = 0.0;
    for (const auto reference : segment.references) {
      const auto wanted = symbols(reference_text(reference, options_));
      fewest = std::min(fewest, edits.count(hypothesis, wanted));
      length += static_cast<double>(wanted.size());
    }
    numbers[kEdits] = static_cast<double>(fewest);
    numbers[kReferenceLength] = length / static_cast<double>(segment.references.size());
  }

 private:
  TerOptions options_;
};

}  // namespace

std::unique_ptr<Metric> ter_metric(const TerOptions& options) { return std::make_unique<Ter>(options); }

TerScore ter_from_sums(std::span<const double> sums) {
  const double edits = sums[kEdits];
  const double length = sums[kReferenceLength];
  const double rate = length > 0 ? edits / length : edits > 0 ? 1.0 : 0.0;
  return {.score = 100 * rate, .edits = static_cast<int64_t>(edits), .reference_length = length};
}

TerScore ter(const std::vector<std::string>& hypotheses,
             const std::vector<std::vector<std::string>>& references, const TerOptions& options) {
  return ter_from_sums(count_lines(Ter(options), make_segments(hypotheses, references)).sum());
}

TerScore sentence_ter(const std::string& hypothesis, const std::vector<std::string>& references,
                      const TerOptions& options) {
  std::vector<std::vector<std::string>> columns;
  for (const auto& reference : references) columns.push_back({reference});
  return ter({hypothesis}, columns, options);
}

std::string ter_signature(const TerOptions& options, const SignatureFacts& facts) {
  return signature(facts, std::string("case:") + (options.case_sensitive ? "mixed" : "lc") +
                              "|tok:tercom|norm:" + (options.normalized ? "yes" : "no") +
                              "|punct:" + (options.no_punct ? "no" : "yes") +
                              "|asian:" + (options.asian_support ? "yes" : "no"));
}

}  // namespace gloss
