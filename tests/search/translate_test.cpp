#include "search/translate.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "chain_model.h"
#include "core/error.h"
#include "search/batch_tensors.h"
#include "search/force_decode.h"
#include "support/catch.h"

using namespace gloss;
using namespace gloss::test;

namespace {

std::vector<Table> tables() { return {random_table(11), random_table(12), random_table(13)}; }

Memory memory_of_lengths(ChainModel& model, const std::vector<int64_t>& kinds,
                         const std::vector<int64_t>& lengths) {
  const auto longest = *std::max_element(lengths.begin(), lengths.end());
  const auto count = static_cast<int64_t>(kinds.size());
  auto source = at::zeros({count, longest}, at::kLong);
  source.select(1, 0).copy_(torch::tensor(kinds, at::kLong));
  return model.encode(source, torch::tensor(lengths, at::kLong));
}

/// Pairs whose sources are in a memory already.
std::vector<EncodedPair> pairs_of(const std::vector<std::vector<int32_t>>& targets) {
  std::vector<EncodedPair> pairs;
  for (const auto& target : targets) pairs.push_back({.source = {}, .target = target});
  return pairs;
}

}  // namespace

TEST_CASE("tensors of a batch are what the batch says", "[search][batch][unit]") {
  auto batch = make_batch({{{4, 5, 6}, {7, 8}, 0}, {{9}, {}, 1}, {{}, {5, 6, 7, 8}, 2}});
  const auto copy = batch;
  const auto tensors = to_tensors(batch, at::kCPU);
  CHECK(tensors.source.sizes() == at::IntArrayRef({copy.size, copy.source_length}));
  CHECK(at::equal(tensors.source.flatten(), at::tensor(copy.source)));
  CHECK(at::equal(tensors.target_in.flatten(), at::tensor(copy.target_in)));
  CHECK(at::equal(tensors.target_out.flatten(), at::tensor(copy.target_out)));
  CHECK(at::equal(tensors.lengths, at::tensor(copy.source_lengths)));
  CHECK(copy.padding_cells() ==
        (tensors.source == kPad).sum().item<int64_t>() + (tensors.target_out == kPad).sum().item<int64_t>());
}

TEST_CASE("forced decoding gives each token the probability of the table, the end mark too",
          "[search][property]") {
  ChainModel model(tables());
  const std::vector<std::vector<int32_t>> targets{{kA, kC, kC}, {}, {kB}};
  const auto memory = memory_of_lengths(model, {0, 1, 2}, {2, 1, 4});
  const auto forced = force_decode(model, memory, pairs_of(targets), std::nullopt);
  REQUIRE(forced.size() == 3);
  for (size_t i = 0; i < targets.size(); ++i) {
    CAPTURE(i);
    auto with_end = targets[i];
    with_end.push_back(kEos);
    REQUIRE(forced[i].log_probability.size() == with_end.size());
    CHECK(forced[i].attention.empty());
    size_t before = kBos, previous = kBos;
    for (size_t t = 0; t < with_end.size(); ++t) {
      const auto word = static_cast<size_t>(with_end[t]);
      const double expected = std::log(tables()[i][before][previous][word]);
      CHECK(forced[i].log_probability[t] == Approx(expected).margin(1e-5));
      before = previous;
      previous = word;
    }
  }
}

TEST_CASE("forced attention is cut to the true lengths and its rows sum to 1", "[search][property]") {
  ChainModel model(tables());
  const std::vector<int64_t> lengths{2, 5, 1};
  const std::vector<std::vector<int32_t>> targets{{kA, kB, kC}, {kC}, {}};
  const auto memory = memory_of_lengths(model, {0, 1, 2}, lengths);
  const auto forced = force_decode(model, memory, pairs_of(targets), AttentionChoice());
  for (size_t i = 0; i < targets.size(); ++i) {
    CAPTURE(i);
    const auto rows = static_cast<int64_t>(targets[i].size()) + 1;
    REQUIRE(forced[i].attention.size() == static_cast<size_t>(rows * lengths[i]));
    for (int64_t row = 0; row < rows; ++row) {
      // The toy model looks at position (previous word) mod (source length).
      const int64_t previous = row == 0 ? kBos : targets[i][static_cast<size_t>(row) - 1];
      for (int64_t column = 0; column < lengths[i]; ++column) {
        const double expected =
            0.25 / static_cast<double>(lengths[i]) + (column == previous % lengths[i] ? 0.75 : 0.0);
        CHECK(forced[i].attention[static_cast<size_t>(row * lengths[i] + column)] ==
              Approx(expected).margin(1e-6));
      }
    }
  }
}

