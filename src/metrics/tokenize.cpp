#include "metrics/tokenize.h"

#include <unicode/uchar.h>

#include <algorithm>
#include <array>

#include "core/table.h"
#include "metrics/code_points.h"
#include "metrics/tokenize_rules.h"

namespace gloss {
namespace {

bool in_class(char32_t c, uint32_t mask) { return (U_GET_GC_MASK(static_cast<UChar32>(c)) & mask) != 0; }
bool is_number(char32_t c) { return in_class(c, U_GC_N_MASK); }
bool is_punctuation(char32_t c) { return in_class(c, U_GC_P_MASK); }
bool is_symbol(char32_t c) { return in_class(c, U_GC_S_MASK); }

std::u32string mteval_13a(std::u32string line) {
  replace_all(line, U"<skipped>", U"");
  replace_all(line, U"-\n", U"");
  replace_all(line, U"\n", U" ");
  decode_entities(line);
  return split_stops(split_marks(U" " + line + U" "));
}

std::u32string unchanged(std::u32string line) { return line; }

std::u32string characters(std::u32string line) {
  return space_around(line, [](char32_t) { return true; });
}

std::u32string international(std::u32string line) {
  const auto no_number = [](char32_t c) { return !is_number(c); };
  line = split_pairs(line, no_number, is_punctuation, SpaceOf::kSecond);
  line = split_pairs(line, is_punctuation, no_number, SpaceOf::kFirst);
  return space_around(line, is_symbol);
}

struct Range {
  char32_t first;
  char32_t last;
};

/// sacreBLEU's table, with two entries as they work there rather than as they read: its "\u20000" to "\u2a6d6" is
/// the string U+2000 '0' to U+2A6D '6', which takes U+2001 to U+2A6D and leaves extension B out; likewise "\u2f800".
constexpr std::array kChinese{
    Range{0x3400, 0x4DB5}, Range{0x4E00, 0x9FA5}, Range{0x9FA6, 0x9FBB}, Range{0xF900, 0xFA2D},
    Range{0xFA30, 0xFA6A}, Range{0xFA70, 0xFAD9}, Range{0x2001, 0x2A6D}, Range{0x2F81, 0x2FA1},
    Range{0xFF00, 0xFFEF}, Range{0x2E80, 0x2EFF}, Range{0x3000, 0x303F}, Range{0x31C0, 0x31EF},
    Range{0x2F00, 0x2FDF}, Range{0x2FF0, 0x2FFF}, Range{0x3100, 0x312F}, Range{0x31A0, 0x31BF},
    Range{0xFE10, 0xFE1F}, Range{0xFE30, 0xFE4F}, Range{0x2600, 0x26FF}, Range{0x2700, 0x27BF},
    Range{0x3200, 0x32FF}, Range{0x3300, 0x33FF}};

bool is_chinese(char32_t c) {
  return std::any_of(kChinese.begin(), kChinese.end(), [c](Range r) { return c >= r.first && c <= r.last; });
}

std::u32string chinese(std::u32string line) {
  const auto is_text = [](char32_t c) { return !is_python_space(c); };
  const auto begin = std::find_if(line.begin(), line.end(), is_text);
  const auto end = std::find_if(line.rbegin(), std::make_reverse_iterator(begin), is_text).base();
  return split_stops(split_marks(space_around(std::u32string(begin, end), is_chinese)));
}

struct Entry {
  const char* name;
  std::u32string (*tokenize)(std::u32string);
};
constexpr std::array kTokenizers{Entry{"13a", mteval_13a}, Entry{"none", unchanged},
                                 Entry{"char", characters}, Entry{"intl", international},
                                 Entry{"zh", chinese}};

}  // namespace

std::vector<std::string> metric_tokenizer_names() { return names_of(kTokenizers); }

std::u32string metric_tokenized(std::string_view line, const std::string& tokenizer) {
  const auto& entry = row_of(kTokenizers, "tokenizer", tokenizer);
  auto points = code_points(line);
  drop_trailing_space(points);
  return entry.tokenize(std::move(points));
}

}  // namespace gloss
