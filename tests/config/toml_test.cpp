#include "config/toml.h"

#include <random>

#include "core/error.h"
#include "sample_options.h"
#include "support/catch.h"

using namespace gloss;

namespace {

SampleOptions loaded(const std::string& text) {
  SampleOptions options;
  Fields fields;
  fields.add(options, "Sample");
  fields.apply(parse_toml(text, "recipe.toml", fields));
  return options;
}

std::string fault(const std::string& text) {
  try {
    loaded(text);
  } catch (const UsageError& error) {
    return error.what();
  }
  return {};
}

std::string written(SampleOptions& options) {
  Fields fields;
  fields.add(options, "Sample");
  return write_toml(fields);
}

}  // namespace

TEST_CASE("a flat file sets the fields that it names", "[config][toml]") {
  CHECK(loaded("# a comment\nshared = true\nbeam-size = 12\ndropout = 1e-1 # ten percent\ncell = 'lstm'\n"
               "files = [\n  \"a\",\n  \"b c\",\n]\n") ==
        SampleOptions{true, 12, 0.1, "lstm", {"a", "b c"}, ""});
  CHECK(loaded("") == SampleOptions{});
  CHECK(loaded("files = 'only'\n").files == std::vector<std::string>{"only"});
  CHECK(loaded("dropout = 0\n").dropout == 0.0);
}

TEST_CASE("an unknown key names file, line, key and its neighbour", "[config][toml]") {
  CHECK(fault("shared = true\nbeam_size = 3\n") ==
        "recipe.toml:2: unknown key 'beam_size'; did you mean 'beam-size'?");
  CHECK(fault("\n\ncolour = 'red'\n") == "recipe.toml:3: unknown key 'colour'");
}

TEST_CASE("values are refused with the words that flags get", "[config][toml]") {
  CHECK(fault("beam-size = 'five'") == "recipe.toml:1: beam-size: must be a whole number, got 'five'");
  CHECK(fault("beam-size = 2.5") == "recipe.toml:1: beam-size: must be a whole number, got '2.5'");
  CHECK(fault("beam-size = 0") == "recipe.toml:1: beam-size: must be positive, got '0'");
  CHECK(fault("beam-size = true") == "recipe.toml:1: beam-size: must be a whole number, got 'true'");
  CHECK(fault("shared = 1") == "recipe.toml:1: shared: must be true or false, got '1'");
  CHECK(fault("cell = 'rnn'") == "recipe.toml:1: cell: unknown value 'rnn'; choose one of: gru, lstm");
  CHECK(fault("cell = ['gru', 'lstm']") == "recipe.toml:1: cell: takes one value, got 2");
  CHECK(fault("name = 1979-05-27").find("recipe.toml:1: name: a value is text") == 0);
  CHECK(fault("files = [['a']]").find("recipe.toml:1: files: a value is text") == 0);
}

TEST_CASE("sections are refused", "[config][toml]") {
  CHECK(fault("[model]\nbeam-size = 3\n").find("recipe.toml:1: section 'model'") == 0);
  CHECK(fault("a.b = 3\n").find("section 'a'") != std::string::npos);
}

TEST_CASE("text that is not TOML is refused with its line", "[config][toml]") {
  CHECK(fault("beam-size = 3\nbeam-size\n").find("recipe.toml:2: ") == 0);
  CHECK(fault("beam-size = 3\nbeam-size = 4\n").find("recipe.toml:2: ") == 0);
  CHECK(fault("name = \"open\n").find("recipe.toml:") == 0);
}

TEST_CASE("a missing file and a folder are refused by name", "[config][toml]") {
  const Fields fields;
  CHECK_THROWS_WITH(read_toml("no-such.toml", fields),
                    "no-such.toml: cannot read this configuration file; check the path");
  CHECK_THROWS_AS(read_toml(".", fields), UsageError);
  CHECK_THROWS_WITH(read_toml(".", fields), ".: is a folder; name a file");
}

TEST_CASE("a field that is a flag only is neither read nor written", "[config][toml]") {
  SampleOptions options;
  Fields fields;
  fields.add(options, "Sample", /*in_files=*/false);
  CHECK(write_toml(fields).empty());
  CHECK_THROWS_AS(parse_toml("beam-size = 3", "recipe.toml", fields), UsageError);
}

TEST_CASE("each field is written after a comment with its meaning", "[config][toml]") {
  SampleOptions options;
  const auto text = written(options);
  CHECK(text.find("# Recurrent cell. (one of: gru, lstm)\ncell = \"gru\"\n") != std::string::npos);
  CHECK(text.find("shared = false\n") != std::string::npos);
  CHECK(text.find("files = []\n") != std::string::npos);
}

TEST_CASE("what is written reads back to the same options", "[config][toml][property]") {
  std::mt19937_64 random(7);
  const std::vector<std::string> texts{"",
                                       "plain",
                                       "two words",
                                       "quote\" and \\ back",
                                       "tab\tline\nend",
                                       "été → 漢字",
                                       "# no comment",
                                       "[x]",
                                       "'single'",
                                       std::string("\x01\x7f", 2)};
  const auto text = [&] { return texts[random() % texts.size()]; };
  for (int round = 0; round < 200; ++round) {
    SampleOptions options;
    options.shared = random() % 2;
    options.beam_size = 1 + static_cast<int64_t>(random() % 1'000'000'000'000);
    options.dropout = std::uniform_real_distribution<double>(0, 1)(random);
    options.cell = random() % 2 ? "gru" : "lstm";
    for (size_t n = random() % 4; n > 0; --n) options.files.push_back(text());
    options.name = text();
    CHECK(loaded(written(options)) == options);
  }
}
