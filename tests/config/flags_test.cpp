#include "config/flags.h"

#include <CLI/CLI.hpp>
#include <algorithm>

#include "core/error.h"
#include "sample_options.h"
#include "support/catch.h"

using namespace gloss;

namespace {

/// What `gloss command ARGUMENTS` would make of the sample's options.
struct Parsed {
  SampleOptions options;
  Fields fields;
  CLI::App root{"", "gloss"};
  CLI::App* app = root.add_subcommand("command", "");

  explicit Parsed(std::vector<std::string> arguments, const std::vector<Setting>& file = {}) {
    fields.add(options, "Sample");
    add_flags(fields, *app);
    arguments.insert(arguments.begin(), "command");
    std::reverse(arguments.begin(), arguments.end());  // CLI11 takes them from the back
    root.parse(std::move(arguments));
    fields.apply(file);
    fields.apply(given_flags(fields, *app));
  }
};

std::string fault(std::vector<std::string> arguments) {
  try {
    Parsed{std::move(arguments)};
  } catch (const UsageError& error) {
    return error.what();
  } catch (const CLI::ParseError& error) {
    return std::string("CLI11: ") + error.what();
  }
  return {};
}

}  // namespace

TEST_CASE("without flags the defaults stand", "[config][flags]") {
  CHECK(Parsed({}).options == SampleOptions{});
}

TEST_CASE("a flag takes its value after a blank or after =", "[config][flags]") {
  CHECK(Parsed({"--beam-size", "7"}).options.beam_size == 7);
  CHECK(Parsed({"--beam-size=7"}).options.beam_size == 7);
  CHECK(Parsed({"--name", "-"}).options.name == "-");
  CHECK(Parsed({"--name", ""}).options.name.empty());
  CHECK(Parsed({"--name", "two words"}).options.name == "two words");
}

TEST_CASE("a switch is on by its name alone and can be turned off", "[config][flags]") {
  CHECK(Parsed({"--shared"}).options.shared);
  CHECK(Parsed({"--shared", "--beam-size", "3"}).options.shared);
  CHECK(Parsed({"--shared=true"}).options.shared);
  CHECK_FALSE(Parsed({"--shared", "--shared=false"}).options.shared);
  CHECK_FALSE(Parsed({"--shared=false"}, {{"shared", {"true"}, ""}}).options.shared);
}

TEST_CASE("a list takes several values, after one flag or several", "[config][flags]") {
  using List = std::vector<std::string>;
  CHECK(Parsed({"--files", "a", "b", "--beam-size", "3"}).options.files == List{"a", "b"});
  CHECK(Parsed({"--files", "a", "--files", "b"}).options.files == List{"a", "b"});
  CHECK(Parsed({"--files", "c"}, {{"files", {"a", "b"}, ""}}).options.files == List{"c"});
}

TEST_CASE("given twice, the last flag counts", "[config][flags]") {
  CHECK(Parsed({"--beam-size", "3", "--beam-size", "4"}).options.beam_size == 4);
}

TEST_CASE("negative numbers are values, not flags", "[config][flags]") {
  CHECK(fault({"--beam-size", "-4"}) == "--beam-size: must be positive, got '-4'");
  CHECK(fault({"--beam-size=-4"}) == "--beam-size: must be positive, got '-4'");
}

TEST_CASE("an unknown flag is refused with the nearest known one", "[config][flags]") {
  CHECK(fault({"--beam-sise", "3"}) == "unknown flag '--beam-sise'; did you mean '--beam-size'?");
  CHECK(fault({"--beam-sise=3"}) == "unknown flag '--beam-sise=3'; did you mean '--beam-size'?");
  CHECK(fault({"--frobnicate"}) == "unknown flag '--frobnicate'");
}

TEST_CASE("a stray word is refused", "[config][flags]") {
  CHECK(fault({"word"}) == "unexpected argument 'word'; every value belongs to a --flag");
}

TEST_CASE("a flag that swallows the next flag reports its missing value", "[config][flags]") {
  CHECK(fault({"--name", "--beam-size", "3"}) == "--name: its value is missing, '--beam-size' follows");
  CHECK(fault({"--name"}).find("--name") != std::string::npos);
}

TEST_CASE("help shows meaning, permitted values and default of every field", "[config][flags]") {
  Parsed parsed({});
  auto help = parsed.app->help();
  help.erase(std::remove(help.begin(), help.end(), '\n'), help.end());
  for (const auto& field : parsed.fields.all()) {
    INFO(field.name);
    CHECK(help.find("--" + field.name) != std::string::npos);
    CHECK(help.find(field.doc) != std::string::npos);
    CHECK(help.find(field.check.text) != std::string::npos);
  }
  CHECK(help.find("Recurrent cell. (one of: gru, lstm) [default: gru]") != std::string::npos);
  CHECK(help.find("Dropout probability. (at least 0 and below 1) [default: 0.2]") != std::string::npos);
  CHECK(help.find("Some files. [default: none]") != std::string::npos);
}
