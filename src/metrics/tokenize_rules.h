#pragma once

#include <string>
#include <string_view>

namespace gloss {

/// The rules that tokenizers of scores are made of.

/// Each character for which `matches` holds, c, becomes " c ".
template <class Matches>
std::u32string space_around(std::u32string_view line, Matches matches) {
  std::u32string spaced;
  spaced.reserve(line.size() * 2);
  for (const char32_t c : line) {
    if (matches(c)) {
      spaced += {U' ', c, U' '};
    } else {
      spaced += c;
    }
  }
  return spaced;
}

enum class SpaceOf { kFirst, kSecond };

/// Each matching pair ab becomes " a b" or "a b "; pairs are found from the left and never overlap, as by a
/// regular expression's substitution.
template <class First, class Second>
std::u32string split_pairs(std::u32string_view line, First first, Second second, SpaceOf around) {
  std::u32string split;
  split.reserve(line.size() * 2);
  for (size_t i = 0; i < line.size();) {
    if (i + 1 == line.size() || !first(line[i]) || !second(line[i + 1])) {
      split += line[i++];
      continue;
    }
    if (around == SpaceOf::kFirst) split += U' ';
    split += {line[i], U' ', line[i + 1]};
    if (around == SpaceOf::kSecond) split += U' ';
    i += 2;
  }
  return split;
}

void replace_all(std::u32string& line, std::u32string_view from, std::u32string_view to);

/// &quot; &amp; &lt; &gt;, one after the other: "&amp;lt;" ends as "<".
void decode_entities(std::u32string& line);

/// Splits off what is punctuation in mteval-v13a and Tercom alike: ASCII punctuation except ' , - .
std::u32string split_marks(std::u32string_view line);

/// Splits off full stops and commas but between digits, and a dash after a digit.
std::u32string split_stops(std::u32string_view line);

}  // namespace gloss
