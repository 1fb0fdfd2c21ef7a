#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace gloss {

/// What sacreBLEU's numbers owe to Python's str: code points, white space and lower-casing.

/// The code points of UTF-8 text; bytes that are no UTF-8 become U+FFFD.
std::u32string code_points(std::string_view text);

/// Python's str.isspace of one character. It counts U+0085, U+00A0, U+001C to U+001F, but not U+200B.
bool is_python_space(char32_t c);

/// str.split(): the words point into the text.
std::vector<std::u32string_view> python_split(std::u32string_view text);

/// str.lower(), with full mappings and the final sigma.
std::string python_lower(std::string_view text);

/// Has the text letters that have a capital form (lower), and capitals or title-case letters (upper)?
struct CasedLetters {
  bool lower = false;
  bool upper = false;
};
CasedLetters cased_letters(std::string_view text);

/// str.rstrip(). Bytes that are no UTF-8 are no white space.
std::string_view without_trailing_space(std::string_view text);
void drop_trailing_space(std::u32string& text);

/// A file's content as sacreBLEU reads it: lines end at LF alone, white space at the right end of each is dropped.
std::vector<std::string> metric_lines(std::string_view content);

/// Numbers words so that a line of words becomes a string of symbols. The words must outlive it.
class WordNumbers {
 public:
  std::u32string symbols(const std::vector<std::u32string_view>& words);

 private:
  std::unordered_map<std::u32string_view, char32_t> numbers_;
};

}  // namespace gloss
