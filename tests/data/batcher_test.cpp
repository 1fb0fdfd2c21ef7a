#include "data/batcher.h"

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include "core/error.h"
#include "core/random.h"
#include "core/special_tokens.h"
#include "support/catch.h"

using namespace gloss;

namespace {

/// `size` pairs of 1 … longest pieces, ids that tell the pair.
EncodedCorpus make_corpus(size_t size, uint64_t longest, uint64_t seed = 1) {
  EncodedCorpus corpus;
  Random random(seed);
  for (size_t i = 0; i < size; ++i)
    corpus.append({std::vector<int32_t>(1 + random.below(longest), static_cast<int32_t>(4 + i)),
                   std::vector<int32_t>(1 + random.below(longest), static_cast<int32_t>(4 + i)),
                   static_cast<int64_t>(i)});
  corpus.finish();
  return corpus;
}

std::vector<uint32_t> order_of(const std::vector<BatchPlan>& plan) {
  std::vector<uint32_t> order;
  for (const auto& batch : plan) order.insert(order.end(), batch.pairs.begin(), batch.pairs.end());
  return order;
}

std::vector<std::vector<int64_t>> drain(BatchStream& stream) {
  std::vector<std::vector<int64_t>> lines;
  while (auto batch = stream.next()) lines.push_back(batch->lines);
  return lines;
}

}  // namespace

TEST_CASE("a batch is padded rectangles with the end mark before the padding", "[data][batch][unit]") {
  const auto batch = make_batch({{{5, 6}, {7}, 3}, {{8}, {9, 10, 11}, 9}});
  CHECK(batch.size == 2);
  CHECK(batch.source_length == 3);
  CHECK(batch.target_length == 4);
  CHECK(batch.source == std::vector<int64_t>{5, 6, kEos, 8, kEos, kPad});
  CHECK(batch.target_in == std::vector<int64_t>{kBos, 7, kPad, kPad, kBos, 9, 10, 11});
  CHECK(batch.target_out == std::vector<int64_t>{7, kEos, kPad, kPad, 9, 10, 11, kEos});
  CHECK(batch.source_lengths == std::vector<int64_t>{3, 2});
  CHECK(batch.target_lengths == std::vector<int64_t>{2, 4});
  CHECK(batch.lines == std::vector<int64_t>{3, 9});
  CHECK(batch.source_tokens == 5);
  CHECK(batch.target_tokens == 6);
}

TEST_CASE("parts of a batch hold its pairs in order, each padded to its own longest rows",
          "[data][batch][property]") {
  const auto corpus = make_corpus(50, 20);
  std::vector<EncodedPair> pairs;
  for (size_t i = 0; i < corpus.size(); ++i) pairs.push_back(corpus.pair(i));
  const bool has_target = GENERATE(true, false);
  const auto batch = make_batch(pairs, has_target);
  const int64_t parts = GENERATE(1, 2, 7, 50, 90);
  const auto split = split_batch(batch, parts);
  CHECK(static_cast<int64_t>(split.size()) <= parts);
  size_t next = 0;
  int64_t most = 0;
  for (const auto& part : split) {
    const auto end = next + static_cast<size_t>(part.size);
    const auto expected = make_batch(
        {pairs.begin() + static_cast<int64_t>(next), pairs.begin() + static_cast<int64_t>(end)}, has_target);
    CHECK(part.source == expected.source);
    CHECK(part.target_in == expected.target_in);
    CHECK(part.target_out == expected.target_out);
    CHECK(part.source_lengths == expected.source_lengths);
    CHECK(part.target_lengths == expected.target_lengths);
    CHECK(part.lines == expected.lines);
    CHECK(part.target_tokens == expected.target_tokens);
    most = std::max(most, part.source_tokens + part.target_tokens);
    next = end;
  }
  CHECK(next == pairs.size());
  // No part is more than the longest pair above its share.
  CHECK(most <= (batch.source_tokens + batch.target_tokens) / parts + 2 * 21 + 1);
}

