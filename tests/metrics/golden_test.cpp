#include <fstream>
#include <iterator>
#include <memory>
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

/// To the last digit but one: exp and log of other C libraries may round otherwise.
const auto near = [](double value) { return Approx(value).epsilon(1e-14); };

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

/// Every case of lines one by one. \param score_of (hypothesis, references, the case's options) → score
template <class ScoreOf>
void check_line_by_line(const std::string& metric, const ScoreOf& score_of) {
  const auto rows = cases(metric, "sentence");
  REQUIRE(!rows.empty());
  for (const auto& test : rows) {
    INFO(test.row.at("id"));
    const auto& scores = test.row.at("expected").at("scores");
    REQUIRE(scores.size() == test.hypotheses.size());
    for (size_t i = 0; i < scores.size(); ++i)
      CHECK(score_of(test.hypotheses[i], test.line_references(i), test.row.at("options")) == near(scores[i]));
  }
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
  check_line_by_line("bleu", [](const auto& hypothesis, const auto& references, const json& options) {
    return sentence_bleu(hypothesis, references, bleu_options(options)).score;
  });
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
  check_line_by_line("chrf", [](const auto& hypothesis, const auto& references, const json& options) {
    return sentence_chrf(hypothesis, references, chrf_options(options));
  });
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
  check_line_by_line("ter", [](const auto& hypothesis, const auto& references, const json& options) {
    return sentence_ter(hypothesis, references, ter_options(options)).score;
  });
}

namespace {

std::unique_ptr<Metric> metric_of(const json& setting) {
  const auto& options = setting.at("options");
  if (setting.at("metric") == "bleu") return bleu_metric(bleu_options(options));
  if (setting.at("metric") == "chrf") return chrf_metric(chrf_options(options));
  return ter_metric(ter_options(options));
}

/// What sacreBLEU knows beside the score.
void check_details(const json& expected, const json& setting, const std::vector<double>& sums) {
  if (setting.at("metric") == "ter") {
    const auto score = ter_from_sums(sums);
    CHECK(score.edits == expected.at("num_edits").get<int64_t>());
    CHECK(score.reference_length == expected.at("ref_length").get<double>());
  } else if (setting.at("metric") == "bleu") {
    const auto score = bleu_from_sums(sums, bleu_options(setting.at("options")));
    CHECK(score.brevity_penalty == near(expected.at("bp")));
    CHECK(score.hypothesis_length == expected.at("sys_len").get<int64_t>());
    CHECK(score.reference_length == expected.at("ref_len").get<int64_t>());
    CHECK(score.matches == expected.at("counts").get<std::vector<double>>());
    CHECK(score.totals == expected.at("totals").get<std::vector<double>>());
    CHECK(score.precisions == expected.at("precisions").get<std::vector<double>>());
  }
}

/// The random lines of one row, under the references that a row of scores was made with: 1, 2 or "ragged".
struct RandomText {
  std::vector<Segment> segments;  // their texts lie in the rows

  void add(const json& line, const json& used) {
    const auto& second = line.at("references")[1];
    if (used == 2 && second.is_null()) return;  // only lines that have both
    const auto text = [](const json& value) -> std::string_view {
      return value.get_ref<const std::string&>();
    };
    segments.push_back({text(line.at("hypothesis")), {text(line.at("references")[0])}});
    if (used != 1 && !second.is_null()) segments.back().references.push_back(text(second));
  }
};

}  // namespace

TEST_CASE("random lines and texts score as sacreBLEU scores them under every setting", "[metrics][golden]") {
  const auto rows = read_jsonl(kTests + "golden/metrics_random.jsonl");
  const auto& settings = rows.at(0).at("settings");
  std::vector<std::unique_ptr<Metric>> metrics;
  for (const auto& setting : settings) metrics.push_back(metric_of(setting));
  size_t texts = 0;
  size_t line_scores = 0;
  for (const auto& row : rows) {
    INFO(row.dump());
    if (row.contains("hypothesis")) {
      for (const auto& score : row.at("scores")) {
        RandomText line;
        line.add(row, score[1]);
        const auto& metric = *metrics.at(score[0].get<size_t>());
        const auto counts = count_lines(metric, line.segments);
        CHECK(metric.score(counts.line(0)) == near(score[2]));
        ++line_scores;
      }
    } else if (row.contains("setting")) {
      RandomText text;
      for (size_t i = row.at("lines")[0]; i < row.at("lines")[1]; ++i)
        text.add(rows.at(i + 1), row.at("references"));
      const auto number = row.at("setting").get<size_t>();
      const auto sums = count_lines(*metrics.at(number), text.segments).sum();
      CHECK(metrics[number]->score(sums) == near(row.at("score")));
      CHECK(metrics[number]->signature({.references = count_references(text.segments)}) ==
            row.at("signature"));
      check_details(row, settings.at(number), sums);
      ++texts;
    }
  }
  CHECK(line_scores > 3000);
  CHECK(texts == 3 * settings.size());
}
