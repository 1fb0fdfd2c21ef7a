#pragma once

#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "evaluate_options.h"
#include "evaluate_texts.h"
#include "metrics/metric.h"
#include "metrics/significance.h"
#include "report_setting.h"

namespace gloss {

/// The metrics that --metrics may name.
std::vector<std::string> metric_names();

/// Those of a list with commas. UsageError for an unknown or repeated one.
std::vector<std::string> chosen_metrics(const std::string& list);

bool asks_for(const std::string& metric, const EvaluateOptions& options);

/// Does one of the chosen metrics tell capitals from small letters?
bool regards_case(const EvaluateOptions& options);

/// A text under a metric.
struct TextScore {
  double score = 0.0;
  std::optional<Confidence> confidence;
};

/// A metric's whole result.
struct MetricResult {
  std::string name;
  std::string signature;
  nlohmann::ordered_json details;  ///< what this metric alone knows
  TextScore hypothesis;
  std::optional<TextScore> baseline;
  std::optional<double> p_bootstrap;
  std::optional<double> p_randomisation;
};

/// One result for each chosen metric, in their order.
std::vector<MetricResult> corpus_results(const EvaluateOptions& options, const EvaluationTexts& texts,
                                         const ReportSetting& setting);

/// Scores of each line, [metric][line]; BLEU has effective order here, as in sacreBLEU.
std::vector<std::vector<double>> line_results(const EvaluateOptions& options, const EvaluationTexts& texts,
                                              const ReportSetting& setting);

}  // namespace gloss
