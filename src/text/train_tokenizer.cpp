#include "text/train_tokenizer.h"

#include <sentencepiece_trainer.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <limits>
#include <regex>
#include <unordered_map>
#include <utility>

#include "config/field.h"
#include "core/error.h"
#include "core/random.h"
#include "core/special_tokens.h"
#include "core/text.h"
#include "core/unicode.h"
#include "text/sentencepiece_tokenizer.h"
#include "text/word_tokenizer.h"

namespace gloss {
namespace {

constexpr int64_t kLargestAuto = 32000;
constexpr uint64_t kSamplingSeed = 1;

/// What a first pass over the text finds.
struct TextCounts {
  int64_t lines = 0;
  int64_t usable = 0;
  int64_t too_long = 0;
  int64_t with_nul = 0;
  int64_t words = 0;
};

bool is_too_long(const std::string& line, const TokenizerOptions& options) {
  return static_cast<int64_t>(line.size()) > options.max_sentence_bytes;
}

/// NUL would cut the vocabulary file, CR its lines; SentencePiece drops whole lines that hold tabs or U+2047, which it
/// uses as marks, and cuts out its control pieces, so that their characters would get no piece: they are broken up.
std::string clean(const std::string& line) {
  std::string text = valid_utf8(line) ? line : replace_invalid_utf8(line);
  std::erase(text, '\0');
  for (char& c : text)
    if (c == '\r' || c == '\t' || c == '\n') c = ' ';
  constexpr std::string_view kMark = "\xE2\x81\x87";
  for (size_t at = text.find(kMark); at != std::string::npos; at = text.find(kMark, at))
    text.replace(at, 3, " ");
  for (const auto special : kSpecialTokens)
    for (size_t at = text.find(special); at != std::string::npos; at = text.find(special, at))
      text.insert(at + 1, " ");
  return text;
}

TextCounts count_text(const TextSource& source, const TokenizerOptions& options) {
  TextCounts counts;
  const auto next = source.open();
  for (std::string line; next(line); ++counts.lines) {
    if (line.find('\0') != std::string::npos) ++counts.with_nul;
    if (is_too_long(line, options)) {
      ++counts.too_long;
    } else if (const auto words = word_spans(line); !words.empty()) {
      ++counts.usable;
      counts.words += static_cast<int64_t>(words.size());
    }
  }
  return counts;
}

/// Throws DataError when there is nothing to train on, and warns of what is left out.
void check_counts(const TextCounts& counts, const TextSource& source, const TokenizerOptions& options) {
  const auto limit = std::to_string(options.max_sentence_bytes);
  if (counts.lines == 0) throw DataError(source.name + ": is empty; a vocabulary needs text");
  if (counts.usable == 0 && counts.too_long > 0)
    throw DataError(source.name + ": all " + std::to_string(counts.too_long) + " lines are longer than " +
                    limit + " bytes; raise --max-sentence-bytes, or put one sentence on a line");
  if (counts.usable == 0) throw DataError(source.name + ": holds blank lines only; a vocabulary needs text");
  if (counts.too_long > 0)
    spdlog::warn(
        "{}: {} of {} lines longer than {} bytes left out of vocabulary training (--max-sentence-bytes)",
        source.name, counts.too_long, counts.lines, limit);
  if (counts.with_nul > 0)
    spdlog::warn("{}: {} lines hold NUL characters, which vocabulary training leaves out", source.name,
                 counts.with_nul);
}

/// Hands SentencePiece the usable lines one by one.
class TrainingLines final : public sentencepiece::SentenceIterator {
 public:
  TrainingLines(const TextSource& source, const TokenizerOptions& options, int64_t usable)
      : options_(options), next_(source.open()), usable_(static_cast<uint64_t>(usable)) {
    advance();
  }
  bool done() const override { return done_; }
  void Next() override { advance(); }
  const std::string& value() const override { return line_; }
  sentencepiece::util::Status status() const override { return {}; }

