#include "config/field.h"

#include "support/catch.h"

using namespace gloss;

TEST_CASE("positive refuses zero, negative numbers and words", "[config][unit]") {
  CHECK(positive.fault("1").empty());
  CHECK(positive.fault("1e-9").empty());
  CHECK(positive.fault("0") == "must be positive, got '0'");
  CHECK(positive.fault("-3") == "must be positive, got '-3'");
  CHECK(positive.fault("three") == "must be positive, got 'three'");
  CHECK(positive.fault("3x") == "must be positive, got '3x'");
  CHECK(positive.fault("nan") == "must be positive, got 'nan'");
}

TEST_CASE("between holds at both ends and below_one only at the lower", "[config][unit]") {
  CHECK(between(0, 1).fault("0").empty());
  CHECK(between(0, 1).fault("1").empty());
  CHECK(between(0, 1).fault("1.0001") == "must be between 0 and 1, got '1.0001'");
  CHECK(below_one().fault("0").empty());
  CHECK(below_one().fault("0.999").empty());
  CHECK(!below_one().fault("1").empty());
}

TEST_CASE("one_of lists its names in message and help", "[config][unit]") {
  const auto cells = one_of({"gru", "lstm"});
  CHECK(cells.text == "one of: gru, lstm");
  CHECK(cells.fault("lstm").empty());
  CHECK(cells.fault("rnn") == "unknown value 'rnn'; choose one of: gru, lstm");
  CHECK(!cells.fault("").empty());
}

TEST_CASE("or_empty accepts nothing as well, and else what the check accepts", "[config][unit]") {
  const auto cells = or_empty(one_of({"gru", "lstm"}));
  CHECK(cells.text == "one of: gru, lstm, or empty");
  CHECK(cells.fault("").empty());
  CHECK(cells.fault("lstm").empty());
  CHECK(cells.fault("rnn") == "unknown value 'rnn'; choose one of: gru, lstm");
}

TEST_CASE("numbers are written so that they read back to the same double", "[config][property]") {
  for (const double value : {0.1, 1.0 / 3.0, 1e-9, 2e-3, 123456789.125, 5e-324, 1.7976931348623157e308}) {
    CHECK(whole_number<double>(plain_number(value)) == value);
  }
}