TEST_CASE("empty sides hold the end mark alone", "[data][batch][unit]") {
  const auto batch = make_batch({{{}, {}, 0}});
  CHECK(batch.source == std::vector<int64_t>{kEos});
  CHECK(batch.target_in == std::vector<int64_t>{kBos});
  CHECK(batch.target_out == std::vector<int64_t>{kEos});
  const auto source_only = make_batch({{{5}, {}, 0}, {{}, {}, 1}}, /*has_target=*/false);
  CHECK(source_only.source == std::vector<int64_t>{5, kEos, kEos, kPad});
  CHECK(source_only.target_length == 0);
  CHECK(source_only.target_in.empty());
  CHECK(source_only.target_tokens == 0);
  CHECK(make_batch({}).size == 0);
}

TEST_CASE("an epoch holds every pair exactly once", "[data][batcher][property]") {
  for (size_t size : {1, 2, 100, 3000}) {
    const auto corpus = make_corpus(size, 30);
    auto order = order_of(plan_epoch(corpus, 200, 1, 0));
    std::sort(order.begin(), order.end());
    std::vector<uint32_t> all(size);
    std::iota(all.begin(), all.end(), uint32_t{0});
    CHECK(order == all);
  }
}

TEST_CASE("batches keep both budgets unless they are one pair", "[data][batcher][property]") {
  const auto corpus = make_corpus(2000, 50);
  for (int64_t budget : {1, 40, 51, 300, 4096}) {
    for (const auto& batch : plan_epoch(corpus, budget, 1, 0)) {
      int64_t source = 0;
      int64_t target = 0;
      for (const auto pair : batch.pairs) {
        source = std::max(source, corpus.source_length(pair) + 1);
        target = std::max(target, corpus.target_length(pair) + 1);
      }
      CHECK(batch.source_length == source);
      CHECK(batch.target_length == target);
      const auto count = static_cast<int64_t>(batch.pairs.size());
      CHECK((count == 1 || count * target <= budget));
      CHECK((count == 1 || count * source <= budget + budget / 4));
    }
  }
}

TEST_CASE("the same seed and epoch give the same plan, others give others", "[data][batcher][property]") {
  const auto corpus = make_corpus(1000, 30);
  const auto plan = order_of(plan_epoch(corpus, 300, 1, 0));
  CHECK(plan == order_of(plan_epoch(corpus, 300, 1, 0)));
  CHECK(plan != order_of(plan_epoch(corpus, 300, 1, 1)));
  CHECK(plan != order_of(plan_epoch(corpus, 300, 2, 0)));
}

TEST_CASE("pairs of equal length meet other partners in the next epoch", "[data][batcher][property]") {
  EncodedCorpus corpus;
  for (int64_t i = 0; i < 1000; ++i) corpus.append({{4, 5}, {6, 7}, i});
  corpus.finish();
  auto first = plan_epoch(corpus, 30, 1, 0)[0].pairs;
  std::sort(first.begin(), first.end());
  size_t same = 0;
  for (auto batch : plan_epoch(corpus, 30, 1, 1)) {
    std::sort(batch.pairs.begin(), batch.pairs.end());
    same += batch.pairs == first;
  }
  CHECK(same == 0);
}

TEST_CASE("sorting by length keeps padding small and batches are not in order of length",
          "[data][batcher][property]") {
  const auto corpus = make_corpus(5000, 50);
  const auto plan = plan_epoch(corpus, 1000, 1, 0);
  int64_t cells = 0, tokens = 0;
  for (const auto& batch : plan) {
    cells += static_cast<int64_t>(batch.pairs.size()) * batch.target_length;
    for (const auto pair : batch.pairs) tokens += corpus.target_length(pair) + 1;
  }
  CHECK(static_cast<double>(tokens) > 0.95 * static_cast<double>(cells));
  CHECK_FALSE(std::is_sorted(plan.begin(), plan.end(),
                             [](const auto& a, const auto& b) { return a.target_length < b.target_length; }));
}

