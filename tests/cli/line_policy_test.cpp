#include <algorithm>

#include "run_gloss.h"
#include "support/catch.h"
#include "trained_model.h"

using namespace gloss;

namespace {

Outcome translated(const std::string& input, const std::vector<std::string>& more = {}) {
  std::vector<std::string> arguments{"translate",   "--model", trained_model(),       "--threads", "1",
                                     "--beam-size", "2",       "--max-output-length", "12"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return run_gloss(arguments, input);
}

/// The lines of the output; the run must succeed.
std::vector<std::string> output_lines(const std::string& input, const std::vector<std::string>& more = {}) {
  const auto outcome = translated(input, more);
  INFO(outcome.err);
  REQUIRE(outcome.code == 0);
  return lines_of(outcome.out);
}

std::string translation_of(const std::string& line) { return output_lines(line + "\n").at(0); }

}  // namespace

TEST_CASE("as many lines come out as went in, whatever stands in them", "[cli][lines]") {
  const std::vector<std::string> nasty{"",
                                       " ",
                                       "\t",
                                       "\u00a0",
                                       "\u3000",
                                       "\u200b",
                                       std::string("je\0vois", 7),
                                       "a\u2028b",
                                       "a\u0085b",
                                       "a\vb\fc",
                                       "je vois\r",
                                       "a\rb",
                                       "\xff\xfe",
                                       "caf\xe9 noir",
                                       "\ufeff",
                                       "</s> <pad> <s>",
                                       "▁ ▁",
                                       "a\tb\tc",
                                       "||| ￨ |||",
                                       "\u202e\u200d",
                                       "🌳🌳",
                                       "-",
                                       "\"",
                                       ",",
                                       "\xf0\x9f\x8c",
                                       "--model",
                                       "\u00ad",
                                       "je vois un pont ."};
  std::string input;
  for (const auto& line : nasty) input += line + "\n";
  for (const auto* batch : {"1", "64", "4096"})
    CHECK(output_lines(input, {"--batch-tokens", batch}).size() == nasty.size());
}

TEST_CASE("empty input gives empty output", "[cli][lines]") {
  CHECK(translated("").out.empty());
  CHECK(translated("").code == 0);
  CHECK(translated("\n").out == "\n");
  CHECK(translated("\n\n \n").out == "\n\n\n");
}

TEST_CASE("a last line without a line end counts as a line", "[cli][lines]") {
  CHECK(translated("je vois\nje vois").out == translated("je vois\nje vois\n").out);
}

TEST_CASE("a byte order mark at the start is not part of the text", "[cli][lines]") {
  CHECK(translated("\ufeffje vois un pont .\n").out == translated("je vois un pont .\n").out);
}

TEST_CASE("lines without a piece are treated as empty lines (C02)", "[cli][lines][case]") {
  const auto lines = output_lines(bytes_of_file(case_file("C02/src.txt")));
  REQUIRE(lines.size() == 16);
  for (size_t number = 2; number <= 11; ++number) CHECK(lines[number - 1].empty());
  CHECK(lines[0] == translation_of("je vois un pont ."));
  CHECK(lines[11] == translation_of("elle porte une lampe ."));
}

TEST_CASE("LF alone ends a line (C04)", "[cli][lines][case]") {
  CHECK(output_lines(bytes_of_file(case_file("C04/src.txt"))).size() == 5);
}

TEST_CASE("carriage returns at line ends change nothing (C05)", "[cli][lines][case]") {
  const auto crlf = translated(bytes_of_file(case_file("C05/crlf.txt"))),
             lf = translated(bytes_of_file(case_file("C05/lf.txt")));
  CHECK(crlf.out == lf.out);
  CHECK(lines_of(lf.out).size() == 3);
  CHECK_FALSE(holds(crlf.out, "\r"));
  CHECK(output_lines(bytes_of_file(case_file("C05/mixed.txt"))).size() == 3);
}

TEST_CASE("text behind a NUL still counts (C08)", "[cli][lines][case]") {
  const auto line = bytes_of_file(case_file("C08/line.txt"));
  REQUIRE(line.find('\0') != std::string::npos);
  const auto whole = translated(line, {"--alignments", "-", "--alignment-format", "jsonl", "--output",
                                       "/dev/null", "--alignment-level", "piece"});
  INFO(whole.err);
  CHECK(whole.code == 0);
  CHECK(lines_of(whole.out).size() == 1);
  CHECK(holds(whole.out, "\u2581pont"));  // a piece behind the NUL
  CHECK(lines_of(translated(line).out).size() == 1);
}

TEST_CASE("the space marker in raw text acts as a space (C11)", "[cli][lines][case]") {
  const auto lines = output_lines(bytes_of_file(case_file("C11/src.txt")));
  REQUIRE(lines.size() == 4);
  CHECK(lines[0] == translation_of("je vois un pont ."));
  CHECK(lines[1] == translation_of("je vois"));
  CHECK(lines[2] == translation_of("a b"));
  CHECK(lines[3] == translation_of("pont"));
}

TEST_CASE("the names of special symbols are ordinary characters (C12)", "[cli][lines][case]") {
  const auto text = bytes_of_file(case_file("C12/src.txt"));
  const auto count = static_cast<size_t>(std::count(text.begin(), text.end(), '\n'));
  const auto json = output_lines(text, {"--jsonl"});
  CHECK(json.size() == count);
  const auto alignments = translated(text, {"--alignments", "-", "--alignment-format", "jsonl",
                                            "--alignment-level", "piece", "--output", "/dev/null"});
  const auto lines = lines_of(alignments.out);
  REQUIRE(lines.size() == count);
  CHECK(holds(lines[0], "\u2581pont"));  // what follows '</s>' reaches the encoder
}

TEST_CASE("one over-long line leaves the lines beside it alone and is not cut silently (C19)",
          "[cli][lines][case]") {
  const auto text = bytes_of_file(case_file("C19/src.txt"));
  const auto input = lines_of(text);
  REQUIRE(input.size() == 3);
  for (const auto* batch : {"1", "3000"}) {
    const auto outcome = translated(text, {"--batch-tokens", batch});
    CHECK(outcome.code == 0);
    const auto lines = lines_of(outcome.out);
    REQUIRE(lines.size() == 3);
    CHECK(lines[0] == translation_of(input[0]));
    CHECK(lines[2] == translation_of(input[2]));
    CHECK(holds(outcome.err, "stdin:2: "));
    CHECK(holds(outcome.err, "--max-length"));
    CHECK_FALSE(holds(outcome.err, "stdin:1: "));
  }
}

TEST_CASE("a line over the limit is the translations of its parts, joined", "[cli][lines]") {
  // tiny.model has 'je vois un pont .' as 7 pieces; with 7 a line of two such sentences is cut between them.
  const std::string sentence = "je vois un pont .";
  const auto twice = output_lines(sentence + " " + sentence + "\n", {"--max-length", "7"}).at(0);
  const auto once = translation_of(sentence);
  REQUIRE_FALSE(once.empty());
  CHECK(twice == once + " " + once);
}

TEST_CASE("invalid UTF-8 is reported by line number and replaced, and refused with --strict",
          "[cli][lines]") {
  const std::string input = "je vois\ncaf\xe9 noir\nje vois\n";
  const auto outcome = translated(input);
  CHECK(outcome.code == 0);
  CHECK(lines_of(outcome.out).size() == 3);
  CHECK(holds(outcome.err, "stdin:2: invalid UTF-8"));
  CHECK(outcome.out == translated("je vois\ncaf\ufffd noir\nje vois\n").out);
  const auto strict = translated(input, {"--strict"});
  CHECK(strict.code == 3);
  CHECK(holds(strict.err, "stdin:2: invalid UTF-8"));
  CHECK(strict.out.empty());
}

TEST_CASE("an untrained byte-fallback model writes one valid line for each line (C14)",
          "[cli][lines][case]") {
  const TemporaryFolder folder;
  const auto training =
      run_gloss(tiny_training(folder.file("model"), {"--tokenizer", case_file("base/tinybf.model"),
                                                     "--updates", "1", "--learning-rate", "1e-9"}));
  INFO(training.err);
  REQUIRE(training.code == 0);
  const auto source = bytes_of_file(case_file("base/train.fr"));
  std::string input;
  for (size_t line = 0, begin = 0; line < 200; ++line) {
    const auto end = source.find('\n', begin) + 1;
    input += source.substr(begin, end - begin);
    begin = end;
  }
  const auto outcome = run_gloss(
      {"translate", "--model", folder.file("model"), "--beam-size", "1", "--max-output-length", "20"}, input);
  CHECK(outcome.code == 0);
  CHECK(lines_of(outcome.out).size() == 200);
  CHECK_FALSE(holds(outcome.out, "\r"));
  CHECK(outcome.out.find('\0') == std::string::npos);
  const auto json = run_gloss({"translate", "--model", folder.file("model"), "--beam-size", "1",
                               "--max-output-length", "20", "--jsonl"},
                              input);
  CHECK(lines_of(json.out).size() == 200);
}
