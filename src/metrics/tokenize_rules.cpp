#include "metrics/tokenize_rules.h"

namespace gloss {
namespace {

bool is_digit(char32_t c) { return c >= U'0' && c <= U'9'; }
bool is_stop(char32_t c) { return c == U'.' || c == U','; }

/// ASCII punctuation and symbols except ' , - . (mteval-v13a), and the space.
bool is_always_split(char32_t c) {
  return (c >= U'{' && c <= U'~') || (c >= U'[' && c <= U'`') || (c >= U' ' && c <= U'&') ||
         (c >= U'(' && c <= U'+') || (c >= U':' && c <= U'@') || c == U'/';
}

}  // namespace

void replace_all(std::u32string& line, std::u32string_view from, std::u32string_view to) {
  for (size_t at = 0; (at = line.find(from, at)) != std::u32string::npos; at += to.size())
    line.replace(at, from.size(), to);
}

void decode_entities(std::u32string& line) {
  if (line.find(U'&') == std::u32string::npos) return;
  replace_all(line, U"&quot;", U"\"");
  replace_all(line, U"&amp;", U"&");
  replace_all(line, U"&lt;", U"<");
  replace_all(line, U"&gt;", U">");
}

std::u32string split_marks(std::u32string_view line) { return space_around(line, is_always_split); }

std::u32string split_stops(std::u32string_view line) {
  const auto no_digit = [](char32_t c) { return !is_digit(c); };
  const auto dash = [](char32_t c) { return c == U'-'; };
  auto split = split_pairs(line, no_digit, is_stop, SpaceOf::kSecond);
  split = split_pairs(split, is_stop, no_digit, SpaceOf::kFirst);
  return split_pairs(split, is_digit, dash, SpaceOf::kSecond);
}

}  // namespace gloss
