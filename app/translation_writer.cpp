#include "translation_writer.h"

#include <spdlog/fmt/fmt.h>

#include <nlohmann/json.hpp>

#include "core/lines.h"

namespace gloss {
namespace {

/// Tabs separate fields, so text beside fields has none.
std::string scored(const LineHypothesis& hypothesis) {
  return fmt::format("{:.6f}\t{}\n", hypothesis.score, one_line(hypothesis.text, /*tabs_too=*/true));
}

std::string json_line(const LineTranslation& translation) {
  nlohmann::ordered_json hypotheses = nlohmann::ordered_json::array();
  for (const auto& hypothesis : translation.hypotheses) {
    hypotheses.push_back({{"text", hypothesis.text},
                          {"score", hypothesis.score},
                          {"log_probability", hypothesis.log_probability},
                          {"finished", hypothesis.is_finished},
                          {"tokens", hypothesis.tokens}});
  }
  const nlohmann::ordered_json object{
      {"line", translation.number}, {"source", translation.source}, {"hypotheses", std::move(hypotheses)}};
  return object.dump(-1, ' ', /*ensure_ascii=*/false, nlohmann::ordered_json::error_handler_t::replace) +
         "\n";
}

}  // namespace

std::string format_translation(const LineTranslation& translation, OutputForm form) {
  const auto& best = translation.hypotheses.front();
  switch (form) {
    case OutputForm::kText:
      return best.text + "\n";
    case OutputForm::kScores:
      return scored(best);
    case OutputForm::kJson:
      return json_line(translation);
    case OutputForm::kNBest:
      break;
  }
  std::string lines;
  for (const auto& hypothesis : translation.hypotheses)
    lines += fmt::format("{}\t{}", translation.number, scored(hypothesis));
  return lines;
}

}  // namespace gloss
