#include "nn/attention.h"

#include "core/error.h"
#include "nn/linear.h"
#include "support/tensors.h"

using namespace gloss;

// Properties over every row of both tables: any score × any window, in float64.

namespace {

constexpr int64_t kQuery = 4, kKey = 4, kTarget = 3, kSource = 6;

struct Case {
  std::string score, window;
  Attention attention;
  Tensor query, keys, mask, lengths, positions;

  Case(std::string s, std::string w, int64_t half_width = 2)
      : score(std::move(s)),
        window(std::move(w)),
        attention(score, window,
                  ScoreSizes{.query = kQuery, .key = kKey, .hidden = 5, .max_source_length = 8}, half_width),
        query(at::randn({2, kTarget, kQuery}, at::kDouble)),
        keys(at::randn({2, kSource, kKey}, at::kDouble)),
        lengths(at::tensor({kSource, int64_t{4}}, at::kLong)),
        positions(at::arange(kTarget).expand({2, kTarget})) {
    attention->to(at::kDouble);
    mask = mask_of(lengths);
  }

  AttentionOutput run() { return run(query, keys); }
  AttentionOutput run(const Tensor& q, const Tensor& k) { return over(k)(q, positions); }
  AttentionRun over(const Tensor& k) {
    return attention->over({.prepared = attention->score->prepare(k),
                            .values = attention->score->values(k),
                            .mask = mask,
                            .lengths = lengths});
  }
};

Case any_case() {
  const auto score = GENERATE(from_range(score_names()));
  const auto window = GENERATE(from_range(window_names()));
  torch::manual_seed(21);
  return {score, window};
}

}  // namespace

#define GLOSS_ANY_CASE(name) \
  auto name = any_case();    \
  INFO(name.score << " x " << name.window)

TEST_CASE("masked source positions receive exactly zero weight", "[nn][attention][property]") {
  GLOSS_ANY_CASE(c);
  CHECK(c.run().weights[1].slice(1, 4).eq(0).all().item<bool>());
}

TEST_CASE("weights are not negative and each row sums to 1, or below 1 for local-p",
          "[nn][attention][property]") {
  GLOSS_ANY_CASE(c);
  const auto weights = c.run().weights;
  CHECK((weights >= 0).all().item<bool>());
  if (c.window == "local-p") {
    CHECK((weights.sum(-1) <= 1.0 + 1e-12).all().item<bool>());
  } else {
    CHECK(difference(weights.sum(-1), at::ones({2, kTarget})) < 1e-12);
  }
}

TEST_CASE("the context is the weighted sum of the values", "[nn][attention][property]") {
  GLOSS_ANY_CASE(c);
  const auto out = c.run();
  CHECK(difference(out.context, out.weights.matmul(c.attention->score->values(c.keys))) < 1e-12);
}

TEST_CASE("the context lies inside the range of the values", "[nn][attention][property]") {
  const auto score = GENERATE(from_range(score_names()));
  const auto window = GENERATE("global", "local-m");  // local-p shrinks towards 0 and may leave the hull
  torch::manual_seed(22);
  Case c(score, window);
  const auto context = c.run().context;
  const auto values = c.attention->score->values(c.keys);
  for (int64_t b = 0; b < 2; ++b) {
    const auto real = values[b].slice(0, 0, c.lengths[b].item<int64_t>());
    CHECK((context[b] <= std::get<0>(real.max(0)) + 1e-12).all().item<bool>());
    CHECK((context[b] >= std::get<0>(real.min(0)) - 1e-12).all().item<bool>());
  }
}

TEST_CASE("attention does not depend on the order of source positions", "[nn][attention][property]") {
  const auto score = GENERATE(from_range(score_names()));
  if (!score_reads_keys(score)) return;  // location is about positions
  torch::manual_seed(23);
  Case c(score, "global");
  c.mask = at::ones_like(c.mask);
  const auto order = at::randperm(kSource);
  const auto before = c.run(), after = c.run(c.query, c.keys.index_select(1, order));
  CHECK(difference(after.context, before.context) < 1e-12);
  CHECK(difference(after.weights, before.weights.index_select(2, order)) < 1e-12);
}

