#include "align/words.h"

#include <numeric>
#include <random>

#include "support/catch.h"

using namespace gloss;

namespace {

double row_sum(const Alignment& alignment, size_t row) {
  double sum = 0.0;
  for (size_t j = 0; j < alignment.source.size(); ++j) sum += alignment.weight(row, j);
  return sum;
}

void check_weights(const Alignment& alignment, const std::vector<double>& expected) {
  REQUIRE(alignment.weights.size() == expected.size());
  for (size_t i = 0; i < expected.size(); ++i) {
    INFO("weight " << i);
    CHECK(alignment.weights[i] == Approx(expected[i]).margin(1e-12));
  }
}

/// Source line "ab cd": pieces "▁a" "b" "▁cd". Target line "x yz": pieces "▁x" "▁y" "z".
PieceWeights example() {
  return {{{"\u2581a", 0, 1}, {"b", 1, 2}, {"\u2581cd", 2, 5}},
          {{"\u2581x", 0, 1}, {"\u2581y", 1, 3}, {"z", 3, 4}},
          {0.3, 0.1, 0.4, 0.2,    //
           0.1, 0.1, 0.2, 0.6,    //
           0.0, 0.2, 0.8, 0.0,    //
           0.1, 0.1, 0.1, 0.7}};  // </s>
}

}  // namespace

TEST_CASE("pieces merge to words: columns are summed, rows averaged, rows sum to 1", "[align][unit]") {
  const auto words = to_words(example(), "ab cd", "x yz", /*keep_eos=*/false);
  CHECK(words.source == std::vector<std::string>{"ab", "cd"});
  CHECK(words.target == std::vector<std::string>{"x", "yz"});
  // x: (0.4, 0.4) / 0.8.  yz: mean of (0.2, 0.2) and (0.2, 0.8) = (0.2, 0.5), / 0.7.
  check_weights(words, {0.5, 0.5, 0.2 / 0.7, 0.5 / 0.7});
}

TEST_CASE("the end mark is kept on request, with the weights as the model gave them", "[align][unit]") {
  const auto words = to_words(example(), "ab cd", "x yz", /*keep_eos=*/true);
  CHECK(words.source == std::vector<std::string>{"ab", "cd", "</s>"});
  CHECK(words.target == std::vector<std::string>{"x", "yz", "</s>"});
  check_weights(words, {0.4, 0.4, 0.2, 0.2, 0.5, 0.3, 0.2, 0.1, 0.7});
}

TEST_CASE("at piece level the row and column of the end mark go and rows sum to 1", "[align][unit]") {
  const auto pieces = to_pieces(example(), /*keep_eos=*/false);
  CHECK(pieces.source == std::vector<std::string>{"\u2581a", "b", "\u2581cd"});
  check_weights(pieces, {0.375, 0.125, 0.5, 0.25, 0.25, 0.5, 0.0, 0.2, 0.8});
  const auto with_eos = to_pieces(example(), /*keep_eos=*/true);
  CHECK(with_eos.target.back() == "</s>");
  CHECK(with_eos.weights == example().weights);
}

TEST_CASE("the row of the end mark may be missing", "[align][unit]") {
  auto cut = example();
  cut.weights.resize(12);
  CHECK(to_words(cut, "ab cd", "x yz", false).weights == to_words(example(), "ab cd", "x yz", false).weights);
  CHECK(to_words(cut, "ab cd", "x yz", true).target == std::vector<std::string>{"x", "yz"});
  CHECK(to_words(cut, "ab cd", "x yz", true).source.size() == 3);
}

TEST_CASE("a lone space mark goes with the next word, or with the last at the end", "[align][unit]") {
  // "ab cd ": marks without bytes before "ab", before "cd", and at the end of the line.
  const PieceWeights pieces{
      {{"\u2581", 0, 0}, {"ab", 0, 2}, {"\u2581", 2, 2}, {"cd", 3, 5}, {"\u2581", 6, 6}},
      {{"x", 0, 1}},
      {0.1, 0.2, 0.3, 0.15, 0.25, 0.0}};
  check_weights(to_words(pieces, "ab cd ", "x", false), {0.3, 0.7});
}

TEST_CASE("a space mark that covers only the space's byte goes with the next word", "[align][unit]") {
  const PieceWeights pieces{
      {{"ab", 0, 2}, {"\u2581", 2, 3}, {"cd", 3, 5}}, {{"x", 0, 1}}, {0.25, 0.5, 0.25, 0.0}};
  check_weights(to_words(pieces, "ab cd", "x", false), {0.25, 0.75});
}

