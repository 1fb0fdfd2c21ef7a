#include "metrics/chrf.h"

#include "core/error.h"
#include "support/catch.h"

using namespace gloss;

TEST_CASE("chrF of a line against itself is 100 and against other letters 0", "[metrics][property]") {
  ChrfOptions options;
  options.word_order = GENERATE(0, 1, 2);
  options.whitespace = GENERATE(false, true);
  CHECK(sentence_chrf("Guten Tag, Welt!", {"Guten Tag, Welt!"}, options) == Approx(100));
  CHECK(sentence_chrf("abc", {"xyz"}, options) == 0.0);
}

TEST_CASE("chrF by hand on one order", "[metrics][unit]") {
  // "aab" against "abb": matches a, b = 2 of 3 both ways, so F = 2/3 for any beta.
  ChrfOptions options;
  options.char_order = 1;
  CHECK(sentence_chrf("aab", {"abb"}, options) == Approx(100.0 * 2 / 3));
  // "a" against "ab": precision 1, recall 1/2; F2 = 5 * 1/2 / (4 + 1/2).
  CHECK(sentence_chrf("a", {"ab"}, options) == Approx(100.0 * 2.5 / 4.5));
  options.beta = 1;
  CHECK(sentence_chrf("a", {"ab"}, options) == Approx(100.0 * 2 / 3));
}

TEST_CASE("white space counts only when asked for", "[metrics][unit]") {
  CHECK(sentence_chrf("a b c", {"abc"}) == Approx(100));
  ChrfOptions options;
  options.whitespace = true;
  CHECK(sentence_chrf("a b c", {"abc"}, options) < 100);
}

TEST_CASE("the best reference of each line counts", "[metrics][property]") {
  CHECK(sentence_chrf("abcdef", {"uvwxyz", "abcdef"}) == Approx(100));
}

TEST_CASE("chrF splits one punctuation mark off a word, the last one first", "[metrics][unit]") {
  ChrfOptions words;
  words.char_order = 1;
  words.word_order = 1;
  // "(hi)" is "(hi" and ")": the unigram ")" is shared with ")" alone; characters: 1 of 4 and 1 of 1.
  const double precision = (1.0 / 4 + 1.0 / 2) / 2;
  const double recall = 1.0;
  CHECK(sentence_chrf("(hi)", {")"}, words) ==
        Approx(100 * 5 * precision * recall / (4 * precision + recall)));
}

TEST_CASE("empty lines give 0 and no NaN", "[metrics][unit]") {
  CHECK(sentence_chrf("", {""}) == 0.0);
  CHECK(sentence_chrf("", {"abc"}) == 0.0);
  CHECK(sentence_chrf("abc", {""}) == 0.0);
}

TEST_CASE("chrF refuses unequal numbers of lines", "[metrics][unit]") {
  CHECK_THROWS_AS(chrf({"a"}, {{"a", "b"}}), DataError);
}

TEST_CASE("chrF's name shows beta and the word order", "[metrics][unit]") {
  ChrfOptions options;
  CHECK(chrf_name(options) == "chrF2");
  options.word_order = 2;
  CHECK(chrf_name(options) == "chrF2++");
}

TEST_CASE("a large beta leaves recall alone", "[metrics][property]") {
  // Five of six letters are found, and nothing else is there: recall 5/6 for order 1.
  for (const int64_t beta : {int64_t{1} << 20, int64_t{1} << 32, INT64_MAX})
    CHECK(chrf({"abcde"}, {{"abcdef"}}, {.char_order = 1, .beta = beta}) ==
          Approx(100.0 * 5 / 6).epsilon(1e-6));
}