TEST_CASE("permuting the queries permutes weights and contexts", "[nn][attention][property]") {
  const auto score = GENERATE(from_range(score_names()));
  torch::manual_seed(24);
  Case c(score, "global");
  const auto order = at::randperm(kTarget);
  const auto before = c.run(), after = c.run(c.query.index_select(1, order), c.keys);
  CHECK(difference(after.context, before.context.index_select(1, order)) < 1e-12);
  CHECK(difference(after.weights, before.weights.index_select(1, order)) < 1e-12);
}

TEST_CASE("padding changes nothing", "[nn][attention][property]") {
  GLOSS_ANY_CASE(c);
  const auto whole = c.run();
  Case alone(c.score, c.window);
  alone.attention = c.attention;
  alone.query = c.query.slice(0, 1);
  alone.keys = c.keys.slice(0, 1).slice(1, 0, 4);
  alone.lengths = c.lengths.slice(0, 1);
  alone.mask = mask_of(alone.lengths);
  alone.positions = c.positions.slice(0, 1);
  const auto single = alone.run();
  CHECK(difference(single.context, whole.context.slice(0, 1)) < 1e-12);
  CHECK(difference(single.weights, whole.weights.slice(0, 1).slice(2, 0, 4)) < 1e-12);
}

TEST_CASE("a single source word gets all the weight", "[nn][attention][property]") {
  const auto score = GENERATE(from_range(score_names()));
  const auto window = GENERATE("global", "local-m");
  torch::manual_seed(25);
  Case c(score, window);
  c.keys = c.keys.slice(1, 0, 1);
  c.lengths = at::ones({2}, at::kLong);
  c.mask = mask_of(c.lengths);
  CHECK(difference(c.run().weights, at::ones({2, kTarget, 1})) < 1e-12);
}

TEST_CASE("gradients agree with finite differences for every parameter and input",
          "[nn][attention][gradient]") {
  GLOSS_ANY_CASE(c);
  auto leaves = double_parameters(*c.attention);
  leaves.push_back(c.query.set_requires_grad(true));
  leaves.push_back(c.keys.set_requires_grad(true));
  torch::manual_seed(26);
  const auto direction = at::randn({2, kTarget, c.attention->score->value_size}, at::kDouble);
  CHECK(gradient_error([&] { return (c.run().context * direction).sum(); }, leaves) < 1e-6);
}

TEST_CASE("a run in single steps is the run in one, and so are its gradients", "[nn][attention][gradient]") {
  GLOSS_ANY_CASE(c);
  auto leaves = double_parameters(*c.attention);
  leaves.push_back(c.query.set_requires_grad(true));
  leaves.push_back(c.keys.set_requires_grad(true));
  const auto whole = c.run();
  const auto attend = c.over(c.keys);
  std::vector<Tensor> contexts, weights;
  for (int64_t t = 0; t < kTarget; ++t) {
    const auto now = attend(c.query.narrow(1, t, 1), c.positions.narrow(1, t, 1));
    contexts.push_back(now.context);
    weights.push_back(now.weights);
  }
  CHECK(difference(at::cat(contexts, 1), whole.context) < 1e-12);
  CHECK(difference(at::cat(weights, 1), whole.weights) < 1e-12);
  const auto direction = at::randn(whole.context.sizes(), at::kDouble);
  const auto gradients = [&](const Tensor& context) {
    return torch::autograd::grad({context}, leaves, {direction}, std::nullopt, false, /*allow_unused=*/true);
  };
  const auto expected = gradients(whole.context), got = gradients(at::cat(contexts, 1));
  for (size_t i = 0; i < leaves.size(); ++i) {
    REQUIRE(got[i].defined() == expected[i].defined());
    if (got[i].defined()) CHECK(difference(got[i], expected[i]) < 1e-12);
  }
}

TEST_CASE("general with the identity is dot", "[nn][attention][property]") {
  torch::manual_seed(27);
  Case general("general", "global");
  {
    const torch::NoGradGuard no_grad;
    general.attention->named_parameters()["score.W.weight"].copy_(at::eye(kQuery));
  }
  Case dot("dot", "global");
  CHECK(difference(general.run().weights, dot.run(general.query, general.keys).weights) < 1e-12);
}

