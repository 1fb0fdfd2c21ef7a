#include "evaluate.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <array>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "align/links.h"
#include "command.h"
#include "core/error.h"
#include "core/file.h"
#include "core/unicode.h"
#include "metrics/aer.h"
#include "metrics/code_points.h"

namespace gloss {
namespace {

using Json = nlohmann::ordered_json;
using Lines = std::vector<std::string>;

/// Lines as sacreBLEU sees them: white space at the right end is dropped.
Lines read_lines(const std::string& path) {
  Lines lines;
  LineReader reader(path);
  int64_t replaced = 0;
  for (std::string line; reader.next(line);) {
    if (!valid_utf8(line) && replaced++ == 0)
      spdlog::warn("{}:{}: not UTF-8; wrong bytes count as U+FFFD", reader.name(), reader.number());
    lines.emplace_back(without_trailing_space(line));
  }
  if (replaced > 1) spdlog::warn("{}: {} lines are not UTF-8", reader.name(), replaced);
  return lines;
}

void check_equal(const std::string& name, size_t size, const std::string& other_name, size_t other_size) {
  if (size != other_size)
    throw DataError(name + ": " + std::to_string(size) + " lines, but " + other_name + " has " +
                    std::to_string(other_size) + "; give files of equal length");
}

/// The text to score and its references, [reference][line].
struct Texts {
  Lines hypotheses;
  std::vector<Lines> references;

