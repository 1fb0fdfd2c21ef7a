#include "kernels/cpu_kernels.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "support/tensors.h"

using namespace gloss;

// Every instruction set that this machine offers, against LibTorch's own operators.

namespace {

constexpr int64_t kRows = 5;
constexpr int64_t kWidth = 37;  // no multiple of any vector length

float* data(Tensor& t) { return t.mutable_data_ptr<float>(); }
const float* data(const Tensor& t) { return t.const_data_ptr<float>(); }

}  // namespace

TEST_CASE("the baseline loops are always available", "[kernels][unit]") {
  REQUIRE(std::string(available_cpu_kernels().front()->name) == "baseline");
  REQUIRE(&cpu_kernels() == available_cpu_kernels().back());
}

TEST_CASE("each instruction set makes the same dropout mask", "[kernels][property]") {
  torch::manual_seed(3);
  const auto x = at::rand({1000}) + 0.5;
  auto expected = at::empty_like(x);
  available_cpu_kernels().front()->dropout(data(x), data(expected), 0, 1000, 77, 3000000000U, 2.0F);
  for (const auto* kernels : available_cpu_kernels()) {
    INFO(kernels->name);
    auto y = at::empty_like(x);
    kernels->dropout(data(x), data(y), 0, 400, 77, 3000000000U, 2.0F);
    kernels->dropout(data(x), data(y), 400, 1000, 77, 3000000000U, 2.0F);
    CHECK(at::equal(y, expected));
  }
}

TEST_CASE("each instruction set computes the softmax loss of LibTorch", "[kernels][property]") {
  torch::manual_seed(4);
  const auto smoothing = GENERATE(0.0, 0.1, 0.5);
  const auto logits = at::randn({1, 1003}) * 5, bias = at::randn({1003});
  const auto target = at::full({1}, 17, at::kLong);
  auto reference = (logits + bias).to(at::kDouble).set_requires_grad(true);
  const auto loss = at::cross_entropy_loss(reference, target, {}, at::Reduction::Sum, -100, smoothing);
  loss.backward();
  const auto nll = at::cross_entropy_loss(reference.detach(), target, {}, at::Reduction::Sum);
  for (const auto* kernels : available_cpu_kernels()) {
    INFO(kernels->name);
    auto row = logits.clone();
    double got = 0.0, got_nll = 0.0;
    kernels->softmax_loss(data(row), data(bias), 1003, 17, static_cast<float>(smoothing), 0.25F, true, &got,
                          &got_nll);
    CHECK(got == Approx(loss.item<double>()).epsilon(1e-5));
    CHECK(got_nll == Approx(nll.item<double>()).epsilon(1e-5));
    CHECK(difference(row, 0.25 * reference.grad()) < 1e-6);
  }
}

TEST_CASE("each instruction set reads and writes bfloat16 as LibTorch does", "[kernels][property]") {
  torch::manual_seed(16);
  const auto x = at::randn({1000}) * at::randn({1000}).mul(20).exp();
  const auto short_x = x.to(at::kBFloat16), residual = at::randn({1000});
  const auto* bits = reinterpret_cast<const uint16_t*>(short_x.const_data_ptr<at::BFloat16>());
  const auto always = 0xffffffffU;  // every element is kept, but for a chance of 2^-32
  for (const auto* kernels : available_cpu_kernels()) {
    INFO(kernels->name);
    auto rounded = at::empty_like(short_x);
    kernels->dropout_bf16(data(x), reinterpret_cast<uint16_t*>(rounded.mutable_data_ptr<at::BFloat16>()), 0,
                          1000, 78, always, 1.0F);
    CHECK(at::equal(rounded, short_x));
    auto sum = at::empty_like(residual);
    kernels->dropout_add_bf16(data(residual), bits, data(sum), 0, 1000, 78, always, 1.0F);
    CHECK(at::equal(sum, residual + short_x));
  }
}

TEST_CASE("the softmax loss of bfloat16 logits is that of the same numbers in float32",
          "[kernels][property]") {
  torch::manual_seed(17);
  const auto logits = (at::randn({1, 203}) * 5).to(at::kBFloat16), bias = at::randn({203});
  for (const auto* kernels : available_cpu_kernels()) {
    auto row = logits.clone(), wide = logits.to(at::kFloat), scratch = at::empty({203});
    double loss = 0.0, nll = 0.0, wide_loss = 0.0, wide_nll = 0.0;
    kernels->softmax_loss(data(wide), data(bias), 203, 17, 0.1F, 0.25F, true, &wide_loss, &wide_nll);
    kernels->softmax_loss_bf16(reinterpret_cast<uint16_t*>(row.mutable_data_ptr<at::BFloat16>()), data(bias),
                               203, 17, 0.1F, 0.25F, true, &loss, &nll, data(scratch));
    CHECK(loss == wide_loss);
    CHECK(nll == wide_nll);
    CHECK(at::equal(row, wide.to(at::kBFloat16)));
  }
}