TEST_CASE("scaled dot is dot with the query divided by the root of its width", "[nn][attention][property]") {
  Case scaled("scaled-dot", "global"), dot("dot", "global");
  CHECK(difference(scaled.run().weights, dot.run(scaled.query / 2.0, scaled.keys).weights) < 1e-12);  // √4
}

TEST_CASE("concat is additive with its matrix split", "[nn][attention][property]") {
  torch::manual_seed(28);
  Case concat("concat", "global"), additive("additive", "global");
  const auto from = concat.attention->named_parameters();
  auto to = additive.attention->named_parameters();
  {
    const torch::NoGradGuard no_grad;
    to["score.W.weight"].copy_(from["score.W.weight"].slice(1, 0, kQuery));
    to["score.U.weight"].copy_(from["score.W.weight"].slice(1, kQuery));
    to["score.v"].copy_(from["score.v"]);
  }
  CHECK(difference(concat.run().weights, additive.run(concat.query, concat.keys).weights) < 1e-12);
}

TEST_CASE("additive energies are v tanh(W s + U h)", "[nn][attention][unit]") {
  // By hand: W = U = v = 1, query 0.5, keys 0.5 and -0.5: energies tanh(1) and tanh(0), so α_1 = 1/(1+exp(-tanh 1)).
  Attention attention("additive", "global",
                      ScoreSizes{.query = 1, .key = 1, .hidden = 1, .max_source_length = 5}, 1);
  const torch::NoGradGuard no_grad;
  for (auto& parameter : attention->parameters()) parameter.fill_(1.0);
  const auto keys = at::tensor({0.5F, -0.5F}).view({1, 2, 1});
  const auto lengths = at::tensor({2}, at::kLong);
  const auto attend = attention->over({.prepared = attention->score->prepare(keys),
                                       .values = keys,
                                       .mask = mask_of(lengths),
                                       .lengths = lengths});
  const auto out = attend(at::full({1, 1, 1}, 0.5F), at::zeros({1, 1}, at::kLong));
  const double alpha = 1.0 / (1.0 + std::exp(-std::tanh(1.0)));
  CHECK(out.weights[0][0][0].item<double>() == Approx(alpha).epsilon(1e-6));
  CHECK(out.context[0][0][0].item<double>() == Approx(alpha - 0.5).epsilon(1e-5));
}

TEST_CASE("local-m with a window as wide as the sentence is global", "[nn][attention][property]") {
  const auto score = GENERATE(from_range(score_names()));
  torch::manual_seed(29);
  Case local(score, "local-m", /*half_width=*/kSource);
  Case global(score, "global");
  global.attention->score = local.attention->score;
  CHECK(difference(local.run().weights, global.run(local.query, local.keys).weights) < 1e-12);
}

TEST_CASE("location gives no weight beyond its maximum length", "[nn][attention][unit]") {
  Case c("location", "global");
  c.keys = at::randn({1, 11, kKey}, at::kDouble);
  c.query = c.query.slice(0, 0, 1);
  c.lengths = at::tensor({11}, at::kLong);
  c.mask = mask_of(c.lengths);
  c.positions = c.positions.slice(0, 0, 1);
  const auto weights = c.run().weights;
  CHECK(weights.slice(2, 8).eq(0).all().item<bool>());
  CHECK(difference(weights.sum(-1), at::ones({1, kTarget})) < 1e-12);
}

TEST_CASE("dot products scaled by the root of the width keep unit variance", "[nn][attention][property]") {
  torch::manual_seed(30);
  const int64_t d = GENERATE(16, 256);
  auto score = make_score("scaled-dot", {.query = d, .key = d, .hidden = d, .max_source_length = 1});
  const auto energies = score->over(at::randn({1, 300, d}))(at::randn({1, 300, d}));
  CHECK(energies.var().item<double>() == Approx(1.0).epsilon(0.05));
}

TEST_CASE("scores that multiply states refuse unequal widths, and unknown names list the table",
          "[nn][attention][unit]") {
  const ScoreSizes unequal{.query = 3, .key = 6, .hidden = 3, .max_source_length = 5};
  CHECK_THROWS_AS(make_score("dot", unequal), UsageError);
  CHECK_THROWS_WITH(make_score("scaled-dot", unequal), Catch::Contains("3 and 6"));
  for (const auto& name : score_names())
    CHECK_THROWS_WITH(make_score("luong", unequal), Catch::Contains(name));
}
