#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <nlohmann/json.hpp>
#include <set>

#include "run_gloss.h"
#include "support/catch.h"
#include "trained_model.h"

using namespace gloss;
using nlohmann::json;

namespace {

std::vector<std::string> translate_arguments(const std::vector<std::string>& more = {}) {
  std::vector<std::string> arguments{"translate", "--model", trained_model(), "--threads", "1",
                                     "--device",  "cpu"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

std::vector<std::string> output_lines(const std::string& input, const std::vector<std::string>& more) {
  const auto outcome = run_gloss(translate_arguments(more), input);
  INFO(outcome.err);
  REQUIRE(outcome.code == 0);
  return lines_of(outcome.out);
}

std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const auto& line : lines) text += line + "\n";
  return text;
}

std::vector<std::string> test_lines() { return lines_of(bytes_of_file(case_file("base/test.fr"))); }

struct Scored {
  double score;
  std::string text;
};

Scored scored(const std::string& line) {
  const auto tab = line.find('\t');
  REQUIRE(tab != std::string::npos);
  return {std::stod(line.substr(0, tab)), line.substr(tab + 1)};
}

void check_same(const std::vector<std::string>& left, const std::vector<std::string>& right) {
  REQUIRE(left.size() == right.size());
  for (size_t i = 0; i < left.size(); ++i) {
    const auto a = scored(left[i]), b = scored(right[i]);
    CHECK(a.text == b.text);
    CHECK(std::abs(a.score - b.score) < 1e-4);
  }
}

}  // namespace

TEST_CASE("the batch size changes neither text nor scores", "[cli][translate][property]") {
  const auto input = joined(test_lines());
  const auto reference = output_lines(input, {"--scores", "--batch-tokens", "1"});
  for (const auto* size : {"37", "300", "100000"})
    check_same(reference, output_lines(input, {"--scores", "--batch-tokens", size}));
}

TEST_CASE("the order of the input changes neither text nor scores", "[cli][translate][property]") {
  auto lines = test_lines();
  const auto forward = output_lines(joined(lines), {"--scores"});
  std::reverse(lines.begin(), lines.end());
  auto backward = output_lines(joined(lines), {"--scores"});
  std::reverse(backward.begin(), backward.end());
  check_same(forward, backward);
}

TEST_CASE("asking for alignments, scores or n-best does not change the text", "[cli][translate][property]") {
  const auto input = joined(test_lines());
  const auto plain = output_lines(input, {});
  const TemporaryFolder folder;
  CHECK(output_lines(input, {"--alignments", folder.file("a.csv")}) == plain);
  const auto scores = output_lines(input, {"--scores"});
  const auto objects = output_lines(input, {"--jsonl"});
  for (size_t i = 0; i < plain.size(); ++i) {
    CHECK(scored(scores[i]).text == plain[i]);
    CHECK(json::parse(objects[i])["hypotheses"][0]["text"] == plain[i]);
  }
}

TEST_CASE("n-best lists are numbered by line, at most n long, and best first", "[cli][translate]") {
  const auto lines = output_lines(joined(test_lines()), {"--n-best", "3", "--beam-size", "4"});
  std::vector<std::vector<double>> scores(30);
  for (const auto& line : lines) {
    const auto tab = line.find('\t');
    const auto number = std::stoul(line.substr(0, tab));
    REQUIRE(number >= 1);
    REQUIRE(number <= 30);
    scores[number - 1].push_back(scored(line.substr(tab + 1)).score);
  }
  CHECK(lines.size() > 60);  // the model is hardly trained: now and then fewer than three hypotheses end
  for (const auto& list : scores) {
    CHECK(list.size() >= 1);
    CHECK(list.size() <= 3);
    CHECK(std::is_sorted(list.rbegin(), list.rend()));
  }
}

TEST_CASE("field marks in the input cannot be mistaken for fields of the output (C27)",
          "[cli][translate][case]") {
  const auto lines =
      output_lines(bytes_of_file(case_file("C27/src.txt")), {"--n-best", "2", "--beam-size", "2"});
  std::set<std::string> ids;
  for (const auto& line : lines) {
    CHECK(std::count(line.begin(), line.end(), '\t') == 2);
    ids.insert(line.substr(0, line.find('\t')));
  }
  CHECK(ids.size() == 6);
}

TEST_CASE("JSON lines hold line, source, texts, scores and pieces", "[cli][translate]") {
  const auto lines =
      output_lines("je vois un pont .\n\n\"quote\"\ttab\n", {"--jsonl", "--n-best", "2", "--beam-size", "2"});
  REQUIRE(lines.size() == 3);
  for (size_t i = 0; i < 3; ++i) {
    const auto object = json::parse(lines[i]);
    CHECK(object["line"] == i + 1);
    for (const auto& hypothesis : object["hypotheses"]) {
      CHECK(hypothesis["text"].is_string());
      CHECK(hypothesis["tokens"].is_array());
      CHECK(hypothesis["log_probability"].get<double>() <= 0.0);
      // length penalty 1: the mean over pieces and, where it was reached, the end mark
      const auto length =
          static_cast<double>(hypothesis["tokens"].size() + hypothesis["finished"].get<bool>());
      CHECK(hypothesis["score"].get<double>() ==
            Approx(hypothesis["log_probability"].get<double>() / length));
    }
  }
  CHECK(json::parse(lines[0])["source"] == "je vois un pont .");
  CHECK(json::parse(lines[0])["hypotheses"].size() == 2);
  CHECK(json::parse(lines[1])["hypotheses"][0]["text"] == "");
  CHECK(json::parse(lines[2])["source"] == "\"quote\"\ttab");
}

