#include <algorithm>
#include <cstdio>
#include <filesystem>

#include "core/unicode.h"
#include "run_gloss.h"
#include "support/catch.h"
#include "support/csv_reader.h"
#include "trained_model.h"

using namespace gloss;
namespace fs = std::filesystem;

namespace {

Outcome translated(const std::string& input, const std::vector<std::string>& more) {
  std::vector<std::string> arguments{"translate", "--model", trained_model(), "--threads", "1",
                                     "--device",  "cpu"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  auto outcome = run_gloss(arguments, input);
  INFO(outcome.err);
  REQUIRE(outcome.code == 0);
  return outcome;
}

std::string test_text() { return bytes_of_file(case_file("base/test.fr")); }

Alignment matrix(const fs::path& folder, size_t line) {
  char name[32];
  std::snprintf(name, sizeof name, "%06zu.csv", line);
  return parse_matrix_csv(bytes_of_file(folder / name), name);
}

std::vector<std::string> words_of(const std::string& text) {
  std::vector<std::string> words;
  for (const auto& [begin, end] : word_spans(text)) words.push_back(text.substr(begin, end - begin));
  return words;
}

}  // namespace

TEST_CASE("one matrix file for each line, words of input and output at its borders, rows summing to 1",
          "[cli][alignment]") {
  const TemporaryFolder folder;
  const auto input = lines_of(test_text());
  const auto output = lines_of(translated(test_text(), {"--alignments", folder.file("matrices/")}).out);
  const auto matrices = folder.path() / "matrices";
  CHECK(static_cast<size_t>(std::distance(fs::directory_iterator(matrices), {})) == input.size());
  for (size_t i = 0; i < input.size(); ++i) {
    INFO(input[i]);
    const auto alignment = matrix(matrices, i + 1);
    CHECK(alignment.source == words_of(input[i]));
    CHECK(alignment.target == words_of(output[i]));
    for (size_t row = 0; row < alignment.target.size(); ++row) {
      double sum = 0;
      for (size_t column = 0; column < alignment.source.size(); ++column) {
        CHECK(alignment.weight(row, column) >= 0.0);
        sum += alignment.weight(row, column);
      }
      CHECK(sum == Approx(1.0).margin(1e-4));
    }
  }
}

TEST_CASE("a blank line has a matrix file with the header row alone", "[cli][alignment]") {
  const TemporaryFolder folder;
  translated("je vois un pont .\n\n\u200b\nje vois\n", {"--alignments", folder.file("m/")});
  CHECK(bytes_of_file(folder.path() / "m/000002.csv") == "\"\"\n");
  CHECK(bytes_of_file(folder.path() / "m/000003.csv") == "\"\"\n");
  CHECK(matrix(folder.path() / "m", 4).source == std::vector<std::string>{"je", "vois"});
}

TEST_CASE("pieces as units give a row for each piece that the search found", "[cli][alignment]") {
  const TemporaryFolder folder;
  translated("je vois un pont .\n", {"--alignments", folder.file("m/"), "--alignment-level", "piece"});
  CHECK(matrix(folder.path() / "m", 1).source.size() == 7);
  translated("je vois un pont .\n",
             {"--alignments", folder.file("e/"), "--alignment-level", "piece", "--alignment-eos"});
  const auto with_end = matrix(folder.path() / "e", 1);
  CHECK(with_end.source.size() == 8);
  CHECK(with_end.source.back() == "</s>");
  CHECK(with_end.target.back() == "</s>");
}

TEST_CASE("pharaoh links are one line for each line, within both sentences", "[cli][alignment]") {
  const TemporaryFolder folder;
  const auto text = "je vois\n\n" + test_text();
  const auto output = lines_of(
      translated(text, {"--alignments", folder.file("a.pharaoh"), "--alignment-format", "pharaoh"}).out);
  const auto input = lines_of(text), links = lines_of(bytes_of_file(folder.path() / "a.pharaoh"));
  REQUIRE(links.size() == input.size());
  CHECK(links[1].empty());
  for (size_t i = 0; i < links.size(); ++i) {
    const auto targets = words_of(output[i]).size();
    const auto pairs = words_of(links[i]);
    CHECK(pairs.size() == targets);  // the largest weight of each target word
    for (const auto& link : pairs) {
      size_t from = 0, to = 0;
      REQUIRE(std::sscanf(link.c_str(), "%zu-%zu", &from, &to) == 2);
      CHECK(from < words_of(input[i]).size());
      CHECK(to < targets);
    }
  }
}

TEST_CASE("the ending of a file's name chooses the format", "[cli][alignment]") {
  const TemporaryFolder folder;
  for (const std::string name : {"talp", "naacl", "jsonl"}) {
    translated("je vois\n", {"--alignments", folder.file("by." + name)});
    translated("je vois\n", {"--alignments", folder.file("named"), "--alignment-format", name});
    const auto by_ending = bytes_of_file(folder.path() / ("by." + name));
    CHECK_FALSE(by_ending.empty());
    CHECK(by_ending == bytes_of_file(folder.path() / "named"));
  }
}

TEST_CASE("a user's own numbered file beside matrices survives", "[cli][alignment]") {
  const TemporaryFolder folder;
  translated("je\ntu\n", {"--alignments", folder.file("m/")});
  folder.write("m/20240101.csv", "mine");
  CHECK(holds(translated("je\n", {"--alignments", folder.file("m/")}).err,
              "1 matrices of an earlier run removed"));
  CHECK_FALSE(fs::exists(folder.path() / "m/000002.csv"));
  CHECK(bytes_of_file(folder.path() / "m/20240101.csv") == "mine");
}

TEST_CASE("the long table begins with its header and counts sentences from 1", "[cli][alignment]") {
  const TemporaryFolder folder;
  translated("je vois\nun pont\n", {"--alignments", folder.file("a.csv")});
  const auto lines = lines_of(bytes_of_file(folder.path() / "a.csv"));
  REQUIRE(lines.size() > 2);
  CHECK(lines[0] == "sentence,target_index,source_index,target_token,source_token,weight");
  CHECK(lines[1].starts_with("1,0,0,"));
  CHECK(lines.back().starts_with("2,"));
}

TEST_CASE("a line translated in parts has one matrix with a block for each part", "[cli][alignment]") {
  const TemporaryFolder folder;
  const std::string sentence = "je vois un pont .";
  translated(sentence + "\n" + sentence + " " + sentence + "\n",
             {"--alignments", folder.file("m/"), "--max-length", "7", "--alignment-level", "piece"});
  const auto once = matrix(folder.path() / "m", 1), twice = matrix(folder.path() / "m", 2);
  REQUIRE(twice.source.size() == 2 * once.source.size());
  REQUIRE(twice.target.size() == 2 * once.target.size());
  const auto rows = once.target.size(), columns = once.source.size();
  for (size_t row = 0; row < rows; ++row) {
    for (size_t column = 0; column < columns; ++column) {
      CHECK(twice.weight(row, column) == Approx(once.weight(row, column)).margin(1e-4));
      CHECK(twice.weight(rows + row, columns + column) == Approx(once.weight(row, column)).margin(1e-4));
      CHECK(twice.weight(rows + row, column) == 0.0);
      CHECK(twice.weight(row, columns + column) == 0.0);
    }
  }
}

TEST_CASE("translations and alignments cannot both go to stdout", "[cli][alignment]") {
  const auto outcome = run_gloss({"translate", "--model", trained_model(), "--alignments", "-"}, "je\n");
  CHECK(outcome.code == 2);
  CHECK(outcome.out.empty());
}
