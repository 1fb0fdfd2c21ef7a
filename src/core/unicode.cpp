#include "core/unicode.h"

#include <unicode/uchar.h>
#include <unicode/utf8.h>

#include <cstdint>

namespace gloss {
namespace {

/// Reads one code point at `at` and moves behind it; negative when the bytes are no UTF-8.
UChar32 next_code_point(std::string_view text, size_t& at) {
  UChar32 code_point = 0;
  const auto* bytes = reinterpret_cast<const uint8_t*>(text.data());
  const size_t size = text.size();
  U8_NEXT(bytes, at, size, code_point);
  return code_point;
}

bool is_white_space(UChar32 code_point) { return code_point >= 0 && u_isUWhiteSpace(code_point); }

}  // namespace

bool is_blank(std::string_view text) {
  for (size_t at = 0; at < text.size();)
    if (!is_white_space(next_code_point(text, at))) return false;
  return true;
}

std::vector<std::pair<size_t, size_t>> word_spans(std::string_view text) {
  std::vector<std::pair<size_t, size_t>> spans;
  bool in_word = false;
  for (size_t at = 0; at < text.size();) {
    const size_t begin = at;
    if (is_white_space(next_code_point(text, at))) {
      in_word = false;
    } else if (in_word) {
      spans.back().second = at;
    } else {
      spans.emplace_back(begin, at);
      in_word = true;
    }
  }
  return spans;
}

bool valid_utf8(std::string_view text) {
  for (size_t at = 0; at < text.size();)
    if (next_code_point(text, at) < 0) return false;
  return true;
}

std::string replace_invalid_utf8(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  for (size_t at = 0; at < text.size();) {
    const size_t begin = at;
    if (next_code_point(text, at) < 0)
      result += "\xEF\xBF\xBD";
    else
      result.append(text.substr(begin, at - begin));
  }
  return result;
}

}  // namespace gloss
