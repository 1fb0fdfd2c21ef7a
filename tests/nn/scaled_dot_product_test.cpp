#include "nn/scaled_dot_product.h"

#include "core/error.h"
#include "support/tensors.h"

using namespace gloss;

// The fused kernel against the formula written out, and both against numbers made elsewhere.

namespace {

using Attend = std::function<Tensor(const Tensor&, const Tensor&, const Tensor&, const AttentionMask&)>;

struct Path {
  std::string name;
  Attend attend;
};

std::vector<Path> paths() {
  return {
      {"explicit", [](const Tensor& q, const Tensor& k, const Tensor& v,
                      const AttentionMask& mask) { return explicit_attention(q, k, v, mask, 0.0).context; }},
      {"fused", [](const Tensor& q, const Tensor& k, const Tensor& v, const AttentionMask& mask) {
         return fused_attention(q, k, v, mask, 0.0);
       }}};
}

/// Numbers as the one head of one sentence. [1, 1, rows, columns]
Tensor head(const std::vector<double>& values, int64_t columns) {
  return at::tensor(values, at::kFloat).view({1, 1, -1, columns});
}

Tensor flags(const std::vector<int64_t>& values, int64_t columns) {
  return at::tensor(values, at::kLong).view({1, 1, -1, columns}).to(at::kBool);
}

const std::vector<double> kQueries{1, 0, 0.5, -1, 2, 2, -1, 1}, kKeys{1, 1, 0, 2, -1, 0.5, 3, -2},
    kValues{1, 10, 2, 20, 3, 30, 4, 40};

/// Each kind of mask that the model uses, over 5 keys.
struct MaskKind {
  std::string name;
  AttentionMask mask;
};

std::vector<MaskKind> mask_kinds(int64_t queries) {
  const auto padding = flags({1, 1, 1, 1, 1, 1, 1, 1, 0, 0}, 5).view({2, 1, 1, 5});
  const auto bias = at::randn({1, 3, queries, 5});
  return {{"none", {}},
          {"padding", {.allowed = padding, .bias = {}, .causal = false}},
          {"causal", {.allowed = {}, .bias = {}, .causal = true}},
          {"causal with padding", {.allowed = padding, .bias = {}, .causal = true}},
          {"bias", {.allowed = {}, .bias = bias, .causal = false}},
          {"bias, causal and padding", {.allowed = padding, .bias = bias, .causal = true}}};
}

}  // namespace

TEST_CASE("both paths give softmax(QK^T/√d)V, and zeros to a query without keys", "[nn][attention][unit]") {
  for (const auto& path : paths()) {
    INFO(path.name);
    auto q = head({kQueries.begin(), kQueries.begin() + 6}, 2), k = head(kKeys, 2), v = head(kValues, 2);
    for (auto* x : {&q, &k, &v}) x->set_requires_grad(true);
    const AttentionMask mask{
        .allowed = flags({1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0}, 4), .bias = {}, .causal = false};
    const auto context = path.attend(q, k, v, mask);
    CHECK(difference(context, head({3.276981, 32.769808, 1.257183, 12.571833, 0, 0}, 2)) < 1e-5);
    context.sum().backward();
    for (const auto& x : {q, k, v}) CHECK(x.grad().isfinite().all().item<bool>());
    CHECK(q.grad()[0][0][2].eq(0).all().item<bool>());
  }
}

TEST_CASE("the last queries of a cached target see what they see in the whole", "[nn][attention][unit]") {
  const auto k = head(kKeys, 2), v = head(kValues, 2), q = head(kQueries, 2);
  const AttentionMask causal{.allowed = {}, .bias = {}, .causal = true};
  const auto expected = head({1, 10, 1.257183, 12.571833, 1.521543, 15.215435, 2.242391, 22.423912}, 2);
  for (const auto& path : paths()) {
    INFO(path.name);
    CHECK(difference(path.attend(q, k, v, causal), expected) < 1e-5);
    for (const int64_t n : {1, 2})  // new queries at a time
      CHECK(difference(path.attend(q.slice(2, 4 - n), k, v, causal), expected.slice(2, 4 - n)) < 1e-5);
  }
}

