#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "metrics/bleu.h"
#include "metrics/chrf.h"
#include "metrics/code_points.h"
#include "metrics/ter.h"
#include "support/catch.h"

using namespace gloss;
using nlohmann::json;

namespace {

const std::string kTests = GLOSS_SOURCE_DIR "/tests/";

std::string read(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  REQUIRE(file.good());
  return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<json> read_jsonl(const std::string& path) {
  std::vector<json> rows;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) rows.push_back(json::parse(line));
  return rows;
}

BleuOptions bleu_options(const json& values) {
  BleuOptions options;
  options.tokenize = values.value("tokenize", options.tokenize);
  options.lowercase = values.value("lowercase", options.lowercase);
  options.smooth_method = values.value("smooth_method", options.smooth_method);
  options.smooth_value = values.value("smooth_value", options.smooth_value);
  options.effective_order = values.value("effective_order", options.effective_order);
  options.max_ngram_order = values.value("max_ngram_order", options.max_ngram_order);
  return options;
}

ChrfOptions chrf_options(const json& values) {
  ChrfOptions options;
  options.char_order = values.value("char_order", options.char_order);
  options.word_order = values.value("word_order", options.word_order);
  options.beta = values.value("beta", options.beta);
  options.whitespace = values.value("whitespace", options.whitespace);
  options.lowercase = values.value("lowercase", options.lowercase);
  options.eps_smoothing = values.value("eps_smoothing", options.eps_smoothing);
  return options;
}

TerOptions ter_options(const json& values) {
  TerOptions options;
  options.normalized = values.value("normalized", options.normalized);
  options.no_punct = values.value("no_punct", options.no_punct);
  options.asian_support = values.value("asian_support", options.asian_support);
  options.case_sensitive = values.value("case_sensitive", options.case_sensitive);
  return options;
}

const auto near = [](double value) { return Approx(value).epsilon(1e-9).margin(1e-9); };

struct Case {
  json row;
  std::vector<std::string> hypotheses;
  std::vector<std::vector<std::string>> references;

  std::vector<std::string> line_references(size_t i) const {
    std::vector<std::string> lines;
    for (const auto& reference : references) lines.push_back(reference.at(i));
    return lines;
  }
};

std::vector<Case> cases(const std::string& metric, const std::string& level) {
  std::vector<Case> found;
  for (const auto& row : read_jsonl(kTests + "golden/metrics_cases.jsonl")) {
    if (row.at("metric") != metric || row.at("level") != level) continue;
    Case next{row, metric_lines(read(kTests + "cases/" + row.at("hyp").get<std::string>())), {}};
    for (const auto& path : row.at("refs"))
      next.references.push_back(metric_lines(read(kTests + "cases/" + path.get<std::string>())));
    found.push_back(std::move(next));
  }
  return found;
}

}  // namespace

TEST_CASE("corpus BLEU equals sacreBLEU in score, precisions, counts, lengths and signature",
          "[metrics][golden]") {
  const auto rows = cases("bleu", "corpus");
  REQUIRE(rows.size() > 30);
  for (const auto& test : rows) {
    INFO(test.row.at("id"));
    const auto& expected = test.row.at("expected");
    const auto options = bleu_options(test.row.at("options"));
    const auto score = bleu(test.hypotheses, test.references, options);
    CHECK(score.score == near(expected.at("score")));
    CHECK(score.brevity_penalty == near(expected.at("bp")));
    CHECK(score.hypothesis_length == expected.at("sys_len").get<int64_t>());
    CHECK(score.reference_length == expected.at("ref_len").get<int64_t>());
    REQUIRE(score.precisions.size() == expected.at("precisions").size());
    for (size_t n = 0; n < score.precisions.size(); ++n) {
      CHECK(score.precisions[n] == near(expected.at("precisions")[n]));
      CHECK(score.matches[n] == expected.at("counts")[n].get<double>());
      CHECK(score.totals[n] == expected.at("totals")[n].get<double>());
    }
    CHECK(bleu_signature(options, {.references = static_cast<int64_t>(test.references.size())}) ==
          expected.at("signature"));
  }
}

TEST_CASE("sentence BLEU equals sacreBLEU line by line", "[metrics][golden]") {
  const auto rows = cases("bleu", "sentence");
  REQUIRE(!rows.empty());
  for (const auto& test : rows) {
    INFO(test.row.at("id"));
    const auto& scores = test.row.at("expected").at("scores");
    REQUIRE(scores.size() == test.hypotheses.size());
    for (size_t i = 0; i < scores.size(); ++i) {
      const auto score =
          sentence_bleu(test.hypotheses[i], test.line_references(i), bleu_options(test.row["options"]));
      CHECK(score.score == near(scores[i]));
    }
  }
}

