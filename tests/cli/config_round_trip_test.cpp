#include <algorithm>
#include <random>

#include "command.h"
#include "config/toml.h"
#include "core/error.h"
#include "run_gloss.h"
#include "support/catch.h"

using namespace gloss;

namespace {

/// The options of a command, its own and the shared ones.
class CommandOptions {
 public:
  explicit CommandOptions(const Command& command) : run_(command.setup(fields_)) {
    fields_.add(shared_, "Every command");
  }
  const Fields& fields() const { return fields_; }

 private:
  SharedOptions shared_;
  Fields fields_;
  Command::Run run_;  // owns the options
};

/// Values that some field may take, whatever its type.
std::vector<std::string> candidates(const Field& field, std::mt19937_64& random) {
  std::vector<std::string> values{"true",
                                  "false",
                                  "auto",
                                  "",
                                  "0.25",
                                  "0.75",
                                  "0.99",
                                  "0.123456789012345",
                                  "1e-08",
                                  "7",
                                  "12",
                                  "4000",
                                  "plain",
                                  "two words",
                                  "quote\"back\\slash",
                                  "# sharp",
                                  "été\tx"};
  // "one of: a, b" offers its names, and so does "of: a, b", a list with commas.
  const std::string offer = "of: ";
  if (const auto at = field.check.text.find(offer); at != std::string::npos) {
    std::string name;
    for (const char c : field.check.text.substr(at + offer.size()) + ", ") {
      if (c == ',') {
        values.push_back(name);
        name.clear();
      } else if (c != ' ') {
        name += c;
      }
    }
  }
  std::shuffle(values.begin(), values.end(), random);
  return values;
}

void set_at_random(const Field& field, std::mt19937_64& random) {
  for (const auto& value : candidates(field, random)) {
    try {
      field.set({field.name, {value}, field.name});
      return;
    } catch (const UsageError&) {  // not a value of this field: try the next
    }
  }
  FAIL("no value found for " << field.name);
}

void check_round_trip(const Command& command, uint64_t seed) {
  std::mt19937_64 random(seed);
  const CommandOptions written(command), read(command);
  for (const auto& field : written.fields().all()) set_at_random(field, random);
  const auto text = write_toml(written.fields());
  read.fields().apply(parse_toml(text, "dump.toml", read.fields()));
  for (const auto& field : written.fields().all()) {
    INFO(field.name);
    CHECK(read.fields().find(field.name)->text() == field.text());
  }
  CHECK(write_toml(read.fields()) == text);
}

}  // namespace

TEST_CASE("the options of every command, written and read, are the same", "[cli][config][property]") {
  for (const auto& command : all_commands())
    for (uint64_t seed = 1; seed <= 50; ++seed) {
      INFO(command.name);
      check_round_trip(command, seed);
    }
}

TEST_CASE("the default of every option passes its own check", "[cli][config][property]") {
  for (const auto& command : all_commands()) {
    const CommandOptions options(command);
    for (const auto& field : options.fields().all()) {
      INFO(command.name << " " << field.name);
      CHECK_NOTHROW(field.set({field.name, field.text(), field.name}));
    }
  }
}

TEST_CASE("a dumped configuration given back dumps the same", "[cli][config]") {
  const TemporaryFolder folder;
  for (const auto& command : all_commands()) {
    INFO(command.name);
    const auto first = run_gloss({command.name, "--dump-config", "--seed", "77", "--quiet"});
    REQUIRE(first.code == 0);
    CHECK(first.err.empty());
    CHECK(first.out.find("seed = 77\n") != std::string::npos);
    const auto again =
        run_gloss({command.name, "--dump-config", "--config", folder.write("dump.toml", first.out)});
    CHECK(again.code == 0);
    CHECK(again.out == first.out);
  }
}

TEST_CASE("flags win over the configuration file, wherever they stand", "[cli][config]") {
  const TemporaryFolder folder;
  const auto file = folder.write("a.toml", "beam-size = 7\nscores = true\nlength-penalty = 0.5\n");
  for (const auto& arguments :
       {std::vector<std::string>{"--config", file, "--beam-size", "2", "--scores=false"},
        std::vector<std::string>{"--beam-size", "2", "--scores=false", "--config", file}}) {
    auto words = arguments;
    words.insert(words.begin(), {"translate", "--dump-config"});
    const auto dump = run_gloss(words).out;
    CHECK(dump.find("\nbeam-size = 2\n") != std::string::npos);
    CHECK(dump.find("\nscores = false\n") != std::string::npos);
    CHECK(dump.find("\nlength-penalty = 0.5\n") != std::string::npos);
  }
}

TEST_CASE("a list on the command line replaces the list of the file", "[cli][config]") {
  const TemporaryFolder folder;
  const auto file = folder.write("a.toml", "train-source = ['a', 'b']\n");
  CHECK(run_gloss({"train", "--dump-config", "--config", file}).out.find("train-source = [\"a\", \"b\"]\n") !=
        std::string::npos);
  CHECK(run_gloss({"train", "--dump-config", "--config", file, "--train-source", "c"})
            .out.find("train-source = [\"c\"]\n") != std::string::npos);
}
