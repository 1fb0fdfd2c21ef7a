#include "search/sentence_search.h"

#include <cmath>
#include <limits>

#include "core/error.h"
#include "core/special_tokens.h"
#include "search/search_options.h"
#include "support/catch.h"

using namespace gloss;

namespace {

constexpr float kImpossible = -std::numeric_limits<float>::infinity();

SearchOptions options(int64_t beam, double penalty, int64_t n_best = 1) {
  SearchOptions result;
  result.beam_size = beam;
  result.length_penalty = penalty;
  result.n_best = n_best;
  return result;
}

/// One live hypothesis with three words offered: end mark, 4 and 5.
void advance(SentenceSearch& search, float end, float first, float second) {
  const std::vector<int64_t> ids{kEos, 4, 5};
  const std::vector<float> log_probabilities{end, first, second};
  search.advance(ids, log_probabilities, 3);
}

}  // namespace

TEST_CASE("a score divides by the length to the power of the penalty", "[search][unit]") {
  CHECK(length_normalized(-6.0, 4, 0.0) == Approx(-6.0));
  CHECK(length_normalized(-6.0, 4, 1.0) == Approx(-1.5));
  CHECK(length_normalized(-6.0, 4, 0.5) == Approx(-3.0));
}

TEST_CASE("equal scores are ordered by length, then by ids", "[search][unit]") {
  const Hypothesis brief{{9}, -1, -1}, low{{4, 5}, -1, -1}, high{{4, 6}, -1, -1};
  const Hypothesis best{{7, 7, 7}, -1, -0.5};
  CHECK(is_better(brief, low));
  CHECK(is_better(low, high));
  CHECK(is_better(best, brief));
  CHECK_FALSE(is_better(low, low));
}

TEST_CASE("on plain sums the search stops when no live hypothesis can catch up", "[search][unit]") {
  SentenceSearch search(options(2, 0.0), 5);
  advance(search, -1.0F, -0.5F, kImpossible);
  CHECK_FALSE(search.done());  // -0.5 is still ahead of the finished -1
  advance(search, -9.0F, -0.6F, kImpossible);
  CHECK(search.done());  // -1.1 can only fall
  CHECK(search.results().front().ids.empty());
}

TEST_CASE("with a length penalty the search goes on as long as the longest output could win",
          "[search][unit]") {
  // Finished: -1 / 1. Alive: -2.5 after one word; at the longest (3 words and the end mark) it scores -2.5/4.
  SentenceSearch longer(options(2, 1.0), 3);
  advance(longer, -1.0F, -2.5F, kImpossible);
  CHECK_FALSE(longer.done());
  // At most one word and the end mark: -2.5/2 cannot win.
  SentenceSearch brief(options(2, 1.0), 1);
  advance(brief, -1.0F, -2.5F, kImpossible);
  CHECK(brief.done());
}

TEST_CASE("the bound waits for all of the n best", "[search][unit]") {
  SentenceSearch search(options(3, 0.0, 2), 5);
  advance(search, -1.0F, -4.0F, kImpossible);
  CHECK_FALSE(search.done());
  advance(search, -1.0F, -8.0F, kImpossible);
  CHECK(search.done());
  REQUIRE(search.results().size() == 2);
  CHECK(search.results()[1].log_probability == Approx(-5.0));
  CHECK(search.results()[1].ids == std::vector<int32_t>{4});
}

TEST_CASE("an end mark outside the beam finishes nothing", "[search][unit]") {
  SentenceSearch search(options(1, 0.0), 5);
  advance(search, -2.0F, -1.0F, -3.0F);
  CHECK_FALSE(search.done());
  CHECK(search.live().size() == 1);
  CHECK(search.live().front().token == 4);
}

TEST_CASE("padding and the begin mark are never generated, whatever their probability", "[search][unit]") {
  SentenceSearch search(options(4, 0.0), 5);
  const std::vector<int64_t> ids{kPad, kBos, kUnk, 6};
  const std::vector<float> log_probabilities{-0.1F, -0.2F, -3.0F, -4.0F};
  search.advance(ids, log_probabilities, 4);
  REQUIRE(search.live().size() == 2);
  CHECK(search.live()[0].token == kUnk);
  CHECK(search.live()[1].token == 6);
}

TEST_CASE("probabilities that are not numbers are reported as a broken model", "[search][unit]") {
  SentenceSearch search(options(2, 1.0), 5);
  CHECK_THROWS_AS(advance(search, -1.0F, std::nanf(""), -1.0F), CheckpointError);
}

TEST_CASE("a sentence cut at the limit keeps its words", "[search][unit]") {
  SentenceSearch search(options(1, 1.0), 2);
  for (int step = 0; step < 3; ++step) {
    REQUIRE_FALSE(search.done());
    advance(search, kImpossible, -1.0F, -2.0F);
  }
  CHECK(search.done());
  const auto result = search.results().front();
  CHECK(result.ids == std::vector<int32_t>{4, 4});
  CHECK(result.log_probability == Approx(-2.0));
  CHECK(result.score == Approx(-1.0));
}

TEST_CASE("more translations than the beam holds are refused by name", "[search][unit]") {
  CHECK_NOTHROW(options(3, 1.0, 3).validate());
  CHECK_THROWS_WITH(options(2, 1.0, 3).validate(),
                    Catch::Contains("n-best") && Catch::Contains("--beam-size"));
}

TEST_CASE("the output limit is the ratio plus ten, unless a length is given", "[search][unit]") {
  SearchOptions ratio;
  CHECK(output_limit(ratio, 0) == 10);
  CHECK(output_limit(ratio, 7) == 31);
  ratio.max_output_ratio = 1e300;
  CHECK(output_limit(ratio, 7) > 1'000'000);
  SearchOptions length;
  length.max_output_length = 12;
  CHECK(output_limit(length, 100) == 12);
}
