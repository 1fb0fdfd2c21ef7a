#include "search/beam_search.h"

#include <algorithm>
#include <string>

#include "chain_model.h"
#include "support/catch.h"

using namespace gloss;
using namespace gloss::test;

namespace {

//                          pad unk  <s> </s>   a     b     c
const Table kChain = first_order({{{0, 0, 0, 0.25, 0.4, 0.3, 0.05},  // pad and unk never come before anything
                                   {0, 0, 0, 0.25, 0.4, 0.3, 0.05},
                                   {0, 0, 0, 0.25, 0.4, 0.3, 0.05},  // <s>
                                   {0, 0, 0, 0.25, 0.4, 0.3, 0.05},
                                   {0, 0, 0, 0.1, 0.05, 0.45, 0.4},      // a
                                   {0, 0, 0, 0.6, 0.1, 0.05, 0.25},      // b
                                   {0, 0, 0, 0.9, 0.02, 0.03, 0.05}}});  // c

std::vector<Hypothesis> search(const Table& table, int64_t beam, double penalty, int64_t n_best,
                               int64_t limit) {
  ChainModel model({table});
  SearchOptions options;
  options.beam_size = beam;
  options.length_penalty = penalty;
  options.n_best = n_best;
  return beam_search(model, memory_of(model, {0}), options, {limit}).front();
}

std::string letters(const Hypothesis& hypothesis) {
  std::string text;
  for (const auto id : hypothesis.ids) text += static_cast<char>('a' + id - kA);
  return text;
}

/// Follows the likeliest word, written out by hand.
std::vector<int32_t> greedy(const Table& table, int64_t limit) {
  std::vector<int32_t> ids;
  size_t before = kBos, previous = kBos;
  while (true) {
    auto row = table[before][previous];
    row[kPad] = row[kBos] = 0.0;
    const auto word = static_cast<size_t>(std::max_element(row.begin(), row.end()) - row.begin());
    if (word == kEos || static_cast<int64_t>(ids.size()) == limit) return ids;
    ids.push_back(static_cast<int32_t>(word));
    before = previous;
    previous = word;
  }
}

void check_equal(const std::vector<Hypothesis>& found, const std::vector<Hypothesis>& expected) {
  REQUIRE(found.size() == expected.size());
  for (size_t i = 0; i < found.size(); ++i) {
    CAPTURE(i);
    CHECK(found[i].ids == expected[i].ids);
    CHECK(found[i].log_probability == Approx(expected[i].log_probability).margin(1e-5));
    CHECK(found[i].score == Approx(expected[i].score).margin(1e-5));
  }
}

}  // namespace

TEST_CASE("a wide beam finds the five best of the worked chain under each score rule", "[search][golden]") {
  struct Row {
    std::string words;
    double log_probability, score;
  };
  struct Rule {
    double penalty;
    std::vector<Row> rows;
  };
  // At most six tokens with the end mark; found by full enumeration of the 364 sentences.
  const std::vector<Rule> rules{{0.0,
                                 {{"", -1.386294, -1.386294},
                                  {"b", -1.714798, -1.714798},
                                  {"ac", -1.937942, -1.937942},
                                  {"ab", -2.225624, -2.225624},
                                  {"bc", -2.695628, -2.695628}}},
                                {1.0,
                                 {{"ac", -1.937942, -0.645981},
                                  {"ab", -2.225624, -0.741875},
                                  {"abc", -3.206453, -0.801613},
                                  {"b", -1.714798, -0.857399},
                                  {"bc", -2.695628, -0.898543}}},
                                {0.5,
                                 {{"ac", -1.937942, -1.118871},
                                  {"b", -1.714798, -1.212546},
                                  {"ab", -2.225624, -1.284965},
                                  {"", -1.386294, -1.386294},
                                  {"bc", -2.695628, -1.556321}}}};
  for (const auto& rule : rules) {
    CAPTURE(rule.penalty);
    const auto found = search(kChain, 400, rule.penalty, 5, 5);
    REQUIRE(found.size() == 5);
    for (size_t i = 0; i < 5; ++i) {
      CHECK(letters(found[i]) == rule.rows[i].words);
      CHECK(found[i].log_probability == Approx(rule.rows[i].log_probability).margin(2e-6));
      CHECK(found[i].score == Approx(rule.rows[i].score).margin(2e-6));
    }
  }
}

TEST_CASE("greedy search on the worked chain gives a b", "[search][golden]") {
  const auto found = search(kChain, 1, 1.0, 1, 5);
  CHECK(letters(found.front()) == "ab");
  CHECK(found.front().log_probability == Approx(-2.225624).margin(2e-6));
}

TEST_CASE("a beam that keeps everything finds what full enumeration finds", "[search][property]") {
  const auto seed = GENERATE(range(1U, 7U));
  const auto penalty = GENERATE(0.0, 0.7, 1.0, 2.0);
  const auto table = random_table(seed);
  auto expected = enumerate(table, 3, penalty);
  expected.resize(12);
  check_equal(search(table, 400, penalty, 12, 3), expected);
}

