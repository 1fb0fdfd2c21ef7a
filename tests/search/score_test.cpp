#include "search/score.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "chain_model.h"
#include "core/error.h"
#include "support/catch.h"
#include "support/tiny_model.h"

using namespace gloss;
using namespace gloss::test;

namespace {

std::vector<Table> tables() { return {random_table(21), random_table(22), random_table(23)}; }

/// A small model of each kind, in float64 with weights drawn at random.
std::shared_ptr<Seq2Seq> random_model(const std::string& kind) {
  if (kind == "transformer") return tiny_model(tiny_transformer_options());
  auto options = tiny_options(kind);
  options.input_feeding = kind == "luong";
  return tiny_model(options);
}

/// Pairs of many lengths, empty sides among them; ids as tiny_model has them.
std::vector<EncodedPair> pairs() {
  return {{.source = {4, 5, 6, 7}, .target = {4, 5, 6}},
          {.source = {}, .target = {8}},
          {.source = {9}, .target = {}},
          {.source = {10, 4, 4, 9, 8, 5, 6}, .target = {7, 7}},
          {.source = {}, .target = {}},
          {.source = {5, 6}, .target = {8, 7, 6, 5, 4, 8, 8, 4}},
          {.source = {4, 5, 6, 7}, .target = {4, 5, 6}}};
}

/// What the model says when it is asked for one token after the other, by itself, from its logits.
std::vector<double> step_by_step(Seq2Seq& model, const EncodedPair& pair) {
  const torch::NoGradGuard no_grad;
  std::vector<int64_t> source(pair.source.begin(), pair.source.end());
  source.push_back(kEos);
  const auto length = static_cast<int64_t>(source.size());
  const auto memory =
      model.encode(at::tensor(source, at::kLong).unsqueeze(0), at::tensor({length}, at::kLong));
  auto state = model.start(memory, 1);
  std::vector<double> result;
  int64_t previous = kBos;
  auto target = pair.target;
  target.push_back(kEos);
  for (const auto id : target) {
    const auto step = model.step(memory, at::tensor({previous}, at::kLong).view({1, 1}), state, std::nullopt);
    const auto logits = model.output->logits(step.hidden).flatten().to(at::kDouble).contiguous();
    double sum = 0.0;
    for (int64_t word = 0; word < logits.numel(); ++word) sum += std::exp(logits[word].item<double>());
    result.push_back(logits[id].item<double>() - std::log(sum));
    state = step.state;
    previous = id;
  }
  return result;
}

void check_equal(const std::vector<double>& found, const std::vector<double>& expected, double margin) {
  REQUIRE(found.size() == expected.size());
  for (size_t t = 0; t < found.size(); ++t) {
    CAPTURE(t);
    CHECK(std::abs(found[t] - expected[t]) < margin);
  }
}

}  // namespace

TEST_CASE("scores are those of the model asked token by token, whatever the batches",
          "[search][score][property]") {
  const auto kind = GENERATE(as<std::string>{}, "bahdanau", "luong", "transformer");
  const int64_t batch_tokens = GENERATE(1, 9, 20, 4096);
  CAPTURE(kind, batch_tokens);
  const auto model = random_model(kind);
  const auto all = pairs();
  const auto found = score(*model, all, batch_tokens);
  REQUIRE(found.size() == all.size());
  for (size_t i = 0; i < all.size(); ++i) {
    CAPTURE(i);
    check_equal(found[i], step_by_step(*model, all[i]), 1e-9);
  }
}

TEST_CASE("a pair gets the same score beside a long one as alone", "[search][score][property]") {
  const auto kind = GENERATE(as<std::string>{}, "bahdanau", "luong", "transformer");
  CAPTURE(kind);
  const auto model = random_model(kind);
  const EncodedPair brief{.source = {4, 5}, .target = {6}};
  EncodedPair long_one{.source = std::vector<int32_t>(40, 7), .target = std::vector<int32_t>(50, 8)};
  const auto alone = score(*model, {brief}, 4096).front();
  const auto beside = score(*model, {long_one, brief}, 4096).back();
  check_equal(beside, alone, 1e-9);
}

TEST_CASE("a score is the sum of the logarithms in the table", "[search][score]") {
  ChainModel model(tables());
  // The first source id chooses the table.
  const auto found =
      score(model, {{.source = {2, 4}, .target = {kA, kC}}, {.source = {1}, .target = {}}}, 64);
  const auto& second = tables()[2];
  const double expected =
      std::log(second[kBos][kBos][kA]) + std::log(second[kBos][kA][kC]) + std::log(second[kA][kC][kEos]);
  REQUIRE(found.size() == 2);
  CHECK(found[0].size() == 3);
  CHECK(std::accumulate(found[0].begin(), found[0].end(), 0.0) == Approx(expected).margin(1e-5));
  CHECK(found[1].size() == 1);
  CHECK(found[1].front() == Approx(std::log(tables()[1][kBos][kBos][kEos])).margin(1e-5));
}

TEST_CASE("no pairs give no scores, and the model is in eval mode afterwards", "[search][score][unit]") {
  ChainModel model(tables());
  model.train();
  CHECK(score(model, {}, 64).empty());
  CHECK_FALSE(model.is_training());
}

TEST_CASE("probabilities that are not numbers are a broken model, in scores as in the search",
          "[search][score][unit]") {
  ChainModel model(tables());
  const torch::NoGradGuard no_grad;
  model.output->weight.fill_(std::numeric_limits<float>::quiet_NaN());
  CHECK_THROWS_AS(score(model, {{.source = {0}, .target = {kA}}}, 64), CheckpointError);
}
