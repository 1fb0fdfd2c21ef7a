#include "nn/multi_head_attention.h"

#include "nn/feed_forward.h"
#include "nn/positions.h"
#include "support/tensors.h"

using namespace gloss;

namespace {

const auto kDouble = at::TensorOptions(at::kDouble);

SelfAttention self_attention(const std::string& backend, int64_t heads = 2) {
  torch::manual_seed(81);
  SelfAttention attention(HeadSizes{8, heads}, backend, 0.0);
  attention->to(at::kDouble);
  return attention;
}

}  // namespace

TEST_CASE("self-attention without positions is permutation equivariant", "[nn][attention][property]") {
  const auto backend = GENERATE("fused", "explicit");
  auto attention = self_attention(backend);
  const auto x = at::randn({2, 5, 8}, kDouble);
  const auto order = at::randperm(5);
  const auto run = [&](const Tensor& input) { return attention->attend(attention->project(input), {}); };
  CHECK(difference(run(x.index_select(1, order)), run(x).index_select(1, order)) < 1e-12);
}

TEST_CASE("cross-attention permutes with its queries and not with its keys", "[nn][attention][property]") {
  const auto backend = GENERATE("fused", "explicit");
  torch::manual_seed(82);
  CrossAttention attention(HeadSizes{8, 4}, backend, 0.0);
  attention->to(at::kDouble);
  const auto x = at::randn({2, 3, 8}, kDouble), states = at::randn({2, 6, 8}, kDouble);
  const auto a = at::randperm(3), b = at::randperm(6);
  const auto plain = attention->forward(x, attention->prepare(states), {}, true);
  const auto mixed =
      attention->forward(x.index_select(1, a), attention->prepare(states.index_select(1, b)), {}, true);
  CHECK(difference(mixed.context, plain.context.index_select(1, a)) < 1e-12);
  CHECK(difference(mixed.weights, plain.weights.index_select(2, a).index_select(3, b)) < 1e-12);
  CHECK(difference(plain.weights.sum(-1), at::ones({2, 4, 3})) < 1e-12);
  CHECK(difference(attention->forward(x, attention->prepare(states), {}, false).context, plain.context) <
        1e-12);
}

TEST_CASE("multi-head attention is each head by itself, side by side", "[nn][attention][unit]") {
  auto attention = self_attention("explicit");
  const auto x = at::randn({1, 4, 8}, kDouble);
  const auto parameters = attention->named_parameters();
  const auto& W = parameters["query_key_value.weight"];
  std::vector<Tensor> contexts;
  for (int64_t h = 0; h < 2; ++h) {
    const auto part = [&](int64_t which) {
      return x.matmul(W.slice(0, 8 * which + 4 * h, 8 * which + 4 * h + 4).t());
    };
    contexts.push_back(at::softmax(part(0).matmul(part(1).transpose(1, 2)) / 2.0, -1).matmul(part(2)));
  }
  const auto expected = at::linear(at::cat(contexts, 2), parameters["join.weight"], parameters["join.bias"]);
  CHECK(difference(attention->attend(attention->project(x), {}), expected) < 1e-12);
}

TEST_CASE("attention dropout acts in training only", "[nn][attention][unit]") {
  for (const std::string backend : {"auto", "fused", "explicit"}) {
    SelfAttention attention(HeadSizes{8, 2}, backend, 0.5);
    const auto x = at::randn({1, 4, 8});
    const auto run = [&] { return attention->attend(attention->project(x), {}); };
    attention->eval();
    CHECK(at::equal(run(), run()));
    attention->train();
    CHECK_FALSE(at::equal(run(), run()));
  }
}

TEST_CASE("sinusoidal positions are sines and cosines of falling frequency", "[nn][positions][unit]") {
  const auto p = sinusoidal_positions(at::tensor({0, 1, 7}, at::kLong), 6, kDouble);
  for (const int64_t row : {0, 1, 2}) {
    const double position = row == 2 ? 7.0 : static_cast<double>(row);
    for (int64_t i = 0; i < 3; ++i) {
      const double angle = position / std::pow(10000.0, 2.0 * static_cast<double>(i) / 6.0);
      CHECK(p[row][2 * i].item<double>() == Approx(std::sin(angle)));
      CHECK(p[row][2 * i + 1].item<double>() == Approx(std::cos(angle)).margin(1e-12));
    }
  }
  CHECK(sinusoidal_positions(at::tensor({3}, at::kLong), 5, kDouble).size(1) == 5);
}

TEST_CASE("rotary products depend on the distance of positions alone", "[nn][positions][property]") {
  torch::manual_seed(83);
  const auto q = at::randn({1, 1, 1, 8}, kDouble), k = at::randn({1, 1, 1, 8}, kDouble);
  const auto at_position = [](const Tensor& x, int64_t p) { return rotate(x, at::tensor({p}, at::kLong)); };
  const auto product = [&](int64_t i, int64_t j) {
    return (at_position(q, i) * at_position(k, j)).sum().item<double>();
  };
  CHECK(product(3, 1) == Approx(product(40, 38)));
  CHECK(product(3, 1) != Approx(product(3, 2)));
  CHECK(product(5, 5) == Approx((q * k).sum().item<double>()));
}

TEST_CASE("ALiBi falls with the distance, by 2^(-8h/H) in head h", "[nn][positions][unit]") {
  const auto bias = alibi_bias(at::tensor({2}, at::kLong), at::tensor({0, 2, 3}, at::kLong), 8, kDouble);
  for (int64_t h = 0; h < 8; ++h) {
    const double slope = std::pow(2.0, -static_cast<double>(h + 1));
    CHECK(difference(bias[0][h][0], at::tensor({-2.0 * slope, 0.0, -slope}, kDouble)) < 1e-12);
  }
}

TEST_CASE("feed-forward networks follow their formulas", "[nn][unit]") {
  torch::manual_seed(84);
  const auto x = at::randn({2, 6}, kDouble);
  const std::string name = GENERATE("relu", "gelu", "swiglu");
  FeedForward network(6, 10, name, 0.0);
  network->to(at::kDouble);
  const auto p = network->named_parameters();
  const auto inner = x.matmul(p["inner.weight"].t());
  Tensor hidden;
  if (name == "relu") hidden = inner.clamp_min(0);
  if (name == "gelu") hidden = inner * 0.5 * (1 + at::erf(inner / std::sqrt(2.0)));
  if (name == "swiglu") {
    const auto gate = inner.slice(1, 0, 10);
    hidden = gate / (1 + (-gate).exp()) * inner.slice(1, 10);
  }
  CHECK(difference(network(x), hidden.matmul(p["outer.weight"].t())) < 1e-12);
}