TEST_CASE("stdout holds the translations and nothing else, even at the highest log level",
          "[cli][translate]") {
  const auto outcome = run_gloss(translate_arguments({"--log-level", "debug"}), "je vois\n");
  CHECK(outcome.code == 0);
  CHECK(lines_of(outcome.out).size() == 1);
  const auto quiet = run_gloss(translate_arguments({"--quiet"}), "je vois\n");
  CHECK(quiet.out == outcome.out);
  CHECK_FALSE(holds(quiet.err, "info"));
}

TEST_CASE("files as input and output give what the pipe gives", "[cli][translate]") {
  const TemporaryFolder folder;
  const auto outcome = run_gloss(
      translate_arguments({"--input", case_file("base/test.fr"), "--output", folder.file("out.en")}));
  CHECK(outcome.code == 0);
  CHECK(outcome.out.empty());
  CHECK(lines_of(bytes_of_file(folder.path() / "out.en")) == output_lines(joined(test_lines()), {}));
  // nothing half-written beside it
  CHECK(std::distance(std::filesystem::directory_iterator(folder.path()), {}) == 1);
}

TEST_CASE("an output file keeps its old content until the new one is whole", "[cli][translate]") {
  const TemporaryFolder folder;
  const auto file = folder.write("out.en", "old\n");
  const auto outcome = run_gloss(translate_arguments({"--output", file, "--strict"}), "je vois\n\xff\n");
  CHECK(outcome.code == 3);
  CHECK(bytes_of_file(file) == "old\n");
  CHECK(std::distance(std::filesystem::directory_iterator(folder.path()), {}) == 1);
}

TEST_CASE("a pipe gets its answer before the next line is written", "[cli][translate]") {
  GlossProcess process(translate_arguments());
  process.write("je vois un pont .\n");
  CHECK(process.wait_for_lines(1, std::chrono::seconds(60)));
  process.write("elle porte une lampe .\n");
  CHECK(process.wait_for_lines(2, std::chrono::seconds(10)));
  const auto outcome = process.finish();
  CHECK(outcome.code == 0);
  CHECK(lines_of(outcome.out) == output_lines("je vois un pont .\nelle porte une lampe .\n", {}));
}

TEST_CASE("a closed pipe ends the program quietly by SIGPIPE", "[cli][translate]") {
  const TemporaryFolder folder;
  const auto command = std::string("bash -c '") + GLOSS_BINARY + " translate --quiet --beam-size 1 --model " +
                       trained_model() + " --input " + case_file("base/train.fr") + " 2> " +
                       folder.file("err") + " | true; echo ${PIPESTATUS[0]} > " + folder.file("code") + "'";
  REQUIRE(std::system(command.c_str()) == 0);
  CHECK(bytes_of_file(folder.path() / "code") == "141\n");
  CHECK(bytes_of_file(folder.path() / "err").empty());
}

TEST_CASE("the score is the log-probability divided by length to the power of the penalty",
          "[cli][translate]") {
  const auto input = joined(test_lines());
  const auto objects = output_lines(input, {"--jsonl", "--length-penalty", "0.6"});
  for (const auto& line : objects) {
    const auto best = json::parse(line)["hypotheses"][0];
    const auto length = static_cast<double>(best["tokens"].size() + best["finished"].get<bool>());
    CHECK(best["score"].get<double>() ==
          Approx(best["log_probability"].get<double>() / std::pow(length, 0.6)));
  }
}

TEST_CASE("info says what the model directory holds", "[cli][info]") {
  const auto outcome = run_gloss({"info", "--model", trained_model()});
  CHECK(outcome.code == 0);
  for (const auto* part :
       {"rnn", "bahdanau", "additive", "gru", "SentencePiece, 132 entries", "parameters", "30"}) {
    INFO(part);
    CHECK(outcome.out.find(part) != std::string::npos);
  }
}

TEST_CASE("a recurrent model translates in bf16 where the machine has it, and says so where not",
          "[cli][translate]") {
  const auto outcome =
      run_gloss({"translate", "--model", trained_model(), "--precision", "bf16"}, "le chat\n\nle chien\n");
  if (outcome.code == 2) {
    CHECK(holds(outcome.err, "AVX-512 BF16"));
    return;
  }
  CHECK(outcome.code == 0);
  CHECK(lines_of(outcome.out).size() == 3);
  CHECK(holds(outcome.err, "matrix products in bf16"));
}
