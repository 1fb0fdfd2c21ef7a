#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "search/hypothesis.h"
#include "search/search_options.h"

namespace gloss {

/// Best first: higher score, then the shorter, then the smaller ids, so that no order of computation shows.
bool is_better(const Hypothesis& left, const Hypothesis& right);

/// log_probability / length^penalty.
double length_normalized(double log_probability, int64_t length, double penalty);

/// Throws CheckpointError on NaN: a model with such weights is broken.
void check_number(double log_probability);

/// The beam of one sentence: which hypotheses live, which have finished, and when to stop. Numbers only, no tensors.
///
/// At each step the candidates of all live hypotheses are ranked together. One that ends is finished when it is among
/// the best `beam_size`; the best `beam_size` others live on. <pad> and <s> are never generated, <unk> may be.
class SentenceSearch {
 public:
  struct Live {
    double log_probability;
    int32_t token;   ///< last one
    int32_t parent;  ///< place in the beam before this step
    int32_t node;    ///< in the tree of tokens; -1 at the root
  };

  /// \param limit most pieces without the end mark
  SentenceSearch(const SearchOptions& options, int64_t limit);

  /// One step. \param ids, log_probabilities [at least live().size(), k] row-major, words offered to each live one.
  /// Words of probability 0 are passed over. Throws CheckpointError on NaN.
  void advance(std::span<const int64_t> ids, std::span<const float> log_probabilities, int64_t k);

  /// True when `beam_size` hypotheses have finished, none lives, or no live one can still enter the n best: its
  /// log-probability only falls, so at the longest allowed length it scores at most log_probability / (limit+1)^A.
  bool done() const;

  /// Best first by log-probability; one empty hypothesis at first.
  const std::vector<Live>& live() const { return live_; }

  /// The n best finished ones, best first; if nothing finished, the best living ones, cut.
  std::vector<Hypothesis> results() const;

 private:
  struct Node {
    int32_t token;
    int32_t parent;
  };
  struct Candidate {
    double log_probability;
    int32_t parent;
    int32_t id;
  };

  void rank_candidates(std::span<const int64_t> ids, std::span<const float> log_probabilities, int64_t k);
  std::vector<int32_t> tokens(int32_t node) const;

  SearchOptions options_;
  int64_t limit_;
  int64_t steps_ = 0;
  std::vector<Node> nodes_;
  std::vector<Live> live_;
  std::vector<Live> cut_;  ///< the last live ones, for when nothing finished
  std::vector<Hypothesis> finished_;
  std::vector<Candidate> candidates_;  ///< kept to reuse its memory
};

}  // namespace gloss
