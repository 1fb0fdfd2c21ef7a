#pragma once

#include <string>
#include <vector>

#include "evaluate_metrics.h"
#include "evaluate_options.h"

namespace gloss {

/// The forms in which `gloss evaluate` prints results (evaluate_report.h says what they hold), each with its last LF.

/// Lines separated by tabs, or for a terminal an aligned table with a head.
std::string results_as_text(const EvaluateOptions& options, const std::vector<MetricResult>& results,
                            bool for_terminal);

/// An array with an object for each metric.
std::string results_as_json(const EvaluateOptions& options, const std::vector<MetricResult>& results);

/// Scores of lines, [metric][line]: a head and a row for each line; an array with an object for each line.
std::string lines_as_csv(const std::vector<std::string>& metrics,
                         const std::vector<std::vector<double>>& scores);
std::string lines_as_json(const std::vector<std::string>& metrics,
                          const std::vector<std::vector<double>>& scores);

}  // namespace gloss
