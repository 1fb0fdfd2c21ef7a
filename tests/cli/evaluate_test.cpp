#include <nlohmann/json.hpp>

#include "run_gloss.h"
#include "support/catch.h"

using namespace gloss;

TEST_CASE("evaluate prints its scores on stdout and nothing on stderr when quiet", "[cli][evaluate]") {
  const auto text = case_file("base/test.en");
  const auto outcome = run_gloss({"evaluate", "--quiet", "--hypothesis", text, "--reference", text});
  CHECK(outcome.code == 0);
  CHECK(outcome.err.empty());
  CHECK(outcome.out.find("100") != std::string::npos);
}

TEST_CASE("evaluate --json is an array with a full double for each metric", "[cli][evaluate]") {
  // sacreBLEU 2.6.0 on case M09: bleu 17.286039 with its defaults.
  const auto outcome = run_gloss({"evaluate", "--json", "--metrics", "bleu", "--hypothesis",
                                  case_file("M09/hyp.txt"), "--reference", case_file("M09/ref1.txt")});
  REQUIRE(outcome.code == 0);
  const auto scores = nlohmann::json::parse(outcome.out);
  REQUIRE(scores.is_array());
  CHECK(scores.at(0).at("score").get<double>() == Approx(17.286039).margin(1e-6));
}
