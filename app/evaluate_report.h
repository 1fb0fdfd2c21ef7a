#pragma once

#include <string>

#include "evaluate_options.h"
#include "report_setting.h"

namespace gloss {

/// What `gloss evaluate` prints, with its last LF. DataError if files have different numbers of lines or there are
/// none; UsageError from validate().
///
/// Of translations, a line for each metric (with a baseline: two, its own first), its columns separated by tabs: name,
/// file (with a baseline), score, mean and half width of the 95 % interval (where resampled), p-values of bootstrap
/// and randomisation (where asked for), signature. The same as an aligned table with a head for a terminal. With
/// sentence_level CSV as of RFC 4180, its lines ended by LF. With gold a line `name<TAB>value` for each of precision,
/// recall, aer and f1.
std::string evaluate_report(const EvaluateOptions& options, const ReportSetting& setting);

}  // namespace gloss