  Lines references_of(size_t line) const {
    Lines found;
    for (const auto& reference : references) found.push_back(reference[line]);
    return found;
  }
};

Texts read_texts(const EvaluateOptions& options) {
  Texts texts{read_lines(options.hypothesis), {}};
  for (const auto& path : options.reference) {
    texts.references.push_back(read_lines(path));
    check_equal(options.hypothesis, texts.hypotheses.size(), path, texts.references.back().size());
  }
  if (texts.hypotheses.empty()) throw DataError(options.hypothesis + ": 0 lines; there is nothing to score");
  return texts;
}

Json bleu_object(const EvaluateOptions& options, const Texts& texts) {
  const auto score = bleu(texts.hypotheses, texts.references, options.bleu);
  return {{"name", "BLEU"},
          {"score", score.score},
          {"signature",
           bleu_signature(options.bleu, {.references = static_cast<int64_t>(texts.references.size())})},
          {"precisions", score.precisions},
          {"matches", score.matches},
          {"totals", score.totals},
          {"brevity_penalty", score.brevity_penalty},
          {"hypothesis_length", score.hypothesis_length},
          {"reference_length", score.reference_length}};
}

double bleu_of_line(const EvaluateOptions& options, const Texts& texts, size_t line) {
  return sentence_bleu(texts.hypotheses[line], texts.references_of(line), options.bleu).score;
}

Json chrf_object(const EvaluateOptions& options, const Texts& texts) {
  return {{"name", chrf_name(options.chrf)},
          {"score", chrf(texts.hypotheses, texts.references, options.chrf)},
          {"signature",
           chrf_signature(options.chrf, {.references = static_cast<int64_t>(texts.references.size())})},
          {"char_order", options.chrf.char_order},
          {"word_order", options.chrf.word_order},
          {"beta", options.chrf.beta}};
}

double chrf_of_line(const EvaluateOptions& options, const Texts& texts, size_t line) {
  return sentence_chrf(texts.hypotheses[line], texts.references_of(line), options.chrf);
}

struct MetricRow {
  const char* name;
  Json (*of_corpus)(const EvaluateOptions&, const Texts&);
  double (*of_line)(const EvaluateOptions&, const Texts&, size_t line);
};
constexpr std::array kMetrics{MetricRow{"bleu", bleu_object, bleu_of_line},
                              MetricRow{"chrf", chrf_object, chrf_of_line}};

std::vector<std::string> metric_names() {
  std::vector<std::string> names;
  for (const auto& metric : kMetrics) names.emplace_back(metric.name);
  return names;
}

std::vector<MetricRow> chosen_metrics(const std::string& list) {
  std::vector<MetricRow> chosen;
  for (size_t begin = 0; begin <= list.size();) {
    const size_t end = std::min(list.find(',', begin), list.size());
    const auto wanted = list.substr(begin, end - begin);
    begin = end + 1;
    const auto metric =
        std::find_if(kMetrics.begin(), kMetrics.end(), [&](const MetricRow& m) { return wanted == m.name; });
    if (metric == kMetrics.end())
      throw UsageError("unknown metric '" + wanted + "'; choose from: " + join(metric_names()));
    chosen.push_back(*metric);
  }
  return chosen;
}

std::string fixed(double value, int digits) { return fmt::format("{:.{}f}", value, digits); }

std::string corpus_report(const EvaluateOptions& options, const Texts& texts) {
  auto objects = Json::array();
  std::string text;
  for (const auto& metric : chosen_metrics(options.metrics)) {
    objects.push_back(metric.of_corpus(options, texts));
    const auto& object = objects.back();
    text += object.at("name").get<std::string>() + "\t" + fixed(object.at("score").get<double>(), 2) + "\t" +
            object.at("signature").get<std::string>() + "\n";
  }
  return options.json ? objects.dump(1) + "\n" : text;
}

std::string line_report(EvaluateOptions options, const Texts& texts) {
  options.bleu.effective_order = true;  // as sacreBLEU's --sentence-level
  const auto metrics = chosen_metrics(options.metrics);
  auto objects = Json::array();
  std::string text;
  for (size_t i = 0; i < texts.hypotheses.size(); ++i) {
    Json object{{"sentence", i + 1}};
    std::string fields;
    for (const auto& metric : metrics) {
      const double score = metric.of_line(options, texts, i);
      object[metric.name] = score;
      fields.append(fields.empty() ? "" : "\t").append(fixed(score, 2));
    }
    objects.push_back(std::move(object));
    text += fields + "\n";
  }
  return options.json ? objects.dump(1) + "\n" : text;
}

LinkSet as_set(const std::vector<Link>& links) {
  LinkSet set;
  for (const auto& link : links) set.emplace(link.source, link.target);
  return set;
}

std::string links_report(const EvaluateOptions& options) {
  const auto& hypothesis_format = link_format_of_file(options.hypothesis);
  const auto& gold_format = link_format_of_file(options.gold);
  std::optional<int64_t> gold_base;
  if (options.gold_base != "auto") gold_base = options.gold_base == "1" ? 1 : 0;
  auto found = read_links(options.hypothesis, hypothesis_format);
  auto wanted = read_links(options.gold, gold_format, gold_base);
  // The naacl format doesn't show sentences without links at the end.
  if (!hypothesis_format.one_line_each && found.size() < wanted.size()) found.resize(wanted.size());
  if (!gold_format.one_line_each && wanted.size() < found.size()) wanted.resize(found.size());
  check_equal(options.hypothesis, found.size(), options.gold, wanted.size());
  if (found.empty()) throw DataError(options.hypothesis + ": 0 lines; there is nothing to score");

  std::vector<LinkSet> links;
  std::vector<GoldLinks> gold;
  for (size_t i = 0; i < found.size(); ++i) {
    links.push_back(as_set(found[i].sure));
    links.back().merge(as_set(found[i].possible));
    gold.push_back({as_set(wanted[i].sure), as_set(wanted[i].possible)});
  }
  const auto score = alignment_error_rate(links, gold);
  const Json object{
      {"precision", score.precision}, {"recall", score.recall}, {"aer", score.aer}, {"f1", score.f1}};
  if (options.json) return object.dump() + "\n";
  std::string text;
  for (const auto& [name, value] : object.items()) text += name + "\t" + fixed(value.get<double>(), 4) + "\n";
  return text;
}

}  // namespace

void EvaluateOptions::validate() const {
  if (reference.empty() && gold.empty())
    throw UsageError("evaluate: nothing to compare with; give --reference FILE, or --gold FILE for links");
  if (!reference.empty() && !gold.empty())
    throw UsageError(
        "evaluate: --reference and --gold exclude each other; text has references, links have gold links");
  if (!gold.empty() && sentence_level)
    throw UsageError(
        "evaluate: --sentence-level doesn't go with --gold; alignment error rates are sums over the corpus");
}

Check EvaluateOptions::metrics_check() {
  return {"of: " + join(metric_names()), [](const std::string& written) -> std::string {
            try {
              chosen_metrics(written);
              return {};
            } catch (const UsageError& error) {
              return error.what();
            }
          }};
}

std::string evaluate_report(const EvaluateOptions& options) {
  options.validate();
  if (!options.gold.empty()) return links_report(options);
  const auto texts = read_texts(options);
  return options.sentence_level ? line_report(options, texts) : corpus_report(options, texts);
}

Command evaluate_command() {
  return {"evaluate", "BLEU and chrF as sacreBLEU computes them; error rates of alignments",
          [](Fields& fields) {
            auto options = std::make_shared<EvaluateOptions>();
            fields.add(*options, "Evaluate");
            return Command::Run([options](const SharedOptions&) {
              const auto report = evaluate_report(*options);
              OutputStream output("-");
              output.write(report);
              output.close();
              return 0;
            });
          }};
}

}  // namespace gloss