TEST_CASE("corpus chrF equals sacreBLEU in score and signature", "[metrics][golden]") {
  const auto rows = cases("chrf", "corpus");
  REQUIRE(rows.size() > 30);
  for (const auto& test : rows) {
    INFO(test.row.at("id"));
    const auto options = chrf_options(test.row.at("options"));
    CHECK(chrf(test.hypotheses, test.references, options) == near(test.row.at("expected").at("score")));
    CHECK(chrf_signature(options, {.references = static_cast<int64_t>(test.references.size())}) ==
          test.row.at("expected").at("signature"));
  }
}

TEST_CASE("sentence chrF equals sacreBLEU line by line", "[metrics][golden]") {
  const auto rows = cases("chrf", "sentence");
  REQUIRE(!rows.empty());
  for (const auto& test : rows) {
    INFO(test.row.at("id"));
    const auto& scores = test.row.at("expected").at("scores");
    REQUIRE(scores.size() == test.hypotheses.size());
    for (size_t i = 0; i < scores.size(); ++i)
      CHECK(sentence_chrf(test.hypotheses[i], test.line_references(i), chrf_options(test.row["options"])) ==
            near(scores[i]));
  }
}

TEST_CASE("corpus TER equals sacreBLEU in score, edits, length and signature", "[metrics][golden]") {
  const auto rows = cases("ter", "corpus");
  REQUIRE(rows.size() > 15);
  for (const auto& test : rows) {
    INFO(test.row.at("id"));
    const auto options = ter_options(test.row.at("options"));
    const auto& expected = test.row.at("expected");
    const auto score = ter(test.hypotheses, test.references, options);
    CHECK(score.score == near(expected.at("score")));
    CHECK(score.edits == expected.at("num_edits").get<int64_t>());
    CHECK(score.reference_length == near(expected.at("ref_length")));
    CHECK(ter_signature(options, {.references = static_cast<int64_t>(test.references.size())}) ==
          expected.at("signature"));
  }
}

TEST_CASE("sentence TER equals sacreBLEU line by line", "[metrics][golden]") {
  const auto rows = cases("ter", "sentence");
  REQUIRE(!rows.empty());
  for (const auto& test : rows) {
    INFO(test.row.at("id"));
    const auto& scores = test.row.at("expected").at("scores");
    REQUIRE(scores.size() == test.hypotheses.size());
    for (size_t i = 0; i < scores.size(); ++i)
      CHECK(
          sentence_ter(test.hypotheses[i], test.line_references(i), ter_options(test.row["options"])).score ==
          near(scores[i]));
  }
}

TEST_CASE("random lines of odd punctuation, digits and entities score as sacreBLEU scores them",
          "[metrics][golden]") {
  const auto rows = read_jsonl(kTests + "golden/metrics_random.jsonl");
  BleuOptions plain;
  plain.effective_order = true;
  BleuOptions intl = plain;
  intl.tokenize = "intl";
  BleuOptions zh = plain;
  zh.tokenize = "zh";
  zh.lowercase = true;
  ChrfOptions chrf_pp;
  chrf_pp.word_order = 2;
  chrf_pp.lowercase = true;

  std::vector<std::string> hypotheses;
  std::vector<std::vector<std::string>> references(2);
  size_t corpora = 0;
  for (const auto& row : rows) {
    INFO(row.dump());
    if (row.contains("hypothesis")) {
      const auto hypothesis = row.at("hypothesis").get<std::string>();
      const auto refs = row.at("references").get<std::vector<std::string>>();
      const auto& scores = row.at("scores");
      CHECK(sentence_bleu(hypothesis, refs, plain).score == near(scores[0]));
      CHECK(sentence_bleu(hypothesis, refs, intl).score == near(scores[1]));
      CHECK(sentence_bleu(hypothesis, refs, zh).score == near(scores[2]));
      CHECK(sentence_chrf(hypothesis, refs) == near(scores[3]));
      CHECK(sentence_chrf(hypothesis, refs, chrf_pp) == near(scores[4]));
      hypotheses.push_back(hypothesis);
      references[0].push_back(refs[0]);
      references[1].push_back(refs[1]);
    } else if (row.contains("metric")) {
      ++corpora;
      const double score = row.at("metric") == "bleu"
                               ? bleu(hypotheses, references, bleu_options(row.at("options"))).score
                               : chrf(hypotheses, references, chrf_options(row.at("options")));
      CHECK(score == near(row.at("score")));
    }
  }
  CHECK(hypotheses.size() == 300);
  CHECK(corpora == 20);
}
