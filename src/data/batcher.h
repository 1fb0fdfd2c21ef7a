#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "data/batch.h"
#include "data/corpus.h"

namespace gloss {

/// The pairs of one batch, by their number in the corpus. Lengths count </s>.
struct BatchPlan {
  std::vector<uint32_t> pairs;
  int64_t source_length = 0;
  int64_t target_length = 0;
};

/// Order of an epoch: every pair of the corpus exactly once.
///
/// Pairs are shuffled, sorted by (target length, source length) within pools of 100,000, cut into batches of at most
/// `batch_tokens` target positions (pairs × longest target) and at most 5/4 of that many source positions, and the
/// batches are shuffled. A pair over the budget makes a batch of its own. The plan is a function of the lengths, the
/// budget, the seed and the epoch, so (epoch, index of the batch) is all that a resumed run needs.
std::vector<BatchPlan> plan_epoch(const EncodedCorpus& corpus, int64_t batch_tokens, uint64_t seed,
                                  int64_t epoch);

/// Hands out the batches of a plan in its order from `start` on, while a thread reads and lays out the next ones.
class BatchStream {
 public:
  /// The corpus must outlive the stream.
  BatchStream(const EncodedCorpus& corpus, std::vector<BatchPlan> plan, size_t start = 0);
  BatchStream(const BatchStream&) = delete;
  BatchStream& operator=(const BatchStream&) = delete;
  ~BatchStream();

  /// Nothing at the end of the plan. Rethrows what went wrong in the thread.
  std::optional<Batch> next();

  /// Number of batches in the whole plan, and of the batch that next() gives next.
  size_t size() const { return plan_.size(); }
  size_t position() const { return position_; }

 private:
  void prepare();

  const EncodedCorpus& corpus_;
  const std::vector<BatchPlan> plan_;
  size_t position_;  // consumer's side only
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Batch> ready_;
  std::exception_ptr failure_;
  bool stopped_ = false;
  std::thread thread_;  // last: starts when all else is there
};

/// Groups of line numbers for translation, longest lines first: in each group lines × longest ≤ batch_tokens, or
/// the group is one line. `lengths` as the model sees them (</s> counted).
std::vector<std::vector<size_t>> batch_by_length(const std::vector<size_t>& lengths, int64_t batch_tokens);

}  // namespace gloss
