#include "evaluate_forms.h"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/lines.h"

namespace gloss {
namespace {

using Json = nlohmann::ordered_json;
using Row = std::vector<std::string>;

/// File names in it may be no UTF-8.
std::string text_of(const Json& objects) {
  return objects.dump(1, ' ', /*ensure_ascii=*/false, Json::error_handler_t::replace) + "\n";
}

/// File names may hold anything, the tabs and line ends of the table too.
std::string cell_of(const std::string& file) { return one_line(file, /*tabs_too=*/true); }

std::string fixed(double value, int digits) { return fmt::format("{:.{}f}", value, digits); }
std::string p_text(std::optional<double> p) { return p ? fixed(*p, 4) : ""; }

/// Columns that have nothing to say in this run are left out.
struct Columns {
  bool file;
  bool confidence;
  bool p_bootstrap;
  bool p_randomisation;
};

Row head(const Columns& columns) {
  Row row{"metric"};
  if (columns.file) row.emplace_back("file");
  row.emplace_back("score");
  if (columns.confidence) row.insert(row.end(), {"mean", "95% +-"});
  if (columns.p_bootstrap) row.emplace_back("p (bs)");
  if (columns.p_randomisation) row.emplace_back("p (ar)");
  row.emplace_back("signature");
  return row;
}

Row row_of(const MetricResult& result, const TextScore& text, const std::string& file, bool is_compared,
           const Columns& columns) {
  Row row{result.name};
  if (columns.file) row.push_back(cell_of(file));
  row.push_back(fixed(text.score, 2));
  if (columns.confidence) {
    row.push_back(fixed(text.confidence->mean, 2));
    row.push_back(fixed(text.confidence->half_width(), 2));
  }
  if (columns.p_bootstrap) row.push_back(is_compared ? p_text(result.p_bootstrap) : "");
  if (columns.p_randomisation) row.push_back(is_compared ? p_text(result.p_randomisation) : "");
  row.push_back(result.signature);
  return row;
}

std::string separated(const std::vector<Row>& rows) {
  std::string text;
  for (const auto& row : rows) text += join(row, "\t") + "\n";
  return text;
}

/// Numbers end, words begin in one column. Widths are those of bytes: only names of files may hold others than ASCII.
std::string aligned(const Row& titles, std::vector<Row> rows) {
  rows.insert(rows.begin(), titles);
  std::string text;
  for (const auto& row : rows) {
    for (size_t k = 0; k + 1 < row.size(); ++k) {
      size_t width = 0;
      for (const auto& other : rows) width = std::max(width, other[k].size());
      const bool is_words = titles[k] == "metric" || titles[k] == "file";
      text += fmt::format(fmt::runtime(is_words ? "{:<{}}  " : "{:>{}}  "), row[k], width);
    }
    text += row.back() + "\n";
  }
  return text;
}

Json confidence_object(const Confidence& confidence) {
  return {{"mean", confidence.mean},
          {"low", confidence.low},
          {"high", confidence.high},
          {"half_width", confidence.half_width()}};
}

void add_text(Json& object, const TextScore& text) {
  if (text.confidence) object["confidence"] = confidence_object(*text.confidence);
}

}  // namespace

std::string results_as_text(const EvaluateOptions& options, const std::vector<MetricResult>& results,
                            bool for_terminal) {
  const auto& tests = options.significance;
  const Columns columns{.file = !tests.baseline.empty(),
                        .confidence = tests.confidence || tests.resamples_pairs(),
                        .p_bootstrap = tests.resamples_pairs(),
                        .p_randomisation = tests.swaps_pairs()};
  std::vector<Row> rows;
  for (const auto& result : results) {
    if (result.baseline)
      rows.push_back(row_of(result, *result.baseline, tests.baseline, /*is_compared=*/false, columns));
    rows.push_back(row_of(result, result.hypothesis, options.hypothesis, /*is_compared=*/true, columns));
  }
  return for_terminal ? aligned(head(columns), std::move(rows)) : separated(rows);
}

std::string results_as_json(const EvaluateOptions& options, const std::vector<MetricResult>& results) {
  auto objects = Json::array();
  for (const auto& result : results) {
    Json object{{"name", result.name}, {"score", result.hypothesis.score}, {"signature", result.signature}};
    object.update(result.details);
    add_text(object, result.hypothesis);
    if (result.baseline) {
      object["baseline"] = {{"file", options.significance.baseline}, {"score", result.baseline->score}};
      add_text(object["baseline"], *result.baseline);
    }
    if (result.p_bootstrap)
      object["paired_bs"] = {{"p_value", *result.p_bootstrap},
                             {"resamples", options.significance.paired_bs_n}};
    if (result.p_randomisation)
      object["paired_ar"] = {{"p_value", *result.p_randomisation},
                             {"trials", options.significance.paired_ar_n}};
    objects.push_back(std::move(object));
  }
  return text_of(objects);
}

std::string lines_as_csv(const std::vector<std::string>& metrics,
                         const std::vector<std::vector<double>>& scores) {
  std::string text = "sentence," + join(metrics, ",") + "\n";
  for (size_t i = 0; i < scores.front().size(); ++i) {
    text += std::to_string(i + 1);
    for (const auto& of_metric : scores) text += fmt::format(",{}", of_metric[i]);
    text += "\n";
  }
  return text;
}

std::string lines_as_json(const std::vector<std::string>& metrics,
                          const std::vector<std::vector<double>>& scores) {
  auto objects = Json::array();
  for (size_t i = 0; i < scores.front().size(); ++i) {
    Json object{{"sentence", i + 1}};
    for (size_t m = 0; m < metrics.size(); ++m) object[metrics[m]] = scores[m][i];
    objects.push_back(std::move(object));
  }
  return text_of(objects);
}

}  // namespace gloss
