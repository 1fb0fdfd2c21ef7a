#include "evaluate_texts.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <string_view>

#include "core/error.h"
#include "core/file.h"
#include "core/text_file.h"
#include "core/unicode.h"
#include "evaluate_metrics.h"
#include "metrics/code_points.h"

namespace gloss {
namespace {

using Lines = std::vector<std::string>;

// sacreBLEU warns from this number of lines on.
constexpr int64_t kTokenizedLines = 100;

// A text of few capitals may lack them by its nature: one reference line in so many must have one.
constexpr int64_t kLinesToACapital = 10;

void warn_of_bytes(const std::string& path, std::string_view text, const Lines& lines) {
  const auto name = input_name(path);
  if (text.starts_with(kByteOrderMark))
    spdlog::warn(
        "{}: begins with a byte order mark, which counts as a character (in sacreBLEU too); save it without",
        name);
  int64_t wrong = 0;
  for (size_t i = 0; i < lines.size(); ++i)
    if (!valid_utf8(lines[i]) && wrong++ == 0)
      spdlog::warn("{}:{}: not UTF-8; wrong bytes count as U+FFFD", name, i + 1);
  if (wrong > 1) spdlog::warn("{}: {} lines are not UTF-8", name, wrong);
}

Lines read_lines(const std::string& path) {
  const auto text = read_text(path);
  auto lines = metric_lines(text);
  warn_of_bytes(path, text, lines);
  return lines;
}

void check_equal(const std::string& path, const Lines& lines, const std::string& other_path,
                 const Lines& others) {
  if (lines.size() != others.size())
    throw DataError(input_name(path) + ": " + std::to_string(lines.size()) + " lines, but " +
                    input_name(other_path) + " has " + std::to_string(others.size()) +
                    "; give files of equal length");
}

void warn_of_tokenized(const std::string& path, const Lines& lines) {
  const auto count =
      std::count_if(lines.begin(), lines.end(), [](const auto& line) { return line.ends_with(" ."); });
  if (count >= kTokenizedLines)
    spdlog::warn(
        "{}: {} lines end in ' .' as tokenized text does; BLEU is defined on plain text, so join the "
        "punctuation to its words again",
        input_name(path), count);
}

bool is_lower_cased(const Lines& lines) {
  bool has_letters = false;
  for (const auto& line : lines) {
    const auto letters = cased_letters(line);
    if (letters.upper) return false;
    has_letters |= letters.lower;
  }
  return has_letters;
}

void warn_of_lower_cased(const std::string& path, const Lines& lines, const Lines& reference) {
  if (!is_lower_cased(lines)) return;
  const auto cased = std::count_if(reference.begin(), reference.end(),
                                   [](const auto& line) { return cased_letters(line).upper; });
  if (cased * kLinesToACapital < static_cast<int64_t>(reference.size())) return;
  spdlog::warn(
      "{}: all lower case, but the reference is not; restore the case, or compare without it "
      "(--lowercase for BLEU, --chrf-lowercase)",
      input_name(path));
}

void warn_of_text(const EvaluateOptions& options, const std::string& path, const Lines& lines,
                  const Lines& reference) {
  if (asks_for("bleu", options)) warn_of_tokenized(path, lines);
  if (regards_case(options)) warn_of_lower_cased(path, lines, reference);
}

}  // namespace

EvaluationTexts read_evaluation_texts(const EvaluateOptions& options) {
  EvaluationTexts texts;
  const auto& baseline = options.significance.baseline;
  texts.hypotheses = read_lines(options.hypothesis);
  for (const auto& path : options.reference) {
    texts.references.push_back(read_lines(path));
    check_equal(options.hypothesis, texts.hypotheses, path, texts.references.back());
  }
  if (!baseline.empty()) {
    texts.baseline = read_lines(baseline);
    check_equal(baseline, texts.baseline, options.reference.front(), texts.references.front());
  }
  if (texts.hypotheses.empty())
    throw DataError(input_name(options.hypothesis) + ": 0 lines; there is nothing to score");
  warn_of_text(options, options.hypothesis, texts.hypotheses, texts.references.front());
  if (baseline.empty()) return texts;
  warn_of_text(options, baseline, texts.baseline, texts.references.front());
  if (texts.baseline == texts.hypotheses)
    spdlog::warn("{} and {} hold the same lines; p-values are meaningless then",
                 input_name(options.hypothesis), input_name(baseline));
  return texts;
}

}  // namespace gloss
