#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gloss {

/// White space everywhere in gloss is Unicode's property White_Space (no-break and ideographic spaces, U+0085, U+2028
/// too, but not U+200B), independent of the locale.

/// U+FEFF at the start of a file.
inline constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

/// Empty, or white space alone.
bool is_blank(std::string_view text);

/// Byte spans [begin, end) of the words, which white space separates.
std::vector<std::pair<size_t, size_t>> word_spans(std::string_view text);

bool valid_utf8(std::string_view text);

/// One U+FFFD for each maximal invalid part, as the Unicode Standard (section 3.9) recommends and browsers do.
std::string replace_invalid_utf8(std::string_view text);

}  // namespace gloss
