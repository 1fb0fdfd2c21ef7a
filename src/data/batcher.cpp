#include "data/batcher.h"

#include <algorithm>
#include <numeric>
#include <tuple>
#include <utility>

#include "core/error.h"
#include "core/random.h"

namespace gloss {
namespace {

constexpr size_t kPoolPairs = 100'000;
constexpr size_t kBatchesAhead = 4;

class PlanWriter {
 public:
  PlanWriter(const EncodedCorpus& corpus, int64_t batch_tokens)
      : corpus_(corpus), target_budget_(batch_tokens), source_budget_(batch_tokens + batch_tokens / 4) {}

  void add(uint32_t pair) {
    const int64_t source = corpus_.source_length(pair) + 1;
    const int64_t target = corpus_.target_length(pair) + 1;
    const auto count = static_cast<int64_t>(batch_.pairs.size()) + 1;
    if (count * std::max(batch_.target_length, target) > target_budget_ ||
        count * std::max(batch_.source_length, source) > source_budget_)
      close();
    batch_.pairs.push_back(pair);
    batch_.source_length = std::max(batch_.source_length, source);
    batch_.target_length = std::max(batch_.target_length, target);
  }

  void close() {
    if (!batch_.pairs.empty()) plan.push_back(std::exchange(batch_, {}));
  }

  std::vector<BatchPlan> plan;

 private:
  const EncodedCorpus& corpus_;
  int64_t target_budget_;
  int64_t source_budget_;
  BatchPlan batch_;
};

}  // namespace

std::vector<BatchPlan> plan_epoch(const EncodedCorpus& corpus, int64_t batch_tokens, uint64_t seed,
                                  int64_t epoch) {
  if (corpus.size() > UINT32_MAX) throw DataError("more than 4,294,967,295 pairs; split the corpus");
  std::vector<uint32_t> order(corpus.size());
  std::iota(order.begin(), order.end(), uint32_t{0});
  Random random(mix(seed, static_cast<uint64_t>(epoch)));
  random.shuffle(order);
  PlanWriter writer(corpus, batch_tokens);
  for (size_t begin = 0; begin < order.size(); begin += kPoolPairs) {
    const auto first = order.begin() + static_cast<int64_t>(begin);
    const auto last = order.begin() + static_cast<int64_t>(std::min(begin + kPoolPairs, order.size()));
    // Stable: pairs of the same lengths stay in their shuffled order.
    std::stable_sort(first, last, [&](uint32_t a, uint32_t b) {
      return std::tuple(corpus.target_length(a), corpus.source_length(a)) <
             std::tuple(corpus.target_length(b), corpus.source_length(b));
    });
    std::for_each(first, last, [&](uint32_t pair) { writer.add(pair); });
    writer.close();
  }
  random.shuffle(writer.plan);
  return std::move(writer.plan);
}

BatchStream::BatchStream(const EncodedCorpus& corpus, std::vector<BatchPlan> plan, size_t start)
    : corpus_(corpus),
      plan_(std::move(plan)),
      position_(std::min(start, plan_.size())),
      thread_([this] { prepare(); }) {}

BatchStream::~BatchStream() {
  {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void BatchStream::prepare() {
  try {
    for (size_t i = position_; i < plan_.size(); ++i) {
      std::vector<EncodedPair> pairs;
      for (const uint32_t pair : plan_[i].pairs) pairs.push_back(corpus_.pair(pair));
      Batch batch = make_batch(pairs);
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [this] { return stopped_ || ready_.size() < kBatchesAhead; });
      if (stopped_) return;
      ready_.push_back(std::move(batch));
      changed_.notify_all();
    }
  } catch (...) {
    const std::lock_guard lock(mutex_);
    failure_ = std::current_exception();
    changed_.notify_all();
  }
}

std::optional<Batch> BatchStream::next() {
  if (position_ == plan_.size()) return std::nullopt;
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return !ready_.empty() || failure_; });
  if (ready_.empty()) std::rethrow_exception(failure_);
  Batch batch = std::move(ready_.front());
  ready_.pop_front();
  ++position_;
  changed_.notify_all();
  return batch;
}

std::vector<std::vector<size_t>> batch_by_length(const std::vector<size_t>& lengths, int64_t batch_tokens) {
  std::vector<size_t> order(lengths.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return lengths[a] > lengths[b]; });
  std::vector<std::vector<size_t>> groups;
  for (const size_t line : order) {
    // The first line of a group is its longest.
    const bool fits = !groups.empty() &&
                      static_cast<int64_t>((groups.back().size() + 1) *
                                           std::max<size_t>(lengths[groups.back()[0]], 1)) <= batch_tokens;
    if (fits)
      groups.back().push_back(line);
    else
      groups.push_back({line});
  }
  return groups;
}

}  // namespace gloss
