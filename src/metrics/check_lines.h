#pragma once

#include <string>
#include <vector>

namespace gloss {

/// DataError unless there are lines, references, and each reference has as many lines as the hypotheses.
/// `metric` begins the message.
void check_lines(const std::string& metric, const std::vector<std::string>& hypotheses,
                 const std::vector<std::vector<std::string>>& references);

}  // namespace gloss
