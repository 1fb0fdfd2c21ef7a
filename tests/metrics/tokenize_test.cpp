#include "metrics/tokenize.h"

#include <unicode/unistr.h>

#include "core/error.h"
#include "metrics/code_points.h"
#include "support/catch.h"

using namespace gloss;

namespace {

std::string utf8(std::u32string_view text) {
  std::string bytes;
  icu::UnicodeString::fromUTF32(reinterpret_cast<const UChar32*>(text.data()),
                                static_cast<int32_t>(text.size()))
      .toUTF8String(bytes);
  return bytes;
}

std::string words(std::string_view line, const std::string& tokenizer) {
  std::string joined;
  const auto text = metric_tokenized(line, tokenizer);
  for (const auto word : python_split(text)) joined.append(joined.empty() ? "" : " ").append(utf8(word));
  return joined;
}

}  // namespace

TEST_CASE("13a keeps numbers whole and splits other stops and commas", "[metrics][unit]") {
  CHECK(words("It costs 1,000.50, not 3-4.", "13a") == "It costs 1,000.50 , not 3 - 4 .");
  CHECK(words("a.b e-mail don't", "13a") == "a . b e-mail don't");
  CHECK(words("(x)/[y]", "13a") == "( x ) / [ y ]");
}

TEST_CASE("13a decodes entities one after the other and drops <skipped>", "[metrics][unit]") {
  CHECK(words("&quot;a&quot; &amp;lt; x<skipped>y", "13a") == "\" a \" < xy");
}

TEST_CASE("zh and intl leave entities as they are", "[metrics][unit]") {
  CHECK(words("&gt;", "zh") == "& gt ;");
  CHECK(words("&gt;", "intl") == "& gt ;");
}

TEST_CASE("pairs never overlap, as in a regular expression's substitution", "[metrics][unit]") {
  // "..a": the pair (space .) is taken first, so the second stop is split only by the rule that follows.
  CHECK(words("..a", "13a") == ". . a");
  CHECK(words(",,,", "13a") == ", , ,");
}

TEST_CASE("zh splits CJK characters but not extension B, kana or hangul", "[metrics][unit]") {
  CHECK(words("中文ab", "zh") == "中 文 ab");
  CHECK(words("ひらがな", "zh") == "ひらがな");
  CHECK(words("\U00020000\U00020001", "zh") == "\U00020000\U00020001");
}

TEST_CASE("char gives one word a character and none splits at white space alone", "[metrics][unit]") {
  CHECK(words("né 中", "char") == "n é 中");
  CHECK(words("a.b,  c\u00A0d", "none") == "a.b, c d");
}

TEST_CASE("the table names every tokenizer and an unknown one is refused with the list", "[metrics][unit]") {
  for (const auto& name : metric_tokenizer_names()) CHECK(words("a", name) == "a");
  CHECK_THROWS_AS(metric_tokenized("a", "moses"), UsageError);
  CHECK_THROWS_WITH(metric_tokenized("a", "moses"), Catch::Matchers::Contains("13a, none, char, intl, zh"));
}

TEST_CASE("an empty or blank line has no words under any tokenizer", "[metrics][property]") {
  for (const auto& name : metric_tokenizer_names())
    for (const auto* line : {"", " ", "\u3000\t\u0085", "\x1c"}) CHECK(words(line, name).empty());
}

TEST_CASE("lines end at line feeds alone and lose white space at their right end", "[metrics][unit]") {
  CHECK(metric_lines("a\r\n b\u3000 \nc\rd\u2028e") == std::vector<std::string>{"a", " b", "c\rd\u2028e"});
  CHECK(metric_lines("a\n\n") == std::vector<std::string>{"a", ""});
  CHECK(metric_lines("").empty());
  CHECK(metric_lines("\n").size() == 1);
  CHECK(metric_lines("a\u200B")[0] == "a\u200B");
}

TEST_CASE("bytes that are no UTF-8 become U+FFFD and a NUL stays", "[metrics][unit]") {
  CHECK(words("a\xFFz", "none") == "a\uFFFDz");
  CHECK(utf8(code_points(std::string_view("a\0b", 3))) == std::string("a\0b", 3));
}

TEST_CASE("lower-casing knows final sigma and the dotted capital I", "[metrics][unit]") {
  CHECK(python_lower("ΌΣΟΣ") == "όσος");
  CHECK(python_lower("İ") == "i\u0307");
}
