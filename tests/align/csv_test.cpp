#include "align/csv.h"

#include <clocale>
#include <fstream>
#include <nlohmann/json.hpp>

#include "core/error.h"
#include "support/catch.h"
#include "support/csv_reader.h"

using namespace gloss;

namespace {

std::vector<nlohmann::json> golden_tables() {
  std::ifstream file(GLOSS_SOURCE_DIR "/tests/align/golden_csv.jsonl");
  std::vector<nlohmann::json> tables;
  for (std::string line; std::getline(file, line);) {
    auto row = nlohmann::json::parse(line);
    if (row.contains("rows")) tables.push_back(std::move(row));
  }
  REQUIRE(tables.size() == 10);
  return tables;
}

using Rows = std::vector<std::vector<std::string>>;

}  // namespace

TEST_CASE("tables written by Python's csv are read alike, with either line end", "[align][csv][golden]") {
  for (const auto& table : golden_tables())
    for (const auto& text : table.at("python"))
      CHECK(parse_csv(text.get<std::string>(), "t.csv") == table.at("rows").get<Rows>());
}

TEST_CASE("matrices are written as Python's csv reads them", "[align][csv][golden]") {
  for (const auto& table : golden_tables()) {
    const auto rows = table.at("rows").get<Rows>();
    Alignment alignment;
    alignment.source.assign(rows[0].begin() + 1, rows[0].end());
    for (size_t i = 1; i < rows.size(); ++i) alignment.target.push_back(rows[i][0]);
    alignment.weights.assign(alignment.target.size() * alignment.source.size(), 0.5);
    CHECK(matrix_csv(alignment) == table.at("ours").get<std::string>());
  }
}

TEST_CASE("a matrix with odd tokens comes back as it was", "[align][csv][property]") {
  const Alignment alignment{{"a,b", "\"", "", "x\ny", "\u2028", " "},
                            {"", "c\r\nd", "\"\""},
                            {0, 0.25, 0.5, 0.25, 0, 0, 1, 0, 0, 0, 0, 0, 0.125, 0.125, 0.25, 0.5, 0, 0}};
  const auto again = parse_matrix_csv(matrix_csv(alignment), "m.csv");
  CHECK(again.source == alignment.source);
  CHECK(again.target == alignment.target);
  CHECK(again.weights == alignment.weights);
}

TEST_CASE("weights have six significant digits and a decimal point in every locale", "[align][csv][unit]") {
  std::setlocale(LC_NUMERIC, "de_DE.UTF-8");  // ignored where the system lacks it
  CHECK(weight_text(1.0 / 3) == "0.333333");
  CHECK(weight_text(2.0 / 3e4) == "6.66667e-05");
  CHECK(weight_text(1) == "1");
  CHECK(weight_text(0) == "0");
  CHECK(weight_text(0.1) == "0.1");
  std::setlocale(LC_NUMERIC, "C");
}

TEST_CASE("a blank input gives the header row alone", "[align][csv][unit]") {
  CHECK(matrix_csv({}) == "\"\"\n");
  const auto empty = parse_matrix_csv("\"\"\n", "m.csv");
  CHECK(empty.source.empty());
  CHECK(empty.target.empty());
}

TEST_CASE("the last row needs no line end", "[align][csv][unit]") {
  CHECK(parse_csv("a,b\nc,\"d\"", "t.csv") == Rows{{"a", "b"}, {"c", "d"}});
  CHECK(parse_csv("a,", "t.csv") == Rows{{"a", ""}});
}

TEST_CASE("damaged matrices are refused with name and row", "[align][csv][unit]") {
  using Catch::Matchers::Contains;
  CHECK_THROWS_WITH(parse_csv("a\n\"b", "t.csv"), Contains("t.csv: row 2"));
  CHECK_THROWS_AS(parse_csv("\"a\"b\n", "t.csv"), DataError);
  CHECK_THROWS_AS(parse_matrix_csv("", "t.csv"), DataError);
  CHECK_THROWS_AS(parse_matrix_csv("x,a\n", "t.csv"), DataError);
  CHECK_THROWS_WITH(parse_matrix_csv("\"\",a\nb,1\nc\n", "t.csv"), Contains("t.csv: row 3"));
  CHECK_THROWS_WITH(parse_matrix_csv("\"\",a\nb,one\n", "t.csv"), Contains("'one' is no number"));
}
