#include "metrics/ter.h"

#include <algorithm>
#include <array>
#include <limits>
#include <map>

#include "core/error.h"
#include "core/random.h"
#include "metrics/edits_with_shifts.h"
#include "support/catch.h"

using namespace gloss;

namespace {

std::u32string random_words(Random& random, size_t length, uint64_t kinds) {
  std::u32string words;
  for (size_t i = 0; i < length; ++i) words += static_cast<char32_t>(random.below(kinds));
  return words;
}

int64_t edits(std::u32string_view hypothesis, std::u32string_view reference) {
  return EditsWithShifts().count(hypothesis, reference);
}

/// Levenshtein's distance over the whole table.
int64_t plain_distance(std::u32string_view a, std::u32string_view b) {
  std::vector<int64_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) row[j] = static_cast<int64_t>(j);
  for (size_t i = 1; i <= a.size(); ++i) {
    int64_t diagonal = row[0]++;
    for (size_t j = 1; j <= b.size(); ++j) {
      const int64_t cost = std::min({diagonal + (a[i - 1] != b[j - 1]), row[j] + 1, row[j - 1] + 1});
      diagonal = row[j];
      row[j] = cost;
    }
  }
  return row[b.size()];
}

/// The fewest edits with any shifts whatever: a breadth-first search over all orders of the words.
int64_t fewest_edits(const std::u32string& hypothesis, std::u32string_view reference) {
  std::map<std::u32string, int64_t> shifts{{hypothesis, 0}};
  std::vector<std::u32string> queue{hypothesis};
  int64_t fewest = std::numeric_limits<int64_t>::max();
  for (size_t next = 0; next < queue.size(); ++next) {
    const auto words = queue[next];
    const auto count = shifts.at(words);
    fewest = std::min(fewest, count + plain_distance(words, reference));
    for (size_t begin = 0; begin < words.size(); ++begin)
      for (size_t end = begin + 1; end < words.size(); ++end)
        for (size_t to = end + 1; to <= words.size(); ++to) {
          auto moved = words;
          const auto at = [&](size_t i) { return moved.begin() + static_cast<int64_t>(i); };
          std::rotate(at(begin), at(end), at(to));
          if (shifts.try_emplace(moved, count + 1).second) queue.push_back(moved);
        }
  }
  return fewest;
}

}  // namespace

TEST_CASE("TER of a line against itself is 0 under every option", "[metrics][property]") {
  TerOptions options;
  options.normalized = GENERATE(false, true);
  options.no_punct = GENERATE(false, true);
  options.asian_support = GENERATE(false, true);
  options.case_sensitive = GENERATE(false, true);
  for (const auto* line : {"", "a", "The cat (it's a cat) sat; 3,000 times.", "中文、 ひらがな ok"}) {
    const auto score = sentence_ter(line, {line}, options);
    CHECK(score.score == 0.0);
    CHECK(score.edits == 0);
  }
}

TEST_CASE("TER by hand: one edit of each kind", "[metrics][unit]") {
  const std::string reference = "a b c d e";
  const auto [hypothesis, edits] = GENERATE(table<std::string, int64_t>({
      {"a b x d e", 1},    // exchanged
      {"a b d e", 1},      // missing
      {"a b c x d e", 1},  // too many
      {"d e a b c", 1},    // a block moved
      {"a c d b e", 1},    // a word moved
      {"d e a b x", 2},    // a block moved and a word exchanged
  }));
  INFO(hypothesis);
  const auto score = sentence_ter(hypothesis, {reference});
  CHECK(score.edits == edits);
  CHECK(score.reference_length == 5.0);
  CHECK(score.score == Approx(20.0 * static_cast<double>(edits)));
}

TEST_CASE("TER of empty lines: every word missing, every word too many, nothing wrong", "[metrics][unit]") {
  CHECK(sentence_ter("", {"a b"}).score == 100.0);
  CHECK(sentence_ter("a b c", {""}).score == 100.0);
  CHECK(sentence_ter("a b c", {""}).edits == 3);
  CHECK(sentence_ter("", {""}).score == 0.0);
}

TEST_CASE("TER exceeds 100 where the hypothesis is far too long", "[metrics][unit]") {
  CHECK(sentence_ter("a b c d e f g h", {"z"}).score == 800.0);
}

