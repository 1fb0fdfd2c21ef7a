#include "evaluate.h"

#include <unistd.h>

#include <algorithm>
#include <memory>

#include "command.h"
#include "core/error.h"
#include "core/file.h"
#include "evaluate_links.h"
#include "evaluate_metrics.h"
#include "evaluate_report.h"
#include "evaluate_texts.h"
#include "process.h"

namespace gloss {
namespace {

[[noreturn]] void refuse(const std::string& what) { throw UsageError("evaluate: " + what); }

void check_significance(const EvaluateOptions& options) {
  const auto& tests = options.significance;
  const bool is_drawn = tests.confidence || tests.paired_bs || tests.paired_ar || !tests.baseline.empty();
  if (tests.baseline.empty() && (tests.paired_bs || tests.paired_ar))
    refuse("--paired-bs and --paired-ar compare with another system; give --baseline FILE");
  if (tests.confidence && tests.resamples_pairs())
    refuse("--confidence is part of --paired-bs already, with --paired-bs-n resamples; leave it out");
  if (options.sentence_level && is_drawn)
    refuse("--sentence-level doesn't go with --baseline or --confidence; tests need the whole text");
  if (!options.gold.empty() && is_drawn)
    refuse("--gold doesn't go with --baseline or --confidence; links have no tests yet");
}

/// Stdin can be read once.
void check_inputs(const EvaluateOptions& options) {
  const auto is_stdin = [](const std::string& path) { return path.empty() || path == "-"; };
  auto inputs = std::count_if(options.reference.begin(), options.reference.end(), is_stdin);
  inputs += is_stdin(options.hypothesis);
  inputs += options.significance.baseline == "-";
  if (inputs > 1) refuse("only one of --hypothesis, --reference and --baseline can be stdin; name files");
}

}  // namespace

void EvaluateOptions::validate() const {
  if (reference.empty() && gold.empty())
    refuse("nothing to compare with; give --reference FILE, or --gold FILE for links");
  if (!reference.empty() && !gold.empty())
    refuse("--reference and --gold exclude each other; text has references, links have gold links");
  if (!gold.empty() && sentence_level)
    refuse("--sentence-level doesn't go with --gold; alignment error rates are sums over the corpus");
  check_significance(*this);
  check_inputs(*this);
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

Command evaluate_command() {
  return {"evaluate", "BLEU, chrF and TER as sacreBLEU computes them; error rates of alignments",
          [](Fields& fields) {
            auto options = std::make_shared<EvaluateOptions>();
            fields.add(*options, "Evaluate");
            return Command::Run([options](const SharedOptions& shared) {
              const auto report = evaluate_report(*options, {.seed = shared.seed,
                                                             .threads = computation_threads(),
                                                             .for_terminal = isatty(STDOUT_FILENO) == 1});
              OutputStream output("-");
              output.write(report);
              output.close();
              return 0;
            });
          }};
}

}  // namespace gloss