TEST_CASE("a piece over two words gives half its weight to each", "[align][unit]") {
  const PieceWeights pieces{{{"ab\u2581cd", 0, 5}, {"\u2581e", 5, 7}}, {{"x", 0, 1}}, {0.6, 0.4, 0.0}};
  check_weights(to_words(pieces, "ab cd e", "x", false), {0.3, 0.3, 0.4});
}

TEST_CASE("a target piece over two words gives its row to both", "[align][unit]") {
  const PieceWeights pieces{{{"a", 0, 1}, {"b", 2, 3}}, {{"x\u2581y", 0, 3}}, {0.25, 0.75, 0.0}};
  check_weights(to_words(pieces, "a b", "x y", false), {0.25, 0.75, 0.25, 0.75});
}

TEST_CASE("rows of zeros stay zeros and words without pieces get zeros, never NaN", "[align][property]") {
  const PieceWeights pieces{{{"a", 0, 1}}, {{"x", 0, 1}, {"y", 2, 3}}, {0.0, 1.0, 0.5, 0.5}};
  const auto words = to_words(pieces, "a lost", "x y gone", false);
  check_weights(words, {0, 0, 1, 0, 0, 0});
  check_weights(to_pieces(pieces, false), {0, 1});
}

TEST_CASE("rows of an attention that sums to less than 1 sum to 1 as words", "[align][unit]") {
  const PieceWeights pieces{{{"a", 0, 1}, {"b", 2, 3}}, {{"x", 0, 1}}, {0.1, 0.3, 0.0}};
  check_weights(to_words(pieces, "a b", "x", false), {0.25, 0.75});
}

TEST_CASE("blank lines give alignments without units", "[align][unit]") {
  const PieceWeights nothing{{}, {}, {1.0}};
  CHECK(to_words(nothing, "", " \u3000", false).weights.empty());
  CHECK(to_pieces(nothing, false).source.empty());
  const PieceWeights no_source{{}, {{"x", 0, 1}}, {1.0, 1.0}};
  const auto words = to_words(no_source, "", "x", false);
  CHECK(words.target.size() == 1);
  CHECK(words.weights.empty());
}

TEST_CASE("word spans count bytes, not characters", "[align][unit]") {
  // "é中 ñ": é has 2 bytes, 中 3, the space 1, ñ 2.
  const PieceWeights pieces{
      {{"\u2581é", 0, 2}, {"中", 2, 5}, {"\u2581ñ", 5, 8}}, {{"x", 0, 1}}, {0.2, 0.3, 0.5, 0.0}};
  const auto words = to_words(pieces, "é中 ñ", "x", false);
  CHECK(words.source == std::vector<std::string>{"é中", "ñ"});
  check_weights(words, {0.5, 0.5});
}

TEST_CASE("weights that don't fit the pieces are refused", "[align][unit]") {
  auto wrong = example();
  wrong.weights.pop_back();
  CHECK_THROWS_AS(to_pieces(wrong, false), std::invalid_argument);
}

TEST_CASE("random softmax rows sum to 1 at both levels and word sums equal piece sums", "[align][property]") {
  std::mt19937 random(GENERATE(1u, 2u, 3u, 4u, 5u));
  std::uniform_real_distribution<double> uniform(0.0, 1.0);
  const std::string line = "aa bbb c dddd ee f";
  std::vector<Unit> units;
  for (size_t at = 0; at < line.size();) {  // one to three bytes a piece, blind to the words
    const size_t end = std::min(line.size(), at + 1 + random() % 3);
    units.push_back({line.substr(at, end - at), at, end});
    at = end;
  }
  PieceWeights pieces{units, units, {}};
  const size_t size = units.size() + 1;
  for (size_t i = 0; i < size; ++i) {
    std::vector<double> row(size);
    for (auto& weight : row) weight = uniform(random);
    const double sum = std::accumulate(row.begin(), row.end(), 0.0);
    for (const double weight : row) pieces.weights.push_back(weight / sum);
  }
  const auto words = to_words(pieces, line, line, false);
  REQUIRE(words.target.size() == 6);
  for (size_t i = 0; i < 6; ++i) CHECK(row_sum(words, i) == Approx(1.0));
  const auto kept = to_words(pieces, line, line, true);
  for (size_t i = 0; i < kept.target.size(); ++i) CHECK(row_sum(kept, i) == Approx(1.0));
  const auto plain = to_pieces(pieces, false);
  for (size_t i = 0; i < plain.target.size(); ++i) CHECK(row_sum(plain, i) == Approx(1.0));
}
