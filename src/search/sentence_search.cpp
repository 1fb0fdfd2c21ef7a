#include "search/sentence_search.h"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "core/error.h"
#include "core/special_tokens.h"

namespace gloss {

bool is_better(const Hypothesis& left, const Hypothesis& right) {
  if (left.score != right.score) return left.score > right.score;
  if (left.ids.size() != right.ids.size()) return left.ids.size() < right.ids.size();
  return left.ids < right.ids;
}

double length_normalized(double log_probability, int64_t length, double penalty) {
  if (penalty == 0.0 || length < 1) return log_probability;
  return log_probability / std::pow(static_cast<double>(length), penalty);
}

void check_number(double log_probability) {
  if (std::isnan(log_probability))
    throw CheckpointError(
        "model: its probabilities are not numbers (NaN), the weights are broken; use an earlier checkpoint");
}

SentenceSearch::SentenceSearch(const SearchOptions& options, int64_t limit)
    : options_(options), limit_(limit) {
  live_.push_back({.log_probability = 0.0, .token = kBos, .parent = 0, .node = -1});
}

void SentenceSearch::rank_candidates(std::span<const int64_t> ids, std::span<const float> log_probabilities,
                                     int64_t k) {
  candidates_.clear();
  for (size_t parent = 0; parent < live_.size(); ++parent) {
    for (size_t i = parent * static_cast<size_t>(k); i < (parent + 1) * static_cast<size_t>(k); ++i) {
      check_number(log_probabilities[i]);
      const auto id = static_cast<int32_t>(ids[i]);
      if (id == kPad || id == kBos || std::isinf(log_probabilities[i])) continue;
      candidates_.push_back({.log_probability = live_[parent].log_probability + log_probabilities[i],
                             .parent = static_cast<int32_t>(parent),
                             .id = id});
    }
  }
  // Only the best `beam` may end, and beside them the best `beam` that go on are wanted: at most live_.size() end.
  const auto needed = std::min(candidates_.size(), static_cast<size_t>(options_.beam_size) + live_.size());
  std::partial_sort(candidates_.begin(), candidates_.begin() + static_cast<std::ptrdiff_t>(needed),
                    candidates_.end(), [](const Candidate& left, const Candidate& right) {
                      return std::tie(right.log_probability, left.parent, left.id) <
                             std::tie(left.log_probability, right.parent, right.id);
                    });
  candidates_.resize(needed);
}

void SentenceSearch::advance(std::span<const int64_t> ids, std::span<const float> log_probabilities,
                             int64_t k) {
  ++steps_;
  rank_candidates(ids, log_probabilities, k);
  const auto beam = static_cast<size_t>(options_.beam_size);
  std::vector<Live> next;
  for (size_t rank = 0; rank < candidates_.size(); ++rank) {
    const auto& candidate = candidates_[rank];
    const int32_t parent_node = live_[static_cast<size_t>(candidate.parent)].node;
    if (candidate.id == kEos) {
      if (rank >= beam) continue;
      finished_.push_back(
          {.ids = tokens(parent_node),
           .log_probability = candidate.log_probability,
           .score = length_normalized(candidate.log_probability, steps_, options_.length_penalty)});
    } else if (next.size() < beam && steps_ <= limit_) {
      nodes_.push_back({.token = candidate.id, .parent = parent_node});
      next.push_back({.log_probability = candidate.log_probability,
                      .token = candidate.id,
                      .parent = candidate.parent,
                      .node = static_cast<int32_t>(nodes_.size()) - 1});
    }
  }
  if (next.empty()) cut_ = std::move(live_);
  live_ = std::move(next);
}

bool SentenceSearch::done() const {
  if (live_.empty() || finished_.size() >= static_cast<size_t>(options_.beam_size)) return true;
  const auto wanted = static_cast<size_t>(options_.n_best);
  if (finished_.size() < wanted) return false;
  std::vector<double> scores;
  for (const auto& hypothesis : finished_) scores.push_back(hypothesis.score);
  const auto last_wanted = scores.begin() + static_cast<std::ptrdiff_t>(wanted) - 1;
  std::nth_element(scores.begin(), last_wanted, scores.end(), std::greater<>());
  // A log-probability that rounding left above 0 could only rise by being divided less: shortest length then.
  const double highest = live_.front().log_probability;
  const int64_t favourable_length = highest <= 0.0 ? limit_ + 1 : steps_ + 1;
  return *last_wanted >= length_normalized(highest, favourable_length, options_.length_penalty);
}

std::vector<Hypothesis> SentenceSearch::results() const {
  auto hypotheses = finished_;
  if (hypotheses.empty()) {
    for (const auto& hypothesis : live_.empty() ? cut_ : live_) {
      auto ids = tokens(hypothesis.node);
      const auto length = static_cast<int64_t>(ids.size());
      hypotheses.push_back(
          {.ids = std::move(ids),
           .log_probability = hypothesis.log_probability,
           .score = length_normalized(hypothesis.log_probability, length, options_.length_penalty),
           .is_finished = false});
    }
  }
  std::sort(hypotheses.begin(), hypotheses.end(), is_better);
  if (hypotheses.size() > static_cast<size_t>(options_.n_best))
    hypotheses.resize(static_cast<size_t>(options_.n_best));
  return hypotheses;
}

std::vector<int32_t> SentenceSearch::tokens(int32_t node) const {
  std::vector<int32_t> reversed;
  for (; node >= 0; node = nodes_[static_cast<size_t>(node)].parent)
    reversed.push_back(nodes_[static_cast<size_t>(node)].token);
  return {reversed.rbegin(), reversed.rend()};
}

}  // namespace gloss
