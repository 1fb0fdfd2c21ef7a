#include <algorithm>
#include <functional>
#include <random>

#include "align/alignment_options.h"
#include "config/toml.h"
#include "core/error.h"
#include "data/data_options.h"
#include "model/model_options.h"
#include "run_gloss.h"
#include "search/search_options.h"
#include "shared_options.h"
#include "support/catch.h"
#include "text/text_options.h"
#include "train/train_options.h"

using namespace gloss;

namespace {

/// Every options struct of gloss, in two groups because some share a name.
struct TrainSide {
  TokenizerOptions tokenizer;
  DataOptions data;
  ModelOptions model;
  TrainOptions train;
  SharedOptions shared;
  void add_to(Fields& fields) {
    fields.add(tokenizer, "a");
    fields.add(data, "b");
    fields.add(model, "c");
    fields.add(train, "d");
    fields.add(shared, "e");
  }
};

struct TranslateSide {
  SearchOptions search;
  AlignmentOptions alignments;
  SharedOptions shared;
  void add_to(Fields& fields) {
    fields.add(search, "a");
    fields.add(alignments, "b");
    fields.add(shared, "c");
  }
};

/// Values that some field may take, whatever its type.
std::vector<std::string> candidates(const Field& field, std::mt19937_64& random) {
  std::vector<std::string> values{
      "true",    "false", "auto", "",     "0.25",  "0.75",      "0.123456789012345",
      "1e-08",   "7",     "12",   "4000", "plain", "two words", "quote\"back\\slash",
      "# sharp", "été\tx"};
  // "one of: a, b" offers its names.
  if (const auto& text = field.check.text; text.starts_with("one of: ")) {
    std::string name;
    for (const char c : text.substr(8) + ", ") {
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

template <class Side>
void check_round_trip(uint64_t seed) {
  std::mt19937_64 random(seed);
  Side written, read;
  Fields from, to;
  written.add_to(from);
  read.add_to(to);
  for (const auto& field : from.all()) set_at_random(field, random);
  const auto text = write_toml(from);
  to.apply(parse_toml(text, "dump.toml", to));
  for (const auto& field : from.all()) {
    INFO(field.name);
    CHECK(to.find(field.name)->text() == field.text());
  }
  CHECK(write_toml(to) == text);
}

const std::vector<std::string> kCommands{"train", "translate", "score", "evaluate", "info"};

}  // namespace

TEST_CASE("every options struct, written and read, is the same", "[cli][config][property]") {
  for (uint64_t seed = 1; seed <= 50; ++seed) {
    check_round_trip<TrainSide>(seed);
    check_round_trip<TranslateSide>(seed);
  }
}

TEST_CASE("the default of every option passes its own check", "[cli][config][property]") {
  TrainSide train;
  TranslateSide translate;
  for (const auto& add : {std::function<void(Fields&)>([&](Fields& f) { train.add_to(f); }),
                          std::function<void(Fields&)>([&](Fields& f) { translate.add_to(f); })}) {
    Fields fields;
    add(fields);
    for (const auto& field : fields.all()) {
      INFO(field.name);
      CHECK_NOTHROW(field.set({field.name, field.text(), field.name}));
    }
  }
}

TEST_CASE("a dumped configuration given back dumps the same", "[cli][config]") {
  const TemporaryFolder folder;
  for (const auto& command : kCommands) {
    INFO(command);
    const auto first = run_gloss({command, "--dump-config", "--seed", "77", "--quiet"});
    REQUIRE(first.code == 0);
    CHECK(first.err.empty());
    CHECK(first.out.find("seed = 77\n") != std::string::npos);
    const auto again =
        run_gloss({command, "--dump-config", "--config", folder.write("dump.toml", first.out)});
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
