#include "evaluate_report.h"

#include "evaluate_forms.h"
#include "evaluate_links.h"
#include "evaluate_metrics.h"
#include "evaluate_texts.h"

namespace gloss {

std::string evaluate_report(const EvaluateOptions& options, const ReportSetting& setting) {
  options.validate();
  if (!options.gold.empty()) return links_report(options);
  const auto texts = read_evaluation_texts(options);
  if (options.sentence_level) {
    const auto scores = line_results(options, texts, setting);
    const auto names = chosen_metrics(options.metrics);
    return options.json ? lines_as_json(names, scores) : lines_as_csv(names, scores);
  }
  const auto results = corpus_results(options, texts, setting);
  if (options.json) return results_as_json(options, results);
  return results_as_text(options, results, setting.for_terminal);
}

}  // namespace gloss
