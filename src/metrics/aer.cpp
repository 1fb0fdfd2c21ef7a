#include "metrics/aer.h"

#include <string>

#include "core/error.h"

namespace gloss {
namespace {

double ratio(double part, double whole) { return whole == 0 ? 1.0 : part / whole; }

}  // namespace

AerScore alignment_error_rate(const std::vector<LinkSet>& links, const std::vector<GoldLinks>& gold) {
  if (links.size() != gold.size())
    throw DataError("aer: " + std::to_string(links.size()) + " sentences, but " +
                    std::to_string(gold.size()) + " gold sentences; give equal numbers");
  double all = 0.0;
  double sure = 0.0;
  double all_sure = 0.0;
  double all_possible = 0.0;
  for (size_t i = 0; i < links.size(); ++i) {
    all += static_cast<double>(links[i].size());
    sure += static_cast<double>(gold[i].sure.size());
    for (const auto& link : links[i]) {
      const bool is_sure = gold[i].sure.contains(link);
      all_sure += is_sure;
      all_possible += is_sure || gold[i].possible.contains(link);
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
