#include "text/text_options.h"

#include <algorithm>
#include <set>

#include "config/fields.h"
#include "core/error.h"
#include "core/special_tokens.h"
#include "core/text.h"
#include "core/unicode.h"

namespace gloss {
namespace {

constexpr int64_t kSmallest = kSpecialTokens.size() + 1;  // the special ids and one piece

std::string size_text() { return "auto or a whole number from " + std::to_string(kSmallest) + " up"; }

std::string size_fault(const std::string& written) {
  const auto size = whole_number<int64_t>(written);
  if (written == "auto" || (size && *size >= kSmallest && *size <= INT32_MAX)) return {};
  return "must be " + size_text() + ", got '" + written + "'";
}

/// The first of `names` that was changed, or "".
std::string changed_of(const TokenizerOptions& options, const std::vector<std::string>& names) {
  for (const auto& name : changed_options(options))
    if (std::ranges::find(names, name) != names.end()) return name;
  return {};
}

/// What says how to train a vocabulary, beside a ready one.
void refuse_untrained(const TokenizerOptions& options) {
  const bool source_is_ready = !options.tokenizer.empty() || !options.source_tokenizer.empty();
  const bool target_is_ready = !options.tokenizer.empty() || !options.target_tokenizer.empty();
  std::vector<std::string> unread;
  if (source_is_ready) unread.emplace_back("source-vocab-size");
  if (target_is_ready) unread.emplace_back("target-vocab-size");
  if (source_is_ready && target_is_ready)
    unread.insert(unread.end(), {"vocab-size", "vocab-type", "normalization", "character-coverage",
                                 "byte-fallback", "user-symbols", "max-sentence-bytes"});
  if (const auto name = changed_of(options, unread); !name.empty())
    throw UsageError("--" + name + ": a ready vocabulary brings its own; leave it out, or the tokenizer");
}

/// What only SentencePiece does.
void refuse_for_words(const TokenizerOptions& options) {
  const auto name =
      changed_of(options, {"normalization", "character-coverage", "byte-fallback", "user-symbols"});
  if (!name.empty())
    throw UsageError("--" + name +
                     ": does nothing to whole words; leave it out, or choose --vocab-type unigram or bpe");
}

}  // namespace

const Check vocabulary_size{size_text(), size_fault};

const std::vector<std::string>& normalization_names() {
  static const std::vector<std::string> names{"nmt_nfkc", "nmt_nfkc_cf", "nfkc", "nfkc_cf", "identity"};
  return names;
}

std::optional<int64_t> parse_vocabulary_size(const std::string& text) {
  if (const auto fault = size_fault(text); !fault.empty()) throw UsageError("--vocab-size: " + fault);
  return whole_number<int64_t>(text);
}

bool TokenizerOptions::is_shared() const {
  if (!tokenizer.empty()) return true;
  return shared_vocab && source_vocab_size.empty() && target_vocab_size.empty() && source_tokenizer.empty() &&
         target_tokenizer.empty();
}

void TokenizerOptions::validate() const {
  refuse_untrained(*this);
  if (vocab_type == "word") refuse_for_words(*this);
  if (!tokenizer.empty() && !(source_tokenizer.empty() && target_tokenizer.empty()))
    throw UsageError(
        "--tokenizer: is for both sides; give either it, or --source-tokenizer and --target-tokenizer");
  std::set<std::string> seen;
  for (const auto& symbol : user_symbols) {
    const auto words = word_spans(symbol);
    const bool one_word = words.size() == 1 && words[0].first == 0 && words[0].second == symbol.size();
    if (!one_word || symbol.find_first_of(",\"") != std::string::npos)
      throw UsageError("--user-symbols: '" + symbol +
                       "' must be one word without white space, comma or quote");
    if (std::ranges::find(kSpecialTokens, symbol) != kSpecialTokens.end())
      throw UsageError("--user-symbols: '" + symbol + "' is reserved; choose another");
    if (!seen.insert(symbol).second) throw UsageError("--user-symbols: '" + symbol + "' is given twice");
  }
}

}  // namespace gloss
