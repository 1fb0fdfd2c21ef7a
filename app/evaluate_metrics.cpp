#include "evaluate_metrics.h"

#include <algorithm>
#include <array>

#include "core/error.h"
#include "core/table.h"

namespace gloss {
namespace {

using Json = nlohmann::ordered_json;
using Sums = std::span<const double>;

Json bleu_details(const EvaluateOptions& options, Sums sums) {
  const auto score = bleu_from_sums(sums, options.bleu);
  return {{"precisions", score.precisions},
          {"matches", score.matches},
          {"totals", score.totals},
          {"brevity_penalty", score.brevity_penalty},
          {"hypothesis_length", score.hypothesis_length},
          {"reference_length", score.reference_length}};
}

Json chrf_details(const EvaluateOptions& options, Sums /*sums*/) {
  return {{"char_order", options.chrf.char_order},
          {"word_order", options.chrf.word_order},
          {"beta", options.chrf.beta}};
}

Json ter_details(const EvaluateOptions& /*options*/, Sums sums) {
  const auto score = ter_from_sums(sums);
  return {{"num_edits", score.edits}, {"ref_length", score.reference_length}};
}

struct Entry {
  const char* name;
  std::unique_ptr<Metric> (*make)(const EvaluateOptions&);
  Json (*details)(const EvaluateOptions&, Sums);
  bool (*regards_case)(const EvaluateOptions&);
};
constexpr std::array kMetrics{
    Entry{"bleu", [](const EvaluateOptions& o) { return bleu_metric(o.bleu); }, bleu_details,
          [](const EvaluateOptions& o) { return !o.bleu.lowercase; }},
    Entry{"chrf", [](const EvaluateOptions& o) { return chrf_metric(o.chrf); }, chrf_details,
          [](const EvaluateOptions& o) { return !o.chrf.lowercase; }},
    Entry{"ter", [](const EvaluateOptions& o) { return ter_metric(o.ter); }, ter_details,
          [](const EvaluateOptions& o) { return o.ter.case_sensitive; }}};

const Entry& entry_of(const std::string& name) { return row_of(kMetrics, "metric", name); }

SignatureFacts signature_facts(const SignificanceOptions& options, const std::vector<Segment>& segments,
                               int64_t seed) {
  SignatureFacts facts{.references = count_references(segments), .seed = seed};
  if (options.confidence) facts.bootstrap_samples = options.confidence_n;
  if (options.resamples_pairs()) facts.bootstrap_samples = options.paired_bs_n;
  if (options.swaps_pairs()) facts.randomisation_trials = options.paired_ar_n;
  return facts;
}

}  // namespace

std::vector<std::string> metric_names() { return names_of(kMetrics); }

std::vector<std::string> chosen_metrics(const std::string& list) {
  auto chosen = split(list, ',');
  for (auto name = chosen.begin(); name != chosen.end(); ++name) {
    entry_of(*name);
    if (std::find(chosen.begin(), name, *name) != name)
      throw UsageError("metric '" + *name + "' is named twice");
  }
  return chosen;
}

bool asks_for(const std::string& metric, const EvaluateOptions& options) {
  const auto chosen = chosen_metrics(options.metrics);
  return std::find(chosen.begin(), chosen.end(), metric) != chosen.end();
}

bool regards_case(const EvaluateOptions& options) {
  const auto chosen = chosen_metrics(options.metrics);
  return std::any_of(chosen.begin(), chosen.end(),
                     [&](const auto& name) { return entry_of(name).regards_case(options); });
}

std::vector<MetricResult> corpus_results(const EvaluateOptions& options, const EvaluationTexts& texts,
                                         const ReportSetting& setting) {
  const auto& tests = options.significance;
  const auto draws = [&](int64_t count) {
    return Draws{.count = count, .seed = setting.seed, .threads = setting.threads};
  };
  const auto segments = make_segments(texts.hypotheses, texts.references);
  std::vector<Segment> baseline_segments;
  if (!tests.baseline.empty()) baseline_segments = make_segments(texts.baseline, texts.references);

  std::vector<MetricResult> results;
  for (const auto& name : chosen_metrics(options.metrics)) {
    const auto& entry = entry_of(name);
    const auto metric = entry.make(options);
    const auto counts = count_lines(*metric, segments, setting.threads);
    const auto sums = counts.sum();
    auto& result = results.emplace_back();
    result.name = metric->name();
    result.signature = metric->signature(signature_facts(tests, segments, setting.seed));
    result.details = entry.details(options, sums);
    result.hypothesis.score = metric->score(sums);
    if (tests.confidence)
      result.hypothesis.confidence =
          confidence_of(bootstrap_scores(*metric, counts, draws(tests.confidence_n)));
    if (tests.baseline.empty()) continue;

    const auto baseline = count_lines(*metric, baseline_segments, setting.threads);
    result.baseline.emplace().score = metric->score(baseline.sum());
    if (tests.confidence)
      result.baseline->confidence =
          confidence_of(bootstrap_scores(*metric, baseline, draws(tests.confidence_n)));
    if (tests.resamples_pairs()) {
      const auto compared = paired_bootstrap(*metric, counts, baseline, draws(tests.paired_bs_n));
      result.p_bootstrap = compared.p_value;
      result.hypothesis.confidence = compared.system;
      result.baseline->confidence = compared.baseline;
    }
    if (tests.swaps_pairs())
      result.p_randomisation = paired_randomisation(*metric, counts, baseline, draws(tests.paired_ar_n));
  }
  return results;
}

std::vector<std::vector<double>> line_results(const EvaluateOptions& options, const EvaluationTexts& texts,
                                              const ReportSetting& setting) {
  auto line_options = options;
  line_options.bleu.effective_order = true;
  const auto segments = make_segments(texts.hypotheses, texts.references);
  std::vector<std::vector<double>> results;
  for (const auto& name : chosen_metrics(options.metrics)) {
    const auto metric = entry_of(name).make(line_options);
    const auto counts = count_lines(*metric, segments, setting.threads);
    auto& scores = results.emplace_back(counts.lines());
    for (size_t i = 0; i < scores.size(); ++i) scores[i] = metric->score(counts.line(i));
  }
  return results;
}

}  // namespace gloss
