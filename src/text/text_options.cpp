#include "text/text_options.h"

#include <algorithm>
#include <set>

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
  const bool none_is_trained = !tokenizer.empty() || !(source_tokenizer.empty() || target_tokenizer.empty());
  const TokenizerOptions untouched;
  if (none_is_trained && (vocab_size != untouched.vocab_size || vocab_type != untouched.vocab_type))
    throw UsageError(
        "--vocab-size and --vocab-type: a ready vocabulary brings its own; leave them out, or --tokenizer");
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
  if (!user_symbols.empty() && vocab_type == "word")
    throw UsageError("--user-symbols: words are never cut, so --vocab-type word takes none");
  if (byte_fallback && vocab_type == "word")
    throw UsageError("--byte-fallback: needs --vocab-type unigram or bpe");
}

}  // namespace gloss
