#include "config/nearest_name.h"

#include "support/catch.h"

using namespace gloss;

static const std::vector<std::string> kNames{"beam-size", "batch-tokens", "dropout",
                                             "input",     "output",       "n-best"};

TEST_CASE("one wrong, missing, doubled or swapped letter is forgiven", "[config][nearest]") {
  CHECK(nearest_name("beam-sise", kNames) == "beam-size");
  CHECK(nearest_name("beam-siz", kNames) == "beam-size");
  CHECK(nearest_name("droppout", kNames) == "dropout");
  CHECK(nearest_name("inptu", kNames) == "input");
  CHECK(nearest_name("ouput", kNames) == "output");
  CHECK(nearest_name("nbest", kNames) == "n-best");
}

TEST_CASE("the beginning of a name finds it", "[config][nearest]") {
  CHECK(nearest_name("beam", kNames) == "beam-size");
  CHECK(nearest_name("batch", kNames) == "batch-tokens");
}

TEST_CASE("a name unlike all others has no neighbour", "[config][nearest]") {
  CHECK(nearest_name("learning-rate", kNames).empty());
  CHECK(nearest_name("x", kNames).empty());
  CHECK(nearest_name("", kNames).empty());
  CHECK(nearest_name("beam", {}).empty());
}

TEST_CASE("the end of a message names the neighbour or is nothing", "[config][nearest]") {
  CHECK(did_you_mean("drop-out", kNames, "--") == "; did you mean '--dropout'?");
  CHECK(did_you_mean("quite-else", kNames).empty());
}
