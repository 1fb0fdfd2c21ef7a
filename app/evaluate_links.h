#pragma once

#include <string>

#include "evaluate_options.h"

namespace gloss {

/// The report of links against gold links: precision, recall, error rate and F1. DataError if the files differ in
/// their numbers of lines, or there are none.
std::string links_report(const EvaluateOptions& options);

}  // namespace gloss
