#include "search/translate.h"

#include <algorithm>
#include <cmath>

#include "chain_model.h"
#include "core/error.h"
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

}  // namespace

TEST_CASE("forced decoding gives each token the probability of the table, the end mark too",
          "[search][property]") {
  ChainModel model(tables());
  const std::vector<std::vector<int32_t>> targets{{kA, kC, kC}, {}, {kB}};
  const auto forced = force_decode(model, memory_of_lengths(model, {0, 1, 2}, {2, 1, 4}), targets, false);
  REQUIRE(forced.size() == 3);
  for (size_t i = 0; i < targets.size(); ++i) {
    CAPTURE(i);
    auto with_end = targets[i];
    with_end.push_back(kEos);
    REQUIRE(forced[i].log_probability.size() == with_end.size());
    CHECK(forced[i].attention.empty());
    size_t before = kBos, previous = kBos;
    double total = 0.0;
    for (size_t t = 0; t < with_end.size(); ++t) {
      const auto word = static_cast<size_t>(with_end[t]);
      const double expected = std::log(tables()[i][before][previous][word]);
      CHECK(forced[i].log_probability[t] == Approx(expected).margin(1e-5));
      total += expected;
      before = previous;
      previous = word;
    }
    CHECK(forced[i].total() == Approx(total).margin(1e-5));
  }
}

TEST_CASE("forced attention is cut to the true lengths and its rows sum to 1", "[search][property]") {
  ChainModel model(tables());
  const std::vector<int64_t> lengths{2, 5, 1};
  const std::vector<std::vector<int32_t>> targets{{kA, kB, kC}, {kC}, {}};
  const auto forced = force_decode(model, memory_of_lengths(model, {0, 1, 2}, lengths), targets, true);
  for (size_t i = 0; i < targets.size(); ++i) {
    CAPTURE(i);
    CHECK(forced[i].rows == static_cast<int64_t>(targets[i].size()) + 1);
    CHECK(forced[i].columns == lengths[i]);
    REQUIRE(forced[i].attention.size() == static_cast<size_t>(forced[i].rows * forced[i].columns));
    for (int64_t row = 0; row < forced[i].rows; ++row) {
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

TEST_CASE("no targets give no results", "[search][unit]") {
  ChainModel model(tables());
  auto memory = memory_of(model, {0}).select(at::zeros({0}, at::kLong));
  CHECK(force_decode(model, memory, {}, true).empty());
}

TEST_CASE("translations come in the order of their sources, whatever the batches", "[search][property]") {
  ChainModel model(tables());
  // The first id chooses the table; the rest only makes the lengths differ.
  const std::vector<std::vector<int32_t>> sources{
      {0, 4, 4, 4, 4, 4}, {1}, {2, 4, 4}, {1, 4, 4, 4, 4, 4, 4, 4}, {0, 4}, {2}, {1, 5}};
  TranslateOptions options;
  options.search.n_best = 3;
  options.want_attention = true;
  std::vector<Translation> alone;
  for (const auto& source : sources) alone.push_back(translate(model, {source}, options, at::kCPU).front());
  for (const int64_t tokens : {1, 9, 16, 4096}) {
    CAPTURE(tokens);
    options.batch_tokens = tokens;
    const auto together = translate(model, sources, options, at::kCPU);
    REQUIRE(together.size() == sources.size());
    for (size_t i = 0; i < sources.size(); ++i) {
      CAPTURE(i);
      REQUIRE(together[i].n_best.size() == alone[i].n_best.size());
      for (size_t n = 0; n < alone[i].n_best.size(); ++n) {
        CHECK(together[i].n_best[n].ids == alone[i].n_best[n].ids);
        CHECK(together[i].n_best[n].score == Approx(alone[i].n_best[n].score).margin(1e-5));
      }
      CHECK(together[i].columns == static_cast<int64_t>(sources[i].size()) + 1);
      CHECK(together[i].rows == static_cast<int64_t>(together[i].n_best.front().ids.size()) + 1);
      CHECK(together[i].attention.size() == static_cast<size_t>(together[i].rows * together[i].columns));
    }
  }
}

TEST_CASE("a hypothesis' log-probability is what forced decoding gives it", "[search][property]") {
  ChainModel model(tables());
  TranslateOptions options;
  options.search.n_best = options.search.beam_size;
  for (const int32_t kind : {0, 1, 2}) {
    const auto translation = translate(model, {{kind, 4}}, options, at::kCPU).front();
    CHECK(translation.attention.empty());
    for (const auto& hypothesis : translation.n_best) {
      if (!hypothesis.finished) continue;
      const auto forced = force_decode(model, memory_of(model, {kind}), {hypothesis.ids}, false);
      CHECK(hypothesis.log_probability == Approx(forced.front().total()).margin(1e-5));
    }
  }
}

TEST_CASE("an empty list of sources is no work and an empty source is translated", "[search][unit]") {
  auto table = random_table(1);
  ChainModel model({table, table, table, table});  // a bare </s> has id 3, which chooses the fourth
  CHECK(translate(model, {}, TranslateOptions(), at::kCPU).empty());
  const auto found = translate(model, {{}}, TranslateOptions(), at::kCPU);
  REQUIRE(found.size() == 1);
  CHECK_FALSE(found.front().n_best.empty());
}

TEST_CASE("translate puts the model in eval mode and refuses contradicting options", "[search][unit]") {
  ChainModel model(tables());
  model.train();
  translate(model, {{0}}, TranslateOptions(), at::kCPU);
  CHECK_FALSE(model.is_training());
  TranslateOptions options;
  options.search.n_best = 9;
  CHECK_THROWS_AS(translate(model, {{0}}, options, at::kCPU), UsageError);
}
