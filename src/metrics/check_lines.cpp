#include "metrics/check_lines.h"

#include "core/error.h"

namespace gloss {

void check_lines(const std::string& metric, const std::vector<std::string>& hypotheses,
                 const std::vector<std::vector<std::string>>& references) {
  if (references.empty()) throw DataError(metric + ": no reference; give at least one");
  if (hypotheses.empty()) throw DataError(metric + ": no line to score; give a hypothesis that isn't empty");
  for (size_t r = 0; r < references.size(); ++r)
    if (references[r].size() != hypotheses.size())
      throw DataError(metric + ": " + std::to_string(hypotheses.size()) + " hypotheses, but reference " +
                      std::to_string(r + 1) + " has " + std::to_string(references[r].size()) +
                      " lines; give equal numbers");
}

}  // namespace gloss
