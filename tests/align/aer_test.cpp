#include "align/aer.h"

#include "core/error.h"
#include "support/catch.h"

using namespace gloss;

namespace {

using Links = std::vector<Link>;

}  // namespace

TEST_CASE("alignment error rate by hand: sums over the corpus come before the division",
          "[align][aer][unit]") {
  // Sentence 1: A = {00, 11, 12}, S = {00, 11}, P adds {12}.  Sentence 2: A = {01}, S = {00}, no more possible.
  // |A| = 4, |S| = 3, |A n S| = 2, |A n P| = 3.
  const auto score = alignment_error_rate({{{0, 0}, {1, 1}, {1, 2}}, {{0, 1}}},
                                          {{{{0, 0}, {1, 1}}, {{1, 2}}}, {{{0, 0}}, {}}});
  CHECK(score.precision == Approx(3.0 / 4));
  CHECK(score.recall == Approx(2.0 / 3));
  CHECK(score.aer == Approx(1 - 5.0 / 7));
  CHECK(score.f1 == Approx(2 * 0.75 * (2.0 / 3) / (0.75 + 2.0 / 3)));
}

TEST_CASE("the sure links alone have an error rate of 0, whether or not P repeats them",
          "[align][aer][property]") {
  const Links sure{{0, 0}, {2, 1}};
  for (const Links& possible : {Links{}, Links{{0, 0}, {2, 1}, {3, 3}}}) {
    const auto score = alignment_error_rate({sure}, {{sure, possible}});
    CHECK(score.aer == Approx(0).margin(1e-12));
    CHECK(score.precision == 1.0);
    CHECK(score.recall == 1.0);
  }
}

TEST_CASE("neither the order of links nor their repetition counts", "[align][aer][property]") {
  const auto once =
      alignment_error_rate({{{0, 0}, {1, 1}, {1, 2}}}, {{{{0, 0}, {2, 2}}, {{0, 0}, {1, 2}, {3, 3}}}});
  const auto again = alignment_error_rate({{{1, 2}, {0, 0}, {1, 1}, {0, 0}, {1, 2}}},
                                          {{{{2, 2}, {0, 0}, {2, 2}}, {{3, 3}, {1, 2}, {1, 2}, {0, 0}}}});
  CHECK(again.precision == once.precision);
  CHECK(again.recall == once.recall);
  CHECK(again.aer == once.aer);
  CHECK(again.f1 == once.f1);
  CHECK(once.precision == Approx(2.0 / 3));
  CHECK(once.recall == Approx(1.0 / 2));
  CHECK(once.aer == Approx(1 - 3.0 / 5));
}

TEST_CASE("extra possible links cost nothing, extra others do", "[align][aer][property]") {
  const Links sure{{0, 0}};
  CHECK(alignment_error_rate({{{0, 0}, {1, 1}}}, {{sure, {{1, 1}}}}).aer == Approx(0).margin(1e-12));
  CHECK(alignment_error_rate({{{0, 0}, {1, 1}}}, {{sure, {}}}).aer == Approx(1.0 / 3));
}

TEST_CASE("no links at all is an error rate of 1, nothing to find one of 0", "[align][aer][unit]") {
  const auto missed = alignment_error_rate({{}}, {{{{0, 0}}, {}}});
  CHECK(missed.aer == 1.0);
  CHECK(missed.recall == 0.0);
  CHECK(missed.f1 == 0.0);
  const auto nothing = alignment_error_rate({{}}, {{{}, {}}});
  CHECK(nothing.aer == 0.0);
  CHECK(nothing.f1 == 1.0);
}

TEST_CASE("wrong links alone are an error rate of 1", "[align][aer][unit]") {
  const auto score = alignment_error_rate({{{5, 5}}}, {{{{0, 0}}, {}}});
  CHECK(score.aer == 1.0);
  CHECK(score.precision == 0.0);
  CHECK(score.f1 == 0.0);
}

TEST_CASE("unequal numbers of sentences are refused with both counts", "[align][aer][unit]") {
  CHECK_THROWS_AS(alignment_error_rate({{}, {}}, {{}}), DataError);
  CHECK_THROWS_WITH(alignment_error_rate({{}, {}}, {{}}), Catch::Matchers::Contains("2 sentences, but 1"));
}