TEST_CASE("TER is no distance: changing places changes more than the length it is divided by",
          "[metrics][unit]") {
  // Case M20: 2 edits of 7 words; the other way round the shifts that are tried differ, and so may the edits.
  Random random(5);
  size_t unequal = 0;
  for (int i = 0; i < 300; ++i) {
    const auto a = random_words(random, 12, 5), b = random_words(random, 12, 5);
    unequal += edits(a, b) != edits(b, a);
  }
  CHECK(unequal > 0);
}

TEST_CASE("edits lie between the fewest of all shifts and the plain distance", "[metrics][property]") {
  Random random(1);
  size_t better_than_plain = 0;
  for (int i = 0; i < 150; ++i) {
    const auto hypothesis = random_words(random, random.below(7), 4);
    const auto reference = random_words(random, 1 + random.below(7), 4);
    const auto found = edits(hypothesis, reference);
    const auto plain = plain_distance(hypothesis, reference);
    CHECK(found <= plain);
    CHECK(found >= fewest_edits(hypothesis, reference));
    better_than_plain += found < plain;
  }
  CHECK(better_than_plain > 0);
}

TEST_CASE("tables kept from a longer pair don't change a shorter one", "[metrics][property]") {
  Random random(2);
  EditsWithShifts kept;
  for (int i = 0; i < 100; ++i) {
    const auto hypothesis = random_words(random, random.below(60), 20);
    const auto reference = random_words(random, random.below(60), 20);
    CHECK(kept.count(hypothesis, reference) == edits(hypothesis, reference));
  }
}

TEST_CASE("very unequal and very long lines end and stay within their lengths", "[metrics][unit]") {
  const std::u32string many(5000, U'a'), one(1, U'b');
  CHECK(edits(many, one) == 5000);
  CHECK(edits(one, many) == 5000);
  Random random(3);
  const auto a = random_words(random, 3000, 1000), b = random_words(random, 2000, 1000);
  CHECK(edits(a, b) <= 3000);
  CHECK(edits(a, b) >= 1000);
}

TEST_CASE("the nearest reference counts, over their mean length", "[metrics][unit]") {
  const auto score = sentence_ter("a b c", {"x y z w", "a b d"});
  CHECK(score.edits == 1);
  CHECK(score.reference_length == 3.5);
}

TEST_CASE("each option of TER does what it says", "[metrics][unit]") {
  TerOptions options;
  CHECK(sentence_ter("The Cat.", {"the cat ."}, options).edits == 2);
  options.normalized = true;
  CHECK(sentence_ter("The Cat.", {"the cat ."}, options).edits == 0);
  options.case_sensitive = true;
  CHECK(sentence_ter("The Cat.", {"the cat ."}, options).edits == 2);
  options = {};
  options.no_punct = true;
  CHECK(sentence_ter("the cat!", {"(the) cat"}, options).edits == 0);
  CHECK(sentence_ter("中、文", {"中文"}, options).edits == 1);
  options.asian_support = true;
  CHECK(sentence_ter("中、文", {"中文"}, options).edits == 0);
  options = {};
  options.normalized = true;
  CHECK(sentence_ter("中文", {"中 文"}, options).edits > 0);
  options.asian_support = true;
  CHECK(sentence_ter("中文", {"中 文"}, options).edits == 0);
}

TEST_CASE("a possessive before punctuation is split in references alone, as sacreBLEU does",
          "[metrics][unit]") {
  TerOptions options;
  options.normalized = true;
  // sacreBLEU 2.6.0: TER(normalized=True).sentence_score("it's,", ["it's,"]) is 66.67: "it's ," against "it 's ,".
  CHECK(sentence_ter("it's,", {"it's,"}, options).edits == 2);
  CHECK(sentence_ter("it's so", {"it's so"}, options).edits == 0);
}

TEST_CASE("TER refuses unequal numbers of lines, no lines and no references", "[metrics][unit]") {
  CHECK_THROWS_AS(ter({"a", "b"}, {{"a"}}), DataError);
  CHECK_THROWS_AS(ter({}, {{}}), DataError);
  CHECK_THROWS_AS(ter({"a"}, {}), DataError);
}