TEST_CASE("beam 1 follows the likeliest word", "[search][property]") {
  const auto seed = GENERATE(range(1U, 21U));
  const auto table = random_table(seed);
  CHECK(search(table, 1, 1.0, 1, 8).front().ids == greedy(table, 8));
}

TEST_CASE("a narrower beam never scores above one that keeps everything", "[search][property]") {
  const auto penalty = GENERATE(0.0, 0.5, 1.0);
  for (const auto& table : {kChain, random_table(3), random_table(8)}) {
    const double best = search(table, 1500, penalty, 1, 4).front().score;
    for (const int64_t beam : {1, 2, 3, 5, 10, 40})
      CHECK(search(table, beam, penalty, 1, 4).front().score <= best + 1e-6);
  }
}

TEST_CASE("the n best are distinct and come best first", "[search][property]") {
  const auto found = search(random_table(5), 8, 1.0, 8, 6);
  REQUIRE(found.size() > 2);
  for (size_t i = 1; i < found.size(); ++i) {
    CHECK(found[i - 1].score >= found[i].score);
    for (size_t j = 0; j < i; ++j) CHECK(found[j].ids != found[i].ids);
  }
}

TEST_CASE("a batch of many gives what each sentence gives alone", "[search][property]") {
  const int64_t beam = GENERATE(1, 3, 6);
  std::vector<Table> tables;
  for (uint32_t seed = 1; seed <= 5; ++seed) tables.push_back(random_table(seed));
  ChainModel model(tables);
  SearchOptions options;
  options.beam_size = beam;
  options.n_best = beam;
  const std::vector<int64_t> kinds{3, 0, 1, 4, 2, 0, 3}, limits{4, 9, 2, 7, 6, 1, 12};
  const auto together = beam_search(model, memory_of(model, kinds), options, limits);
  REQUIRE(together.size() == kinds.size());
  for (size_t i = 0; i < kinds.size(); ++i) {
    CAPTURE(i);
    check_equal(together[i], beam_search(model, memory_of(model, {kinds[i]}), options, {limits[i]}).front());
  }
}

TEST_CASE("no translation is longer than its limit, nor holds padding or marks", "[search][property]") {
  const auto seed = GENERATE(range(1U, 6U));
  ChainModel model({random_table(seed)});
  SearchOptions options;
  options.beam_size = options.n_best = 4;
  const std::vector<int64_t> limits{1, 2, 3, 5};
  const auto found = beam_search(model, memory_of(model, {0, 0, 0, 0}), options, limits);
  for (size_t i = 0; i < limits.size(); ++i) {
    REQUIRE_FALSE(found[i].empty());
    for (const auto& hypothesis : found[i]) {
      CHECK(static_cast<int64_t>(hypothesis.ids.size()) <= limits[i]);
      for (const auto id : {kPad, kBos, kEos})
        CHECK(std::count(hypothesis.ids.begin(), hypothesis.ids.end(), id) == 0);
    }
  }
}

TEST_CASE("a model that never ends is cut at the limit", "[search][unit]") {
  auto table = kChain;
  for (auto& rows : table)
    for (auto& row : rows) row[kEos] = 0.0;
  const auto found = search(table, 3, 0.0, 3, 4);
  REQUIRE(found.size() == 3);
  for (const auto& hypothesis : found) CHECK(hypothesis.ids.size() == 4);
}

TEST_CASE("sentences that are done leave the batch", "[search][unit]") {
  auto ends_at_once = kChain;
  for (auto& rows : ends_at_once)
    for (auto& row : rows) row = {0, 0, 0, 0.97, 0.01, 0.01, 0.01};
  auto goes_on = kChain;
  for (auto& rows : goes_on)
    for (auto& row : rows) row = {0, 0, 0, 0.01, 0.97, 0.01, 0.01};
  ChainModel model({ends_at_once, goes_on});
  SearchOptions options;
  options.beam_size = 1;
  const auto found = beam_search(model, memory_of(model, {0, 1, 0}), options, {5, 5, 5});
  CHECK(model.batch_sizes == std::vector<int64_t>{3, 1, 1, 1, 1, 1});
  CHECK(found[0].front().ids.empty());
  CHECK(letters(found[1].front()) == "aaaaa");
  CHECK(found[2].front().ids.empty());
}

TEST_CASE("the beam begins with one hypothesis and never grows beyond its size", "[search][unit]") {
  ChainModel model({kChain});
  SearchOptions options;
  options.beam_size = 5;
  beam_search(model, memory_of(model, {0}), options, {5});
  REQUIRE(model.beam_widths.size() > 2);
  CHECK(model.beam_widths.front() == 1);
  CHECK(model.beam_widths[1] == 3);  // a, b and c
  CHECK(*std::max_element(model.beam_widths.begin(), model.beam_widths.end()) == 5);
}