TEST_CASE("the stream gives the batches of the plan in its order", "[data][batcher][property]") {
  const auto corpus = make_corpus(500, 20);
  const auto plan = plan_epoch(corpus, 100, 1, 0);
  BatchStream stream(corpus, plan);
  CHECK(stream.size() == plan.size());
  for (size_t i = 0; i < plan.size(); ++i) {
    CHECK(stream.position() == i);
    const auto batch = stream.next();
    REQUIRE(batch);
    REQUIRE(batch->lines.size() == plan[i].pairs.size());
    CHECK(batch->source_length == plan[i].source_length);
    CHECK(batch->target_length == plan[i].target_length);
    CHECK(batch->padding_cells() == std::count(batch->source.begin(), batch->source.end(), kPad) +
                                        std::count(batch->target_out.begin(), batch->target_out.end(), kPad));
    for (size_t row = 0; row < plan[i].pairs.size(); ++row) {
      CHECK(batch->lines[row] == plan[i].pairs[row]);
      CHECK(batch->source[row * static_cast<size_t>(batch->source_length)] == 4 + plan[i].pairs[row]);
    }
  }
  CHECK_FALSE(stream.next());
  CHECK_FALSE(stream.next());
}

TEST_CASE("a resumed stream gives the rest of the interrupted one", "[data][batcher][property]") {
  const auto corpus = make_corpus(500, 20);
  BatchStream whole(corpus, plan_epoch(corpus, 100, 1, 2));
  const auto all = drain(whole);
  for (size_t start : {size_t{0}, size_t{1}, all.size() / 2, all.size() - 1, all.size(), all.size() + 5}) {
    BatchStream rest(corpus, plan_epoch(corpus, 100, 1, 2), start);
    const auto from = all.begin() + static_cast<int64_t>(std::min(start, all.size()));
    CHECK(drain(rest) == std::vector<std::vector<int64_t>>(from, all.end()));
  }
}

TEST_CASE("a stream can be left at any time", "[data][batcher][unit]") {
  const auto corpus = make_corpus(2000, 20);
  const auto plan = plan_epoch(corpus, 50, 1, 0);
  for (int taken : {0, 1, 7}) {
    BatchStream stream(corpus, plan);
    for (int i = 0; i < taken; ++i) CHECK(stream.next());
  }
}

TEST_CASE("what goes wrong in the stream's thread reaches the consumer", "[data][batcher][unit]") {
  const auto corpus = make_corpus(10, 5);
  BatchPlan good;
  good.pairs = {0, 1};
  BatchPlan bad;
  bad.pairs = {99};
  BatchStream stream(corpus, {good, bad});
  CHECK(stream.next());
  CHECK_THROWS_AS(stream.next(), std::out_of_range);
}

TEST_CASE("translation groups hold every line once, longest first, within the budget",
          "[data][batcher][property]") {
  Random random(4);
  for (size_t count : {0, 1, 50, 1000}) {
    std::vector<size_t> lengths;
    for (size_t i = 0; i < count; ++i) lengths.push_back(random.below(60));
    for (int64_t budget : {1, 30, 500}) {
      std::vector<size_t> seen;
      size_t before = 1000;
      for (const auto& group : batch_by_length(lengths, budget)) {
        REQUIRE(!group.empty());
        size_t longest = 0;
        for (const size_t line : group) longest = std::max(longest, lengths[line]);
        CHECK((group.size() == 1 || static_cast<int64_t>(group.size() * longest) <= budget));
        CHECK(longest <= before);
        before = longest;
        seen.insert(seen.end(), group.begin(), group.end());
      }
      std::sort(seen.begin(), seen.end());
      std::vector<size_t> all(count);
      std::iota(all.begin(), all.end(), size_t{0});
      CHECK(seen == all);
    }
  }
}
