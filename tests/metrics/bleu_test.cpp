#include "metrics/bleu.h"

#include <cmath>

#include "core/error.h"
#include "support/catch.h"

using namespace gloss;

TEST_CASE("BLEU of a line against itself is 100", "[metrics][property]") {
  const auto smooth = GENERATE(from_range(bleu_smoothing_names()));
  BleuOptions options;
  options.smooth_method = smooth;
  CHECK(bleu({"a b c d e"}, {{"a b c d e"}}, options).score == Approx(100));
}

TEST_CASE("BLEU by hand: clipped counts and brevity penalty", "[metrics][unit]") {
  // "the the the the" against "the cat": one clipped match of four; lengths 4 and 2.
  BleuOptions options;
  options.max_ngram_order = 1;
  const auto clipped = bleu({"the the the the"}, {{"the cat"}}, options);
  CHECK(clipped.score == Approx(25));
  CHECK(clipped.brevity_penalty == 1.0);
  const auto brief = bleu({"the"}, {{"the cat"}}, options);
  CHECK(brief.score == Approx(100 * std::exp(-1.0)));
}

TEST_CASE("the closest reference length counts, the shorter one on a tie", "[metrics][unit]") {
  CHECK(bleu({"a b c"}, {{"a b c d"}, {"a b"}, {"a b c d e f"}}).reference_length == 2);
  CHECK(bleu({"a b c"}, {{"a b c d"}, {"a"}}).reference_length == 4);
}

TEST_CASE("exp smoothing halves the precision of each order without a match", "[metrics][unit]") {
  const auto score = bleu({"a x b y c"}, {{"a b c z z"}});  // 3 of 5 unigrams, no longer match
  CHECK(score.precisions[0] == Approx(60));
  CHECK(score.precisions[1] == Approx(100.0 / (2 * 4)));
  CHECK(score.precisions[2] == Approx(100.0 / (4 * 3)));
  CHECK(score.precisions[3] == Approx(100.0 / (8 * 2)));
}

TEST_CASE("corpus BLEU sums counts and is no mean of sentence scores", "[metrics][property]") {
  const std::vector<std::string> hypotheses{"a b c d", "x"};
  const std::vector<std::vector<std::string>> references{{"a b c d", "y"}};
  const auto corpus = bleu(hypotheses, references);
  CHECK(corpus.totals[0] == 5);
  CHECK(corpus.matches[0] == 4);
  CHECK(corpus.precisions[0] == Approx(80));
  CHECK(corpus.score == Approx(100 * std::pow(0.8, 0.25)));
}

TEST_CASE("the order of lines and of references does not change corpus BLEU", "[metrics][property]") {
  const auto forward = bleu({"a b c d e", "x y z q"}, {{"a b c d f", "x y z"}, {"a b c", "q x y z w"}});
  const auto backward = bleu({"x y z q", "a b c d e"}, {{"q x y z w", "a b c"}, {"x y z", "a b c d f"}});
  CHECK(forward.score == backward.score);
  CHECK(forward.score > 0);
}

TEST_CASE("BLEU is 0 when nothing matches, whatever the smoothing", "[metrics][property]") {
  BleuOptions options;
  options.smooth_method = GENERATE(from_range(bleu_smoothing_names()));
  CHECK(bleu({"a b c d"}, {{"w x y z"}}, options).score == 0.0);
  CHECK(bleu({""}, {{"w x y z"}}, options).score == 0.0);
  CHECK(bleu({""}, {{""}}, options).score == 0.0);
}

TEST_CASE("BLEU refuses unequal numbers of lines, no lines and no references", "[metrics][unit]") {
  CHECK_THROWS_AS(bleu({"a", "b"}, {{"a"}}), DataError);
  CHECK_THROWS_WITH(bleu({"a", "b"}, {{"a", "b"}, {"a"}}), Catch::Matchers::Contains("reference 2 has 1"));
  CHECK_THROWS_AS(bleu({}, {{}}), DataError);
  CHECK_THROWS_AS(bleu({"a"}, {}), DataError);
  BleuOptions unknown;
  unknown.smooth_method = "linear";
  CHECK_THROWS_AS(bleu({"a"}, {{"a"}}, unknown), UsageError);
}

TEST_CASE("the signature shows the smoothing value and the case", "[metrics][unit]") {
  BleuOptions options;
  options.smooth_method = "floor";
  options.lowercase = true;
  CHECK(bleu_signature(options, {.references = 2}) ==
        "nrefs:2|case:lc|eff:no|tok:13a|smooth:floor[0.10]|version:2.6.0");
}
