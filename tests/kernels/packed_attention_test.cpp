#include "kernels/packed_attention.h"

#include <vector>

#include "kernels/cpu_kernels.h"
#include "support/tensors.h"

using namespace gloss;

namespace {

struct Shape {
  int64_t queries, keys, width;
};

// Around the sixteen columns that the loops take at a time, and beyond.
const std::vector<Shape> kShapes{{1, 1, 1}, {5, 7, 6}, {8, 16, 16}, {17, 15, 33}, {40, 33, 64}};

/// softmax(QKᵀ/√d)V in float64, zeros where nothing is allowed. \param allowed [n, m] or undefined
Tensor formula(const Tensor& q, const Tensor& k, const Tensor& v, const Tensor& allowed) {
  auto energies = q.matmul(k.transpose(-1, -2)) / std::sqrt(static_cast<double>(q.size(-1)));
  if (!allowed.defined()) return at::softmax(energies, -1).matmul(v);
  energies = energies.masked_fill(~allowed, -1e200);
  return at::softmax(energies, -1).masked_fill(~allowed, 0.0).matmul(v);
}

Tensor random_mask(int64_t n, int64_t m) {
  auto allowed = at::rand({n, m}) < 0.6;
  allowed[n - 1].fill_(false);  // the last query sees nothing
  return allowed;
}

Rows<const float> rows(const Tensor& x) { return {x.const_data_ptr<float>(), x.stride(0)}; }
Rows<float> rows_of(Tensor& x) { return {x.mutable_data_ptr<float>(), x.stride(0)}; }

}  // namespace

TEST_CASE("each instruction set computes attention and its gradients by the formula",
          "[kernels][attention][property]") {
  torch::manual_seed(19);
  const auto shape = GENERATE(from_range(kShapes));
  const std::string kind = GENERATE("all", "masked", "padded", "causal");
  INFO(kind << " " << shape.queries << " x " << shape.keys << " x " << shape.width);
  const auto n = shape.queries, m = shape.keys, d = shape.width;
  Tensor allowed;
  if (kind == "masked") allowed = random_mask(n, m);
  if (kind == "padded") allowed = (at::arange(m) % 3 < 2).expand({n, m});  // one row for all queries
  if (kind == "causal") allowed = at::ones({n, m}, at::kBool).tril(m - n);
  std::vector<Tensor> inputs, exact;
  for (const auto length : {n, m, m}) {
    inputs.push_back(at::randn({length, d}));
    exact.push_back(inputs.back().to(at::kDouble).set_requires_grad(true));
  }
  const auto expected = formula(exact[0], exact[1], exact[2], allowed);
  const auto dcontext = at::randn({n, d});
  (expected * dcontext.to(at::kDouble)).sum().backward();

  const AttentionProblem problem{
      .queries = n,
      .keys = m,
      .width = d,
      .allowed = kind == "masked" || kind == "padded" ? allowed.const_data_ptr<bool>() : nullptr,
      .allowed_stride = kind == "padded" ? 0 : m,
      .causal = kind == "causal",
      .scale = static_cast<float>(1.0 / std::sqrt(static_cast<double>(d)))};
  std::vector<float> scratch(static_cast<size_t>(problem.scratch())),
      statistics(static_cast<size_t>(2 * whole_tiles(n)));
  for (const auto* kernels : available_cpu_kernels()) {
    INFO(kernels->name);
    auto context = at::empty({n, d}), dq = at::empty({n, d}), dk = at::empty({m, d}), dv = at::empty({m, d});
    kernels->attention(problem, rows(inputs[0]), rows(inputs[1]), rows(inputs[2]), rows_of(context),
                       statistics.data(), scratch.data());
    CHECK(difference(context, expected) < 1e-5);
    kernels->attention_backward(problem, rows(inputs[0]), rows(inputs[1]), rows(inputs[2]), rows(dcontext),
                                statistics.data(), rows_of(dq), rows_of(dk), rows_of(dv), scratch.data());
    CHECK(difference(dq, exact[0].grad()) < 1e-4);
    CHECK(difference(dk, exact[1].grad()) < 1e-4);
    CHECK(difference(dv, exact[2].grad()) < 1e-4);
  }
}

