#include "align/aer.h"

#include <algorithm>
#include <string>

#include "core/error.h"

namespace gloss {
namespace {

double ratio(double part, double whole) { return whole == 0 ? 1.0 : part / whole; }

std::vector<Link> as_set(std::vector<Link> links) {
  std::ranges::sort(links);
  links.erase(std::unique(links.begin(), links.end()), links.end());
  return links;
}

}  // namespace

AerScore alignment_error_rate(const std::vector<std::vector<Link>>& links,
                              const std::vector<SentenceLinks>& gold) {
  if (links.size() != gold.size())
    throw DataError("aer: " + std::to_string(links.size()) + " sentences, but " +
                    std::to_string(gold.size()) + " gold sentences; give equal numbers");
  double all = 0.0;
  double sure = 0.0;
  double all_sure = 0.0;
  double all_possible = 0.0;
  for (size_t i = 0; i < links.size(); ++i) {
    const auto found = as_set(links[i]);
    const auto sure_links = as_set(gold[i].sure);
    const auto possible_links = as_set(gold[i].possible);
    all += static_cast<double>(found.size());
    sure += static_cast<double>(sure_links.size());
    for (const auto& link : found) {
      const bool is_sure = std::ranges::binary_search(sure_links, link);
      all_sure += is_sure;
      all_possible += is_sure || std::ranges::binary_search(possible_links, link);
    }
  }
  AerScore score;
  score.precision = ratio(all_possible, all);
  score.recall = ratio(all_sure, sure);
  score.aer = 1.0 - ratio(all_sure + all_possible, all + sure);
  const double sum = score.precision + score.recall;
  score.f1 = sum == 0 ? 0.0 : 2 * score.precision * score.recall / sum;
  return score;
}

}  // namespace gloss
