#include "checkpoint/options_metadata.h"

#include "core/error.h"
#include "support/catch.h"

using namespace gloss;

namespace {

const nlohmann::json kOptions{{"heads", 4}, {"norm", "pre"}, {"dropout", 0.1}, {"bidirectional", true}};

std::string shown(const nlohmann::json& value) {
  return value.is_string() ? "'" + value.get<std::string>() + "'" : value.dump();
}

}  // namespace

TEST_CASE("weights know the options of their model", "[checkpoint][unit]") {
  const auto metadata = options_metadata(kOptions);
  CHECK_NOTHROW(check_options(metadata, kOptions, "m"));
  for (const auto& [name, other] : {std::pair<std::string, nlohmann::json>{"heads", 8},
                                    {"norm", "post"},
                                    {"dropout", 0.25},
                                    {"bidirectional", false}}) {
    auto changed = kOptions;
    changed[name] = other;
    INFO(name);
    CHECK_THROWS_AS(check_options(metadata, changed, "m"), CheckpointError);
    CHECK_THROWS_WITH(check_options(metadata, changed, "m"),
                      Catch::Contains("m: ") && Catch::Contains(name + ": " + shown(kOptions[name]) +
                                                                " in training, " + shown(other) + " now"));
  }
}

TEST_CASE("options of another version, and weights of an earlier one, are no difference",
          "[checkpoint][unit]") {
  auto more = kOptions;
  more["new-option"] = 1;
  CHECK_NOTHROW(check_options(options_metadata(kOptions), more, "m"));
  CHECK_NOTHROW(check_options(options_metadata(more), kOptions, "m"));
  CHECK_NOTHROW(check_options({}, kOptions, "m"));
}

TEST_CASE("options that are no JSON object are a damaged file", "[checkpoint][unit]") {
  for (const auto* text : {"", "{", "[1]", "null"})
    CHECK_THROWS_AS(check_options({{"model-options", text}}, kOptions, "m"), CheckpointError);
}