TEST_CASE("packed attention reads projections as they lie and gives gradients back the same way",
          "[kernels][attention][property]") {
  torch::manual_seed(20);
  const auto type = GENERATE(at::kFloat, at::kBFloat16);
  const double tolerance = type == at::kFloat ? 1e-4 : 0.05;
  const auto per_sentence =
      (at::arange(6).unsqueeze(0) < at::tensor({6, 4, 1}).unsqueeze(1)).unsqueeze(1);  // [3, 1, 6]
  const auto check = [&](const std::function<Tensor(const std::vector<Tensor>&)>& packed,
                         const std::function<Tensor(const std::vector<Tensor>&)>& formulas,
                         const std::vector<Tensor>& blocks) {
    std::vector<Tensor> low, exact;
    for (const auto& block : blocks) {
      const auto rounded = block.to(type);
      low.push_back(rounded.clone().set_requires_grad(true));
      exact.push_back(rounded.to(at::kDouble).set_requires_grad(true));
    }
    const auto a = packed(low), b = formulas(exact);
    CHECK(a.scalar_type() == type);
    CHECK(difference(a, b) < tolerance);
    const auto direction = at::randn(b.sizes());
    (a * direction.to(type)).sum().backward();
    (b * direction.to(type).to(at::kDouble)).sum().backward();
    for (size_t i = 0; i < blocks.size(); ++i) CHECK(difference(low[i].grad(), exact[i].grad()) < tolerance);
  };
  const auto part = [](const Tensor& block, int64_t i) { return block.select(2, i).transpose(1, 2); };
  const auto joined = [](const Tensor& context) { return context.transpose(1, 2).flatten(2); };
  SECTION("self-attention, causal") {
    check([&](const auto& in) { return packed_self_attention(in[0], {}, true); },
          [&](const auto& in) {
            return joined(
                formula(part(in[0], 0), part(in[0], 1), part(in[0], 2), at::ones({6, 6}, at::kBool).tril()));
          },
          {at::randn({3, 6, 3, 2, 8})});
  }
  SECTION("self-attention with padding") {
    check([&](const auto& in) { return packed_self_attention(in[0], per_sentence, false); },
          [&](const auto& in) {
            return joined(formula(part(in[0], 0), part(in[0], 1), part(in[0], 2), per_sentence.unsqueeze(1)));
          },
          {at::randn({3, 6, 3, 2, 8})});
  }
  SECTION("cross-attention with padding") {
    check([&](const auto& in) { return packed_cross_attention(in[0], in[1], per_sentence); },
          [&](const auto& in) {
            return joined(formula(part(in[0], 0), part(in[1], 0), part(in[1], 1), per_sentence.unsqueeze(1)));
          },
          {at::randn({3, 4, 1, 2, 8}), at::randn({3, 6, 2, 2, 8})});
  }
}

TEST_CASE("packed attention takes keys out of a larger cache, and a mask for each query",
          "[kernels][attention][property]") {
  torch::manual_seed(21);
  const auto cache = at::randn({2, 3, 12, 8});  // [batch, heads, room, d], 7 of it used
  const auto key = cache.narrow(2, 0, 7).transpose(1, 2), query = at::randn({2, 4, 3, 8});
  const auto allowed = at::rand({2, 4, 7}) < 0.7;
  const auto expected = formula(query.transpose(1, 2).to(at::kDouble), key.transpose(1, 2).to(at::kDouble),
                                key.transpose(1, 2).to(at::kDouble), allowed.unsqueeze(1));
  CHECK(difference(packed_attention(query, key, key, allowed, false), expected.transpose(1, 2).flatten(2)) <
        1e-5);
}