  /// A failed read ends the pass quietly inside SentencePiece; the caller asks here.
  void rethrow_failure() const {
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  void advance() {
    try {
      std::string raw;
      while (next_(raw)) {
        if (is_too_long(raw, options_) || is_blank(raw)) continue;
        // Each line is in or out by its own number, so the part taken is the same on every run.
        if (mix(kSamplingSeed, index_++) % std::max<uint64_t>(usable_, 1) >=
            static_cast<uint64_t>(kMaxTrainingLines))
          continue;
        line_ = clean(raw);
        return;
      }
    } catch (...) {
      failure_ = std::current_exception();
    }
    done_ = true;
  }

  const TokenizerOptions& options_;
  LineStream next_;
  uint64_t usable_;
  uint64_t index_ = 0;
  std::string line_;
  bool done_ = false;
  std::exception_ptr failure_;
};

struct Training {
  std::string bytes;  // empty when SentencePiece refused
  std::string fault;
};

Training run_sentencepiece(const TextSource& text, const TokenizerOptions& options, int64_t usable,
                           int64_t size, bool size_is_exact) {
  const bool debug = spdlog::should_log(spdlog::level::debug);
  std::unordered_map<std::string, std::string> settings{
      {"model_type", options.vocab_type},
      {"vocab_size", std::to_string(size)},
      {"hard_vocab_limit", size_is_exact ? "true" : "false"},
      {"character_coverage", plain_number(options.character_coverage)},
      {"num_threads", "1"},  // unigram scores depend on the number of threads
      {"pad_id", std::to_string(kPad)},
      {"unk_id", std::to_string(kUnk)},
      {"bos_id", std::to_string(kBos)},
      {"eos_id", std::to_string(kEos)},
      {"normalization_rule_name", options.normalization},
      {"byte_fallback", options.byte_fallback ? "true" : "false"},
      {"shuffle_input_sentence", "false"},
      {"max_sentence_length", std::to_string(std::min<int64_t>(4 * options.max_sentence_bytes, INT32_MAX))},
      {"minloglevel", debug ? "0" : "3"},
  };
  if (!options.user_symbols.empty()) settings["user_defined_symbols"] = join(options.user_symbols, ",");
  TrainingLines lines(text, options, usable);
  Training result;
  const auto status = sentencepiece::SentencePieceTrainer::Train(settings, &lines, &result.bytes);
  lines.rethrow_failure();
  if (!status.ok()) {
    result.bytes.clear();
    result.fault = status.ToString();
  }
  return result;
}

/// SentencePiece says how many pieces the characters alone need: "… required_chars. 20 vs 51. …".
int64_t needed_size(const std::string& fault) {
  std::smatch match;
  if (!std::regex_search(fault, match, std::regex("required_chars\\. \\d+ vs (\\d+)"))) return 0;
  return std::stoll(match[1]);
}

/// … and how many it found when more were asked for: "… too high (5000). Please set it to a value <= 153."
int64_t reached_size(const std::string& fault) {
  std::smatch match;
  if (!std::regex_search(fault, match, std::regex("too high .*<= (\\d+)"))) return 0;
  return std::stoll(match[1]);
}

/// Throws DataError when normalisation leaves nothing of the text (U+200B alone, say): SentencePiece would end the
/// process.
void check_some_text_is_left(const TextSource& text, const TokenizerOptions& options, int64_t usable) {
  TokenizerOptions plain;  // of one letter no other option could be fulfilled
  plain.normalization = options.normalization;
  const auto one_letter = run_sentencepiece(text_from_lines({"a"}), plain, 1, kLargestAuto, false);
  const auto normalizer =
      make_sentencepiece_tokenizer(one_letter.bytes, "normalization " + options.normalization);
  TrainingLines lines(text, options, usable);
  for (; !lines.done(); lines.Next())
    if (!normalizer->encode(lines.value()).empty()) return;
  lines.rethrow_failure();
  throw DataError(text.name + ": normalization " + options.normalization + " leaves no character of it");
}

std::string train_sentencepiece(const TextSource& text, const TokenizerOptions& options,
                                const TextCounts& counts, std::optional<int64_t> wanted,
                                const std::string& option) {
  check_some_text_is_left(text, options, counts.usable);
  const int64_t size = wanted.value_or(auto_vocabulary_size(counts.words));
  auto training = run_sentencepiece(text, options, counts.usable, size, wanted.has_value());
  if (!training.bytes.empty()) return std::move(training.bytes);
  const int64_t needed = needed_size(training.fault);
  const int64_t reached = reached_size(training.fault);
  if (wanted && reached > 0)
    throw UsageError(option + " " + std::to_string(size) + ": " + text.name + " supports at most " +
                     std::to_string(reached) + " pieces; the nearest size that works is " +
                     std::to_string(reached) + " (or give auto)");
  if (needed > 0 && (wanted || needed > kLargestAuto))
    throw UsageError(option + " " + std::to_string(size) + ": the characters of " + text.name +
                     " alone need " + std::to_string(needed) + "; the nearest size that works is " +
                     std::to_string(needed) + " (or lower --character-coverage)");
  if (needed > 0) {
    // Few words of many characters, as in Chinese: room for as many pieces of several characters.
    const int64_t larger = std::min(kLargestAuto, 2 * needed);
    training = run_sentencepiece(text, options, counts.usable, larger, false);
    if (!training.bytes.empty()) return std::move(training.bytes);
  }
  throw DataError(text.name + ": no vocabulary can be trained on it (" + training.fault + ")");
}

std::string train_word_list(const TextSource& text, const TokenizerOptions& options,
                            std::optional<int64_t> wanted, const std::string& option) {
  std::unordered_map<std::string, int64_t> frequencies;
  const auto next = text.open();
  for (std::string raw; next(raw);) {
    if (is_too_long(raw, options)) continue;
    std::string line = valid_utf8(raw) ? raw : replace_invalid_utf8(raw);
    std::erase(line, '\0');
    for (const auto& [begin, end] : word_spans(line)) ++frequencies[line.substr(begin, end - begin)];
  }
  std::vector<std::pair<std::string, int64_t>> ranked(frequencies.begin(), frequencies.end());
  std::sort(ranked.begin(), ranked.end(), [](const auto& a, const auto& b) {
    return a.second != b.second ? a.second > b.second : a.first < b.first;
  });
  if (ranked.empty()) throw DataError(text.name + ": holds no words; a vocabulary needs text");
  size_t count =
      std::min(ranked.size(), static_cast<size_t>(wanted.value_or(kLargestAuto)) - kSpecialTokens.size());
  if (!wanted && ranked.front().second > 1)
    while (ranked[count - 1].second == 1) --count;
  if (wanted && ranked.size() + kSpecialTokens.size() < static_cast<size_t>(*wanted))
    spdlog::info("{}: {} different words, fewer than {} {} allows", text.name, ranked.size(), option,
                 *wanted);
  std::vector<std::string> words;
  for (size_t i = 0; i < count; ++i) words.push_back(ranked[i].first);
  return word_list(words);
}

}  // namespace

int64_t auto_vocabulary_size(int64_t running_words) {
  const auto rule = std::llround(12.0 * std::sqrt(static_cast<double>(running_words)));
  return std::clamp<int64_t>(rule, 16, kLargestAuto);
}

std::shared_ptr<const Tokenizer> train_tokenizer(const TextSource& text, const TokenizerOptions& options,
                                                 const std::string& vocab_size, const std::string& option) {
  options.validate();
  const auto wanted = parse_vocabulary_size(vocab_size);
  const TextCounts counts = count_text(text, options);
  check_counts(counts, text, options);
  std::shared_ptr<const Tokenizer> tokenizer;
  if (options.vocab_type == "word")
    tokenizer = make_word_tokenizer(train_word_list(text, options, wanted, option), "trained word list");
  else
    tokenizer = make_sentencepiece_tokenizer(train_sentencepiece(text, options, counts, wanted, option),
                                             "trained model");
  spdlog::info("vocabulary of {} ({}) from {} lines, {} words of {}", tokenizer->size(), options.vocab_type,
               counts.usable, counts.words, text.name);
  return tokenizer;
}

Tokenizers make_tokenizers(const TokenizerOptions& options, const TextSource& source,
                           const TextSource& target) {
  options.validate();
  if (options.is_shared()) {
    auto tokenizer = options.tokenizer.empty()
                         ? train_tokenizer(concatenate(source, target), options, options.vocab_size)
                         : load_tokenizer(options.tokenizer);
    return {tokenizer, tokenizer, true};
  }
  const auto one_side = [&](const std::string& file, const std::string& size, const std::string& option,
                            const TextSource& text) {
    if (!file.empty()) return load_tokenizer(file);
    if (size.empty()) return train_tokenizer(text, options, options.vocab_size);
    return train_tokenizer(text, options, size, option);
  };
  Tokenizers tokenizers;
  tokenizers.source =
      one_side(options.source_tokenizer, options.source_vocab_size, "--source-vocab-size", source);
  tokenizers.target =
      one_side(options.target_tokenizer, options.target_vocab_size, "--target-vocab-size", target);
  return tokenizers;
}

}  // namespace gloss
