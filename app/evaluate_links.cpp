#include "evaluate_links.h"

#include <spdlog/fmt/fmt.h>

#include <nlohmann/json.hpp>
#include <optional>

#include "align/aer.h"
#include "align/links.h"
#include "core/error.h"

namespace gloss {

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
  if (found.size() != wanted.size())
    throw DataError(options.hypothesis + ": " + std::to_string(found.size()) + " lines, but " + options.gold +
                    " has " + std::to_string(wanted.size()) + "; give files of equal length");
  if (found.empty()) throw DataError(options.hypothesis + ": 0 lines; there is nothing to score");

  std::vector<std::vector<Link>> links;
  for (const auto& [sure, possible] : found) {
    auto& all = links.emplace_back(sure);
    all.insert(all.end(), possible.begin(), possible.end());
  }
  const auto score = alignment_error_rate(links, wanted);
  const nlohmann::ordered_json object{
      {"precision", score.precision}, {"recall", score.recall}, {"aer", score.aer}, {"f1", score.f1}};
  if (options.json) return object.dump() + "\n";
  std::string text;
  for (const auto& [name, value] : object.items())
    text += name + "\t" + fmt::format("{:.4f}", value.get<double>()) + "\n";
  return text;
}

}  // namespace gloss
