#include "evaluate_options.h"

#include <algorithm>
#include <iterator>

#include "config/fields.h"
#include "core/error.h"
#include "core/file.h"
#include "core/text.h"
#include "evaluate_metrics.h"

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
  const SignificanceOptions untouched;
  if (!tests.confidence && tests.confidence_n != untouched.confidence_n)
    refuse("--confidence-n counts the resamples of --confidence; give that too");
  if (!tests.resamples_pairs() && tests.paired_bs_n != untouched.paired_bs_n)
    refuse("--paired-bs-n counts the resamples of --paired-bs; give that and --baseline too");
  if (!tests.swaps_pairs() && tests.paired_ar_n != untouched.paired_ar_n)
    refuse("--paired-ar-n counts the trials of --paired-ar; give that and --baseline too");
  if (options.sentence_level && is_drawn)
    refuse("--sentence-level doesn't go with --baseline or --confidence; tests need the whole text");
  if (!options.gold.empty() && is_drawn)
    refuse("--gold doesn't go with --baseline or --confidence; links have no tests yet");
}

/// What the other kind of evaluation, or another smoothing, would read.
void check_unread(const EvaluateOptions& options) {
  const EvaluateOptions untouched;
  const bool has_links = !options.gold.empty();
  if (!has_links && options.gold_base != untouched.gold_base)
    refuse("--gold-base says how --gold counts words; give that too, or leave it out");
  if (has_links && options.metrics != untouched.metrics)
    refuse("--metrics are of texts, and --gold is of links; leave one of them out");
  for (const auto& names :
       {changed_options(options.bleu), changed_options(options.chrf), changed_options(options.ter)})
    if (has_links && !names.empty())
      refuse("--" + names.front() + " is of texts, and --gold is of links; leave one of them out");
  const auto& method = options.bleu.smooth_method;
  if (options.bleu.smooth_value != untouched.bleu.smooth_value && !bleu_smoothing_has_value(method)) {
    std::vector<std::string> readers;
    std::ranges::copy_if(bleu_smoothing_names(), std::back_inserter(readers), bleu_smoothing_has_value);
    refuse("--smooth-value is read by --smooth-method " + join(readers, " and ") + ", not by " + method +
           "; choose one of them, or leave it out");
  }
}

/// Stdin can be read once.
void check_inputs(const EvaluateOptions& options) {
  auto inputs = std::count_if(options.reference.begin(), options.reference.end(), is_stdin);
  inputs += is_stdin(options.hypothesis);
  for (const auto* path : {&options.significance.baseline, &options.gold})
    inputs += !path->empty() && is_stdin(*path);
  if (inputs > 1)
    refuse("only one of --hypothesis, --reference, --baseline and --gold can be stdin; name files");
}

}  // namespace

void EvaluateOptions::validate() const {
  if (reference.empty() && gold.empty())
    refuse("nothing to compare with; give --reference FILE, or --gold FILE for links");
  if (!reference.empty() && !gold.empty())
    refuse("--reference and --gold exclude each other; text has references, links have gold links");
  if (!gold.empty() && sentence_level)
    refuse("--sentence-level doesn't go with --gold; alignment error rates are sums over the corpus");
  check_unread(*this);
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

}  // namespace gloss
