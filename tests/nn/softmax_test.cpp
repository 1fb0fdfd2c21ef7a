#include "nn/attention.h"
#include "support/tensors.h"

using namespace gloss;

// The properties of attention as mathematics, in float64, for softmax(Q K^T / √d) V spelled out here.

namespace {

const auto kDouble = at::TensorOptions(at::kDouble);

Tensor attend(const Tensor& Q, const Tensor& K, const Tensor& V, const Tensor& allowed = {}) {
  const auto energies = Q.matmul(K.transpose(-1, -2)) / std::sqrt(static_cast<double>(K.size(-1)));
  return masked_softmax(energies, allowed).matmul(V);
}

Tensor permutation_matrix(int64_t n) { return at::eye(n, kDouble).index_select(0, at::randperm(n)); }

}  // namespace

TEST_CASE("softmax(A D B) = A softmax(D) B for permutations A and B", "[nn][attention][property]") {
  torch::manual_seed(GENERATE(range(0, 5)));
  const auto D = at::randn({4, 6}, kDouble), A = permutation_matrix(4), B = permutation_matrix(6);
  CHECK(difference(masked_softmax(A.matmul(D).matmul(B), {}), A.matmul(masked_softmax(D, {})).matmul(B)) <
        1e-12);
}

TEST_CASE("permuting keys and values together leaves the context", "[nn][attention][property]") {
  torch::manual_seed(GENERATE(range(0, 5)));
  const auto Q = at::randn({3, 4}, kDouble), K = at::randn({5, 4}, kDouble), V = at::randn({5, 2}, kDouble),
             B = permutation_matrix(5);
  CHECK(difference(attend(Q, B.matmul(K), B.matmul(V)), attend(Q, K, V)) < 1e-12);
}

TEST_CASE("permuting queries permutes outputs", "[nn][attention][property]") {
  torch::manual_seed(GENERATE(range(0, 5)));
  const auto Q = at::randn({3, 4}, kDouble), K = at::randn({5, 4}, kDouble), V = at::randn({5, 2}, kDouble),
             A = permutation_matrix(3);
  CHECK(difference(attend(A.matmul(Q), K, V), A.matmul(attend(Q, K, V))) < 1e-12);
}

TEST_CASE("masked softmax gives exact zeros, rows of sum 1, and zeros where nothing is allowed",
          "[nn][attention][property]") {
  const auto energies = at::randn({3, 4}, kDouble) * 50;
  const auto allowed = at::tensor({1, 1, 1, 1, 1, 0, 1, 0, 0, 0, 0, 0}, at::kLong).view({3, 4}).to(at::kBool);
  const auto weights = masked_softmax(energies, allowed);
  CHECK(weights.masked_select(~allowed).eq(0).all().item<bool>());
  CHECK(difference(weights.sum(1), at::tensor({1.0, 1.0, 0.0}, kDouble)) < 1e-12);
}

TEST_CASE("a query without any allowed key gives zeros and finite gradients", "[nn][attention][gradient]") {
  // softmax(QK^T/√2)V by numpy in float64; row 2 may look nowhere.
  const auto Q = at::tensor({1.0, 0.0, 0.5, -1.0, 2.0, 2.0}, kDouble).view({3, 2}).set_requires_grad(true);
  const auto K =
      at::tensor({1.0, 1.0, 0.0, 2.0, -1.0, 0.5, 3.0, -2.0}, kDouble).view({4, 2}).set_requires_grad(true);
  const auto V =
      at::tensor({1.0, 10.0, 2.0, 20.0, 3.0, 30.0, 4.0, 40.0}, kDouble).view({4, 2}).set_requires_grad(true);
  const auto allowed = at::tensor({1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0}, at::kLong).view({3, 4}).to(at::kBool);
  const auto expected =
      at::tensor({3.276981, 32.769808, 1.257183, 12.571833, 0.0, 0.0}, kDouble).view({3, 2});
  CHECK(difference(attend(Q, K, V, allowed), expected) < 1e-5);
  const std::vector<Tensor> leaves{Q, K, V};
  CHECK(gradient_error([&] { return attend(Q, K, V, allowed).square().sum(); }, leaves) < 1e-4);
  for (const auto& leaf : leaves) CHECK(at::isfinite(leaf.grad()).all().item<bool>());
  const auto single = attend(Q.to(at::kFloat), K.to(at::kFloat), V.to(at::kFloat), allowed);
  CHECK(difference(single, expected) < 1e-4);
}
