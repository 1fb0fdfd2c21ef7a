#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace gloss {

/// The tokenizers of sacreBLEU 2.6: 13a (mteval-v13a, the usual one), none, char, intl (mteval-v14's international
/// rules) and zh. Only for scoring; models use text/tokenizer.h.
std::vector<std::string> metric_tokenizer_names();

/// The line with white space between its words under the named tokenizer; python_split() gives them. UsageError for an
/// unknown name. Bytes that are no UTF-8 become U+FFFD.
std::u32string metric_tokenized(std::string_view line, const std::string& tokenizer);

}  // namespace gloss
