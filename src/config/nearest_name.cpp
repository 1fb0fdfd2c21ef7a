#include "config/nearest_name.h"

#include <algorithm>

namespace gloss {
namespace {

/// Optimal string alignment distance, by rows.
size_t slips(const std::string& a, const std::string& b) {
  std::vector<size_t> before(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = std::min(row[j], before[j - 2] + 1);
    }
    before.swap(last);
    last.swap(row);
  }
  return last[b.size()];
}

}  // namespace

std::string nearest_name(const std::string& name, const std::vector<std::string>& names) {
  std::string best;
  auto fewest = std::max<size_t>(2, name.size() / 3) + 1;
  for (const auto& candidate : names) {
    auto count = slips(name, candidate);
    if (name.size() >= 3 && candidate.starts_with(name)) count = std::min<size_t>(count, 1);
    // Half of a short name replaced is another name, not a slip.
    if (count < fewest && 2 * count <= std::max(name.size(), candidate.size())) {
      fewest = count;
      best = candidate;
    }
  }
  return best;
}

std::string did_you_mean(const std::string& name, const std::vector<std::string>& names,
                         const std::string& prefix) {
  const auto nearest = nearest_name(name, names);
  return nearest.empty() ? "" : "; did you mean '" + prefix + nearest + "'?";
}

}  // namespace gloss
