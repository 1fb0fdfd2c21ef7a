#include "config/fields.h"

#include "core/error.h"
#include "sample_options.h"
#include "support/catch.h"

using namespace gloss;

namespace {

struct Sample {
  SampleOptions options;
  Fields fields;
  Sample() { fields.add(options, "Sample"); }

  std::string fault(const std::string& key, std::vector<std::string> values) {
    try {
      fields.apply({{key, std::move(values), "--" + key}});
    } catch (const UsageError& error) {
      return error.what();
    }
    return {};
  }
};

}  // namespace

TEST_CASE("each type of field takes its values", "[config][fields]") {
  Sample sample;
  sample.fields.apply({{"shared", {"true"}, ""},
                       {"beam-size", {"12"}, ""},
                       {"dropout", {"1e-1"}, ""},
                       {"cell", {"lstm"}, ""},
                       {"files", {"a", "b c"}, ""},
                       {"name", {""}, ""}});
  CHECK(sample.options == SampleOptions{true, 12, 0.1, "lstm", {"a", "b c"}, ""});
}

TEST_CASE("a value of the wrong type or range names the option and the value", "[config][fields]") {
  Sample sample;
  CHECK(sample.fault("beam-size", {"five"}) == "--beam-size: must be a whole number, got 'five'");
  CHECK(sample.fault("beam-size", {"2.5"}) == "--beam-size: must be a whole number, got '2.5'");
  CHECK(sample.fault("beam-size", {""}) == "--beam-size: must be a whole number, got ''");
  CHECK(sample.fault("beam-size", {"99999999999999999999"}) ==
        "--beam-size: '99999999999999999999' is too large a number");
  CHECK(sample.fault("beam-size", {"0"}) == "--beam-size: must be positive, got '0'");
  CHECK(sample.fault("dropout", {"much"}) == "--dropout: must be a number, got 'much'");
  CHECK(sample.fault("dropout", {"nan"}) == "--dropout: must be a number, got 'nan'");
  CHECK(sample.fault("dropout", {"1"}) == "--dropout: must be at least 0 and below 1, got '1'");
  CHECK(sample.fault("shared", {"yes"}) == "--shared: must be true or false, got 'yes'");
  CHECK(sample.fault("cell", {"rnn"}) == "--cell: unknown value 'rnn'; choose one of: gru, lstm");
  CHECK(sample.fault("cell", {"gru", "lstm"}) == "--cell: takes one value, got 2");
  CHECK(sample.fault("bean-size", {"1"}) ==
        "--bean-size: unknown option 'bean-size'; did you mean 'beam-size'?");
}

TEST_CASE("a refused value leaves the field as it was", "[config][fields]") {
  Sample sample;
  sample.fault("beam-size", {"0"});
  sample.fault("beam-size", {"7x"});
  CHECK(sample.options == SampleOptions{});
}

TEST_CASE("later settings win over earlier ones, lists as a whole", "[config][fields]") {
  Sample sample;
  sample.fields.apply({{"shared", {"true"}, ""}, {"dropout", {"0.4"}, ""}, {"files", {"a", "b"}, ""}});
  sample.fields.apply(
      {{"files", {"c"}, ""}, {"shared", {"false"}, ""}, {"beam-size", {"2"}, ""}, {"beam-size", {"3"}, ""}});
  CHECK(sample.options == SampleOptions{false, 3, 0.4, "gru", {"c"}, ""});
}

TEST_CASE("two structs with a field of the same name cannot stand together", "[config][fields]") {
  Sample sample;
  SampleOptions again;
  CHECK_THROWS_AS(sample.fields.add(again, "Again"), std::logic_error);
}

TEST_CASE("the options that differ from their defaults are named, lists and emptied texts too",
          "[config][fields]") {
  SampleOptions options;
  CHECK(changed_options(options).empty());
  options.beam_size = 6;
  options.files = {""};
  options.cell = "";
  CHECK(changed_options(options) == std::vector<std::string>{"beam-size", "cell", "files"});
}
