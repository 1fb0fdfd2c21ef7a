#include <algorithm>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <regex>

#include "run_gloss.h"
#include "support/catch.h"
#include "trained_model.h"

using namespace gloss;
using nlohmann::json;
namespace fs = std::filesystem;

namespace {

Outcome scored(const std::vector<std::string>& more, const std::string& input = "",
               const std::string& model = trained_model()) {
  std::vector<std::string> arguments{"score", "--model", model, "--threads", "1", "--device", "cpu"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return run_gloss(arguments, input);
}

/// The lines of the output; the run must succeed.
std::vector<std::string> output_lines(const std::vector<std::string>& more, const std::string& input = "",
                                      const std::string& model = trained_model()) {
  const auto outcome = scored(more, input, model);
  INFO(outcome.err);
  REQUIRE(outcome.code == 0);
  return lines_of(outcome.out);
}

/// One finite number on each line.
std::vector<double> numbers(const std::vector<std::string>& lines) {
  std::vector<double> values;
  for (const auto& line : lines) {
    size_t used = 0;
    values.push_back(std::stod(line, &used));
    CHECK(used == line.size());
    CHECK(std::isfinite(values.back()));
  }
  return values;
}

void check_close(const std::vector<double>& left, const std::vector<double>& right, double margin = 1e-4) {
  REQUIRE(left.size() == right.size());
  for (size_t i = 0; i < left.size(); ++i) {
    CAPTURE(i);
    CHECK(std::abs(left[i] - right[i]) < margin);
  }
}

const std::string kSource = case_file("base/test.fr"), kTarget = case_file("base/test.en");

std::string reversed(const std::string& file) {
  auto lines = lines_of(bytes_of_file(file));
  std::string text;
  for (auto line = lines.rbegin(); line != lines.rend(); ++line) text += *line + "\n";
  return text;
}

/// A model of words that knows its small language: its translations end, and are cut into its own pieces again.
std::string word_model(const TemporaryFolder& folder) {
  auto arguments =
      tiny_training(folder.file("model"), {"--vocab-type", "word", "--embedding-size", "32", "--hidden-size",
                                           "32", "--updates", "150", "--learning-rate", "0.01", "--warmup",
                                           "0", "--valid-every", "150", "--save-every", "150"});
  const auto tokenizer = std::find(arguments.begin(), arguments.end(), "--tokenizer");
  arguments.erase(tokenizer, tokenizer + 2);
  const auto training = run_gloss(arguments);
  INFO(training.err);
  REQUIRE(training.code == 0);
  return folder.file("model");
}

}  // namespace

TEST_CASE("a translation is scored as the search scored it", "[cli][score][property]") {
  const TemporaryFolder folder;
  const auto model = word_model(folder);
  const auto translated = run_gloss({"translate", "--model", model, "--scores", "--input", kSource});
  const auto objects =
      lines_of(run_gloss({"translate", "--model", model, "--jsonl", "--input", kSource}).out);
  std::string text;
  std::vector<double> scores, sums;
  for (const auto& line : lines_of(translated.out)) {
    const auto tab = line.find('\t');
    scores.push_back(std::stod(line.substr(0, tab)));
    text += line.substr(tab + 1) + "\n";
  }
  for (const auto& object : objects)
    sums.push_back(json::parse(object)["hypotheses"][0]["log_probability"].get<double>());
  REQUIRE(scores.size() == 30);
  check_close(numbers(output_lines({"--source", kSource, "--length-penalty", "1"}, text, model)), scores);
  check_close(numbers(output_lines({"--source", kSource}, text, model)), sums);
}

TEST_CASE("the batch size and the order of the lines change no score", "[cli][score][property]") {
  const auto scores =
      numbers(output_lines({"--source", kSource, "--target", kTarget, "--batch-tokens", "1"}));
  REQUIRE(scores.size() == 30);
  for (const auto* size : {"50", "100000"})
    check_close(scores,
                numbers(output_lines({"--source", kSource, "--target", kTarget, "--batch-tokens", size})));
  const TemporaryFolder folder;
  auto backward = numbers(output_lines({"--source", folder.write("source", reversed(kSource)), "--target",
                                        folder.write("target", reversed(kTarget))}));
  std::reverse(backward.begin(), backward.end());
  check_close(scores, backward);
  CHECK(std::abs(scores.front() - scores.back()) > 1e-2);  // an order there is
}

TEST_CASE("the log-probabilities of the pieces add up to the score of the line", "[cli][score]") {
  const auto scores = numbers(output_lines({"--source", kSource, "--target", kTarget}));
  const auto lines =
      output_lines({"--source", kSource, "--target", kTarget, "--per-token", "--length-penalty", "0.5"});
  const auto text = lines_of(bytes_of_file(kTarget));
  REQUIRE(lines.size() == scores.size());
  for (size_t i = 0; i < lines.size(); ++i) {
    const auto object = json::parse(lines[i]);
    CHECK(object["sentence"] == i + 1);
    double sum = 0.0;
    std::string pieces;
    for (const auto& token : object["tokens"]) {
      const auto log_probability = token["log_probability"].get<double>();
      CHECK(log_probability < 0.0);
      sum += log_probability;
      pieces += token["token"].get<std::string>();
    }
    CHECK(std::abs(sum - scores[i]) < 1e-4);
    CHECK(std::abs(sum - object["log_probability"].get<double>()) < 1e-9);
    CHECK(object["score"].get<double>() ==
          Approx(sum / std::sqrt(static_cast<double>(object["tokens"].size()))));
    CHECK(object["tokens"].back()["token"] == "</s>");
    const std::string marked = "\u2581" + std::regex_replace(text[i], std::regex(" "), "\u2581");
    CHECK(pieces == marked + "</s>");
  }
}

TEST_CASE("stderr has perplexity by piece, word and character of the target", "[cli][score]") {
  const TemporaryFolder folder;
  // 5 words and 16 characters, blanks and € counted as one each; an empty line has its end mark alone.
  const auto source = folder.write("source", "je vois\n\nun pont\n"),
             target = folder.write("target", "I see\n\nune € caf€s\n");
  const auto outcome = scored({"--source", source, "--target", target});
  double total = 0.0;
  for (const auto score : numbers(lines_of(outcome.out))) total += score;
  size_t tokens = 0;
  for (const auto& line : output_lines({"--source", source, "--target", target, "--per-token"}))
    tokens += json::parse(line)["tokens"].size();

  std::smatch found;
  const std::regex pattern(
      R"(log-probability (\S+), perplexity (\S+) per token \((\d+), end marks counted\), )"
      R"((\S+) per word \((\d+)\), (\S+) per character \((\d+)\))");
  REQUIRE(std::regex_search(outcome.err, found, pattern));
  CHECK(std::stod(found[1]) == Approx(total).margin(1e-4));
  CHECK(std::stoul(found[3]) == tokens);
  CHECK(found[5] == "5");
  CHECK(found[7] == "16");
  CHECK(std::stod(found[2]) == Approx(std::exp(-total / static_cast<double>(tokens))).epsilon(1e-4));
  CHECK(std::stod(found[4]) == Approx(std::exp(-total / 5)).epsilon(1e-4));
  CHECK(std::stod(found[6]) == Approx(std::exp(-total / 16)).epsilon(1e-4));
  CHECK(holds(outcome.err, "3 lines"));

  const auto quiet = scored({"--source", source, "--target", target, "--quiet"});
  CHECK(quiet.err.empty());
  CHECK(quiet.out == outcome.out);
}

TEST_CASE("text without words has no perplexity by word", "[cli][score]") {
  const TemporaryFolder folder;
  const auto outcome = scored({"--source", folder.write("a", "je\n"), "--target", folder.write("b", "\n")});
  CHECK(outcome.code == 0);
  CHECK(holds(outcome.err, "per token (1, end marks counted)"));
  CHECK_FALSE(holds(outcome.err, "per word"));
  CHECK_FALSE(holds(outcome.err, "nan"));
}

TEST_CASE("files of different length are refused before any work, both ways round (C17)",
          "[cli][score][case]") {
  const TemporaryFolder folder;
  const auto four = case_file("C17/src.txt"), three = case_file("C17/tgt.txt");
  for (const auto& [source, target] : {std::pair(four, three), std::pair(three, four)}) {
    const auto outcome = scored({"--source", source, "--target", target, "--output", folder.file("scores")});
    INFO(outcome.err);
    CHECK(outcome.code == 3);
    CHECK(outcome.out.empty());
    for (const auto& part : {four, three, std::string("4"), std::string("3")})
      CHECK(holds(outcome.err, part));
    CHECK(fs::is_empty(folder.path()));
  }
  const auto nothing = scored({"--source", case_file("C17/empty.txt"), "--target", three});
  CHECK(nothing.code == 3);
  CHECK(holds(nothing.err, "empty.txt"));
  const auto piped = scored({"--source", four}, bytes_of_file(three));
  CHECK(piped.code == 3);
  CHECK(piped.out.empty());
}

TEST_CASE("long and empty lines have their score like all others (C51)", "[cli][score][case]") {
  const auto source = case_file("C51/dev.fr"), target = case_file("C51/dev.en");
  const auto outcome = scored({"--source", source, "--target", target});
  CHECK(outcome.code == 0);
  CHECK(numbers(lines_of(outcome.out)).size() == 5);
  CHECK(holds(outcome.err, "dev.fr:3: "));
}

TEST_CASE("empty sides are scored as their end mark alone", "[cli][score]") {
  const TemporaryFolder folder;
  // A blank line is an empty one.
  const auto lines = output_lines({"--source", folder.write("a", "je vois\n\n\n \u3000\n"), "--target",
                                   folder.write("b", "\nI see\n\n\t\n"), "--per-token"});
  REQUIRE(lines.size() == 4);
  for (const size_t i : {0, 2, 3}) {
    const auto tokens = json::parse(lines[i])["tokens"];
    REQUIRE(tokens.size() == 1);
    CHECK(tokens[0]["token"] == "</s>");
    CHECK(std::isfinite(tokens[0]["log_probability"].get<double>()));
  }
  CHECK(json::parse(lines[1])["tokens"].size() > 1);
  CHECK(json::parse(lines[2])["score"] == json::parse(lines[3])["score"]);
}

TEST_CASE("marks at file and line ends change no score", "[cli][score]") {
  const TemporaryFolder folder;
  const auto plain = output_lines({"--source", folder.write("a", "je vois\nun pont\n"), "--target",
                                   folder.write("b", "I see\na bridge\n")});
  CHECK(output_lines({"--source", folder.write("c", "\ufeffje vois\r\nun pont\r\n"), "--target",
                      folder.write("d", "I see\na bridge")}) == plain);
}

TEST_CASE("one side may come from a pipe, and the scores may go to a file", "[cli][score]") {
  const TemporaryFolder folder;
  const auto plain = scored({"--source", kSource, "--target", kTarget}).out;
  CHECK(scored({"--source", kSource}, bytes_of_file(kTarget)).out == plain);
  CHECK(scored({"--source", "-", "--target", kTarget}, bytes_of_file(kSource)).out == plain);
  const auto to_file = scored({"--source", kSource, "--target", kTarget, "--output", folder.file("scores")});
  CHECK(to_file.code == 0);
  CHECK(to_file.out.empty());
  CHECK(bytes_of_file(folder.path() / "scores") == plain);
  CHECK(std::distance(fs::directory_iterator(folder.path()), {}) == 1);
}

TEST_CASE("what cannot be scored is refused with where and what", "[cli][score]") {
  const TemporaryFolder folder;
  const auto empty = folder.write("empty", "");
  struct Mistake {
    std::vector<std::string> flags;
    int code;
    std::string says;
  };
  for (const auto& [flags, code, says] : std::vector<Mistake>{
           {{}, 2, "--source and --target"},
           {{"--source", kSource, "--target", kTarget, "--output", kTarget}, 2, "--target and --output"},
           {{"--source", kSource, "--target", folder.file("no.en")}, 3, "no.en"},
           {{"--source", empty, "--target", empty}, 3, "empty"},
           {{"--source", kSource, "--target", kTarget, "--output", folder.file("no/folder")}, 5, "folder"},
           {{"--source", kSource, "--target", kTarget, "--precision", "fp16"}, 2, "--precision"},
           {{"--source", kSource, "--target", kTarget, "--length-penalty", "-1"}, 2, "--length-penalty"}}) {
    const auto outcome = scored(flags);
    INFO(says << ": " << outcome.err);
    CHECK(outcome.code == code);
    CHECK(outcome.out.empty());
    CHECK(holds(outcome.err, says));
  }
  CHECK(scored({"--source", kSource, "--target", kTarget}, "", folder.file("nothing")).code == 4);
  CHECK(run_gloss({"score", "--source", kSource, "--target", kTarget}).code == 2);
}

TEST_CASE("invalid UTF-8 on either side is reported by line, and refused with --strict", "[cli][score]") {
  const TemporaryFolder folder;
  const auto source = folder.write("source", "je vois\ncaf\xe9 noir\n"),
             target = folder.write("target", "I s\xff\nblack\n");
  const auto outcome = scored({"--source", source, "--target", target});
  CHECK(outcome.code == 0);
  CHECK(holds(outcome.err, target + ":1: invalid UTF-8"));
  CHECK(holds(outcome.err, source + ":2: invalid UTF-8"));
  CHECK(outcome.out == scored({"--source", folder.write("c", "je vois\ncaf\ufffd noir\n"), "--target",
                               folder.write("d", "I s\ufffd\nblack\n")})
                           .out);
  const auto old = folder.write("scores", "old\n");
  const auto strict = scored({"--source", source, "--target", target, "--strict", "--output", old});
  CHECK(strict.code == 3);
  CHECK(holds(strict.err, target + ":1: invalid UTF-8"));
  CHECK(bytes_of_file(old) == "old\n");
  CHECK(holds(scored({"--source", source, "--strict"}, "a\nb\n").err, source + ":2"));
}

TEST_CASE("a pair beyond the border of a model of fixed length is refused by its line", "[cli][score]") {
  const TemporaryFolder folder;
  // 'je vois un pont .' is 7 pieces of tiny.model.
  const std::string fits = "je vois un pont .", longer = fits + " je";
  const auto refused = [&](const std::string& model, const std::string& source, const std::string& target) {
    const auto outcome =
        scored({"--source", folder.write("source", "je\n" + source + "\n"), "--target",
                folder.write("target", "je\n" + target + "\n"), "--output", folder.file("scores")},
               "", model);
    INFO(outcome.err);
    CHECK(outcome.code == 3);
    CHECK_FALSE(fs::exists(folder.path() / "scores"));
    return outcome.err;
  };
  const auto train = [&](const std::string& name, std::vector<std::string> flags) {
    flags.insert(flags.end(), {"--updates", "1"});
    auto arguments = tiny_training(folder.file(name), flags);
    if (name == "learned")
      for (const std::string rnn_only : {"--embedding-size", "--hidden-size"}) {
        const auto at = std::find(arguments.begin(), arguments.end(), rnn_only);
        arguments.erase(at, at + 2);
      }
    const auto training = run_gloss(arguments);
    INFO(training.err);
    REQUIRE(training.code == 0);
    return folder.file(name);
  };

  const auto location = train("location", {"--attention-score", "location", "--attention-max-length", "8"});
  CHECK(output_lines({"--source", folder.write("a", fits + "\n"), "--target",
                      folder.write("b", longer + " " + longer + "\n")},
                     "", location)
            .size() == 1);  // any target
  const auto message = refused(location, longer, "je");
  CHECK(holds(message, folder.file("source") + ":2: "));
  CHECK(holds(message, "--attention-max-length"));

  const auto learned = train("learned", {"--type", "transformer", "--model-size", "16", "--ffn-size", "16",
                                         "--heads", "2", "--encoder-layers", "1", "--decoder-layers", "1",
                                         "--positions", "learned", "--max-positions", "8"});
  CHECK(output_lines({"--source", folder.write("a", fits + "\n"), "--target", folder.write("b", fits + "\n")},
                     "", learned)
            .size() == 1);
  CHECK(holds(refused(learned, longer, "je"), folder.file("source") + ":2: "));
  CHECK(holds(refused(learned, "je", longer), folder.file("target") + ":2: "));
}