TEST_CASE("the softmax loss without gradient leaves logits and bias summed", "[kernels][unit]") {
  for (const auto* kernels : available_cpu_kernels()) {
    auto row = at::randn({1, 50});
    const auto bias = at::randn({50}), none = at::zeros({50});
    const auto expected = row + bias;
    double loss = 0.0, nll = 0.0, loss_again = 0.0;
    kernels->softmax_loss(data(row), data(bias), 50, 3, 0.1F, 1.0F, false, &loss, &nll);
    CHECK(at::equal(row, expected));
    kernels->softmax_loss(data(row), data(none), 50, 3, 0.1F, 1.0F, true, &loss_again, &nll);
    CHECK(loss == Approx(loss_again));
  }
}

TEST_CASE("each instruction set computes the additive energies", "[kernels][property]") {
  torch::manual_seed(5);
  const auto q = at::randn({3, kWidth}), K = at::randn({kRows, kWidth}), v = at::randn({kWidth});
  const auto expected =
      at::tanh(q.to(at::kDouble).unsqueeze(1) + K.to(at::kDouble).unsqueeze(0)).matmul(v.to(at::kDouble));
  for (const auto* kernels : available_cpu_kernels()) {
    auto e = at::empty({3, kRows});
    kernels->additive_energy(data(q), data(K), data(v), data(e), 3, kRows, kWidth);
    CHECK(difference(e, expected) < 1e-5);
  }
}

TEST_CASE("the gates saturate without overflow", "[kernels][unit]") {
  for (const auto* kernels : available_cpu_kernels()) {
    const auto x = at::full({1, 3 * 8}, 1e4F), s = at::ones({1, 8});
    auto next = at::empty({1, 8}), gates = at::empty({1, 24});
    kernels->gru(data(x), data(x), data(s), data(next), data(gates), 1, 8);
    CHECK(at::isfinite(next).all().item<bool>());
    CHECK(difference(next, at::ones({1, 8})) < 1e-6);
    kernels->gru(data(-x), data(-x), data(s), data(next), data(gates), 1, 8);
    CHECK(difference(next, -at::ones({1, 8})) < 1e-6);
  }
}

TEST_CASE("each instruction set packs columns as it packs the rows of the transposed matrix",
          "[kernels][bf16][unit]") {
  torch::manual_seed(29);
  constexpr int64_t kColumns = 64;
  const int64_t k = GENERATE(1, 32, 33, 100), n = GENERATE(1, 50, 64);
  const auto whole_k = (k + 63) / 64 * 64;
  auto matrix = at::randn({n, k});
  matrix[0][0] = std::numeric_limits<float>::infinity();
  matrix[n - 1][k - 1] = -std::numeric_limits<float>::infinity();
  const auto turned = matrix.t().contiguous();
  const auto halves = matrix.to(at::kBFloat16), turned_halves = turned.to(at::kBFloat16);
  const auto bits = [](const Tensor& x) { return reinterpret_cast<const uint16_t*>(x.const_data_ptr()); };
  for (const auto* kernels : available_cpu_kernels()) {
    INFO(kernels->name);
    std::vector<uint32_t> expected(static_cast<size_t>(whole_k / 2 * kColumns), 1),
        got = expected, got_halves = expected, expected_halves = expected;
    kernels->pack_rows(data(turned), n, k, n, whole_k, expected.data());
    kernels->pack_columns(data(matrix), k, k, n, whole_k, got.data());
    CHECK(got == expected);
    kernels->pack_rows_bf16(bits(turned_halves), n, k, n, whole_k, expected_halves.data());
    kernels->pack_columns_bf16(bits(halves), k, k, n, whole_k, got_halves.data());
    CHECK(expected_halves == expected);
    CHECK(got_halves == expected);
  }
}

TEST_CASE("each instruction set keeps what is no number when it packs", "[kernels][bf16][unit]") {
  const auto matrix = at::full({64, 64}, std::numeric_limits<float>::quiet_NaN());
  for (const auto* kernels : available_cpu_kernels()) {
    INFO(kernels->name);
    std::vector<uint32_t> pairs(32 * 64);
    for (const auto pack : {kernels->pack_rows, kernels->pack_columns}) {
      pack(data(matrix), 64, 64, 64, 64, pairs.data());
      CHECK(std::all_of(pairs.begin(), pairs.end(), [](uint32_t pair) {
        return (pair & 0x7fffU) > 0x7f80U && (pair >> 16 & 0x7fffU) > 0x7f80U;
      }));
    }
  }
}