TEST_CASE("a row of shifted attention is that of the step after", "[search][property]") {
  ChainModel model(tables());
  const auto memory = memory_of_lengths(model, {0, 1}, {2, 5});
  const auto pairs = pairs_of({{kA, kB, kC}, {kC}});
  const auto written = force_decode(model, memory, pairs, AttentionChoice());
  const auto read = force_decode(model, memory, pairs, AttentionChoice{.shift = true});
  for (size_t i = 0; i < pairs.size(); ++i) {
    CHECK(read[i].log_probability == written[i].log_probability);
    const auto& rows = written[i].attention;
    const auto columns = static_cast<std::ptrdiff_t>(rows.size() / (pairs[i].target.size() + 1));
    REQUIRE(read[i].attention.size() == rows.size());
    CHECK(std::equal(rows.begin() + columns, rows.end(), read[i].attention.begin()));
    // Behind them is the row of the step that reads </s>: position 3 mod 2, and 3 mod 5.
    const auto last = read[i].attention.end() - columns;
    CHECK(std::max_element(last, read[i].attention.end()) - last == kEos % columns);
  }
}

TEST_CASE("no targets give no results", "[search][unit]") {
  ChainModel model(tables());
  auto memory = memory_of(model, {0}).select(at::zeros({0}, at::kLong));
  CHECK(force_decode(model, memory, {}, AttentionChoice()).empty());
}

TEST_CASE("translations come in the order of their sources, whatever the batches", "[search][property]") {
  ChainModel model(tables());
  // The first id chooses the table; the rest only makes the lengths differ.
  const std::vector<std::vector<int32_t>> sources{
      {0, 4, 4, 4, 4, 4}, {1}, {2, 4, 4}, {1, 4, 4, 4, 4, 4, 4, 4}, {0, 4}, {2}, {1, 5}};
  TranslateOptions options;
  options.search.n_best = 3;
  options.attention = AttentionChoice();
  std::vector<Translation> alone;
  for (const auto& source : sources) alone.push_back(translate(model, {source}, options).front());
  for (const int64_t tokens : {1, 9, 16, 4096}) {
    CAPTURE(tokens);
    options.batch_tokens = tokens;
    const auto together = translate(model, sources, options);
    REQUIRE(together.size() == sources.size());
    for (size_t i = 0; i < sources.size(); ++i) {
      CAPTURE(i);
      REQUIRE(together[i].n_best.size() == alone[i].n_best.size());
      for (size_t n = 0; n < alone[i].n_best.size(); ++n) {
        CHECK(together[i].n_best[n].ids == alone[i].n_best[n].ids);
        CHECK(together[i].n_best[n].score == Approx(alone[i].n_best[n].score).margin(1e-5));
      }
      CHECK(together[i].attention.size() ==
            (together[i].n_best.front().ids.size() + 1) * (sources[i].size() + 1));
    }
  }
}

TEST_CASE("a hypothesis' log-probability is what forced decoding gives it", "[search][property]") {
  ChainModel model(tables());
  TranslateOptions options;
  options.search.n_best = options.search.beam_size;
  for (const int32_t kind : {0, 1, 2}) {
    const auto translation = translate(model, {{kind, 4}}, options).front();
    CHECK(translation.attention.empty());
    for (const auto& hypothesis : translation.n_best) {
      const auto forced =
          force_decode(model, memory_of(model, {kind}), pairs_of({hypothesis.ids}), std::nullopt).front();
      const auto& tokens = forced.log_probability;
      const double total = std::accumulate(tokens.begin(), tokens.end(), 0.0);
      CHECK(hypothesis.log_probability == Approx(total).margin(1e-5));
    }
  }
}

TEST_CASE("an empty list of sources is no work and an empty source is translated", "[search][unit]") {
  auto table = random_table(1);
  ChainModel model({table, table, table, table});  // a bare </s> has id 3, which chooses the fourth
  CHECK(translate(model, {}, TranslateOptions()).empty());
  const auto found = translate(model, {{}}, TranslateOptions());
  REQUIRE(found.size() == 1);
  CHECK_FALSE(found.front().n_best.empty());
}

TEST_CASE("translate puts the model in eval mode and refuses contradicting options", "[search][unit]") {
  ChainModel model(tables());
  model.train();
  translate(model, {{0}}, TranslateOptions());
  CHECK_FALSE(model.is_training());
  TranslateOptions options;
  options.search.n_best = 9;
  CHECK_THROWS_AS(translate(model, {{0}}, options), UsageError);
}