TEST_CASE("fused attention is the explicit formula in values and gradients", "[nn][attention][property]") {
  torch::manual_seed(71);
  const int64_t queries = GENERATE(5, 3);
  for (const auto& [name, mask] : mask_kinds(queries)) {
    INFO(name << ", " << queries << " queries");
    std::vector<std::vector<Tensor>> gradients;
    std::vector<Tensor> contexts;
    const auto q = at::randn({2, 3, queries, 8}), k = at::randn({2, 3, 5, 8}), v = at::randn({2, 3, 5, 8}),
               direction = at::randn({2, 3, queries, 8});
    for (const auto& path : paths()) {
      std::vector<Tensor> leaves;
      for (const auto& x : {q, k, v}) leaves.push_back(x.clone().set_requires_grad(true));
      contexts.push_back(path.attend(leaves[0], leaves[1], leaves[2], mask));
      (contexts.back() * direction).sum().backward();
      gradients.push_back({leaves[0].grad(), leaves[1].grad(), leaves[2].grad()});
    }
    CHECK(difference(contexts[0], contexts[1]) < 1e-5);
    for (size_t i = 0; i < 3; ++i) CHECK(difference(gradients[0][i], gradients[1][i]) < 1e-4);
  }
}

TEST_CASE("on a CPU the fused kernel is taken for every mask of the model", "[nn][attention][unit]") {
  for (const auto type : {at::kFloat, at::kBFloat16}) {
    const auto x = at::randn({2, 3, 5, 8}).to(type);
    for (auto& [name, mask] : mask_kinds(5)) {
      INFO(name);
      auto typed = mask;
      if (typed.bias.defined()) typed.bias = typed.bias.to(type);
      CHECK(fused_kernel(x, x, x, typed, 0.0) == "flash");
    }
  }
}

TEST_CASE("fused attention is refused where no kernel does it", "[nn][attention][unit]") {
  const at::TensorOptions cpu(at::kFloat);
  CHECK(describe_attention_backend("fused", 32, 0.0, cpu) == "fused (flash kernel on cpu)");
  CHECK(describe_attention_backend("explicit", 32, 0.0, cpu) == "explicit");
  CHECK_THROWS_AS(describe_attention_backend("fused", 32, 0.1, cpu), UsageError);
  CHECK(describe_attention_backend("auto", 32, 0.1, cpu) ==
        "explicit (no fused kernel on cpu with attention-dropout)");
}

TEST_CASE("causal weights are lower triangular, and later rows change nothing before them",
          "[nn][attention][property]") {
  torch::manual_seed(GENERATE(range(0, 3)));
  const auto q = at::randn({1, 2, 6, 4}), k = at::randn({1, 2, 6, 4}), v = at::randn({1, 2, 6, 4});
  const AttentionMask causal{.allowed = {}, .bias = {}, .causal = true};
  const auto weights = explicit_attention(q, k, v, causal, 0.0).weights;
  CHECK(at::equal(weights, weights.tril()));
  const auto changed = [](const Tensor& x) {
    return at::cat({x.slice(2, 0, 3), at::randn({1, 2, 3, 4})}, 2);
  };
  for (const auto& path : paths())
    CHECK(difference(path.attend(q, k, v, causal).slice(2, 0, 3),
                     path.attend(changed(q), changed(k), changed(v), causal).slice(2, 0, 3)) < 1e-6);
}

TEST_CASE("dot products scaled by 1/√d have unit variance", "[nn][attention][property]") {
  torch::manual_seed(72);
  const int64_t d = GENERATE(4, 32, 256);
  // With all keys but one at zero, log(w_1/w_2) is the scaled dot product.
  const auto q = at::randn({1, 1, 4000, d}),
             k = at::cat({at::randn({1, 1, 1, d}), at::zeros({1, 1, 1, d})}, 2);
  const auto scale = k[0][0][0].norm() / std::sqrt(static_cast<double>(d));
  const auto w = explicit_attention(q, k, k, {}, 0.0).weights[0][0];
  const auto energies = (w.select(1, 0) / w.select(1, 1)).log() / scale;
  CHECK(energies.var().item<double>() == Approx(1.0).margin(0.1));
}

TEST_CASE("both paths stay within the convex hull of the values and permute with queries and keys",
          "[nn][attention][property]") {
  torch::manual_seed(GENERATE(range(0, 3)));
  const auto q = at::randn({1, 2, 4, 8}), k = at::randn({1, 2, 6, 8}), v = at::randn({1, 2, 6, 8});
  const auto a = at::randperm(4), b = at::randperm(6);
  for (const auto& path : paths()) {
    const auto context = path.attend(q, k, v, {});
    CHECK((context <= v.amax(2, true) + 1e-6).all().item<bool>());
    CHECK((context >= v.amin(2, true) - 1e-6).all().item<bool>());
    CHECK(difference(path.attend(q.index_select(2, a), k.index_select(2, b), v.index_select(2, b), {}),
                     context.index_select(2, a)) < 1e-5);
  }
}
