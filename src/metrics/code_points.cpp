#include "metrics/code_points.h"

#include <unicode/locid.h>
#include <unicode/uchar.h>
#include <unicode/unistr.h>
#include <unicode/utf8.h>

#include <algorithm>

namespace gloss {

std::u32string code_points(std::string_view text) {
  std::u32string points;
  points.reserve(text.size());
  const auto length = static_cast<int32_t>(text.size());
  const auto* bytes = reinterpret_cast<const uint8_t*>(text.data());
  for (int32_t i = 0; i < length;) {
    UChar32 c = 0;
    U8_NEXT_OR_FFFD(bytes, i, length, c);
    points.push_back(static_cast<char32_t>(c));
  }
  return points;
}

bool is_python_space(char32_t c) {
  if (c < 0x80) return c == U' ' || (c >= 0x09 && c <= 0x0D) || (c >= 0x1C && c <= 0x1F);
  return c == 0x85 || c == 0xA0 || c == 0x1680 || (c >= 0x2000 && c <= 0x200A) || c == 0x2028 ||
         c == 0x2029 || c == 0x202F || c == 0x205F || c == 0x3000;
}

std::vector<std::u32string_view> python_split(std::u32string_view text) {
  std::vector<std::u32string_view> words;
  for (size_t i = 0; i < text.size();) {
    while (i < text.size() && is_python_space(text[i])) ++i;
    const size_t begin = i;
    while (i < text.size() && !is_python_space(text[i])) ++i;
    if (i > begin) words.push_back(text.substr(begin, i - begin));
  }
  return words;
}

std::string python_lower(std::string_view text) {
  const auto is_ascii = [](char c) { return static_cast<unsigned char>(c) < 0x80; };
  std::string lower;
  if (std::all_of(text.begin(), text.end(), is_ascii)) {
    lower = text;
    for (char& c : lower)
      if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    return lower;
  }
  auto wide = icu::UnicodeString::fromUTF8(icu::StringPiece(text.data(), static_cast<int32_t>(text.size())));
  wide.toLower(icu::Locale::getRoot());
  wide.toUTF8String(lower);
  return lower;
}

CasedLetters cased_letters(std::string_view text) {
  CasedLetters found;
  for (const char32_t point : code_points(text)) {
    const auto c = static_cast<UChar32>(point);
    found.upper |= u_isupper(c) || u_istitle(c);
    found.lower |= u_toupper(c) != c;
  }
  return found;
}

std::string_view without_trailing_space(std::string_view text) {
  const auto* bytes = reinterpret_cast<const uint8_t*>(text.data());
  auto end = static_cast<int32_t>(text.size());
  while (end > 0) {
    int32_t before = end;
    UChar32 c = 0;
    U8_PREV_OR_FFFD(bytes, 0, before, c);
    if (!is_python_space(static_cast<char32_t>(c))) break;
    end = before;
  }
  return text.substr(0, static_cast<size_t>(end));
}

void drop_trailing_space(std::u32string& text) {
  while (!text.empty() && is_python_space(text.back())) text.pop_back();
}

std::vector<std::string> metric_lines(std::string_view content) {
  std::vector<std::string> lines;
  while (!content.empty()) {
    const size_t end = content.find('\n');
    lines.emplace_back(without_trailing_space(content.substr(0, end)));
    content.remove_prefix(end == std::string_view::npos ? content.size() : end + 1);
  }
  return lines;
}

std::u32string WordNumbers::symbols(const std::vector<std::u32string_view>& words) {
  std::u32string line;
  line.reserve(words.size());
  for (const auto word : words)
    line.push_back(numbers_.try_emplace(word, static_cast<char32_t>(numbers_.size())).first->second);
  return line;
}

}  // namespace gloss
