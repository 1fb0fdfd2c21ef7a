#include "kernels/bf16_linear.h"

#include <algorithm>
#include <bit>

namespace gloss {
namespace {

constexpr int64_t kBlock = 512;  // products have a multiple of so many rows, or a power of two below it
constexpr int64_t kLeast = 16;

int64_t whole_blocks(int64_t rows) { return rows / kBlock * kBlock; }

/// Fewer rows than a block, with zeros below them up to a power of two.
Tensor padded(const Tensor& rows) {
  const auto n = std::max(static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(rows.size(0)))), kLeast);
  if (n == rows.size(0)) return rows;
  auto result = at::zeros({n, rows.size(1)}, rows.options());
  result.narrow(0, 0, rows.size(0)).copy_(rows);
  return result;
}

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

struct Bf16Linear : torch::autograd::Function<Bf16Linear> {
  static Tensor forward(AutogradContext* context, const Tensor& x, const Tensor& weight,
                        const std::optional<Tensor>& bias) {
    const auto rows = x.reshape({-1, x.size(-1)}).to(at::kBFloat16);
    const auto w = weight.to(at::kBFloat16);
    auto y = at::empty({rows.size(0), w.size(0)}, rows.options());
    bf16_product(y, rows, w.t());
    if (bias) y.add_(bias->to(at::kBFloat16));
    context->save_for_backward({rows, w});
    context->saved_data["type"] = static_cast<int64_t>(x.scalar_type());
    context->saved_data["has_bias"] = bias.has_value();
    context->saved_data["sizes"] = x.sizes().vec();
    auto sizes = x.sizes().vec();
    sizes.back() = w.size(0);
    return y.view(sizes);
  }

  static variable_list backward(AutogradContext* context, variable_list gradients) {
    const auto saved = context->get_saved_variables();
    const auto &rows = saved[0], &w = saved[1];
    const auto dy = gradients[0].reshape({rows.size(0), -1}).to(at::kBFloat16);
    auto dx = at::empty_like(rows);
    bf16_product(dx, dy, w);
    const auto dweight = at::zeros(w.sizes(), w.options().dtype(at::kFloat));
    add_bf16_product(dweight, dy, rows);
    Tensor dbias;
    if (context->saved_data["has_bias"].toBool()) dbias = dy.sum(0).to(at::kFloat);
    const auto type = static_cast<at::ScalarType>(context->saved_data["type"].toInt());
    return {dx.to(type).view(context->saved_data["sizes"].toIntVector()), dweight, dbias};
  }
};

}  // namespace

Tensor bf16_linear(const Tensor& x, const Tensor& weight, const Tensor& bias) {
  return Bf16Linear::apply(x, weight, bias.defined() ? std::optional(bias) : std::nullopt);
}

void bf16_product(const Tensor& out, const Tensor& a, const Tensor& b) {
  const auto multiply = [&](int64_t begin, int64_t rows) {
    auto part = out.narrow(0, begin, rows);
    at::mm_out(part, a.narrow(0, begin, rows), b);
  };
  const auto rows = a.size(0), whole = whole_blocks(rows);
  if (whole == 0) {
    const auto input = padded(a);
    if (input.size(0) == rows) return multiply(0, rows);
    auto result = out;
    result.copy_(at::mm(input, b).narrow(0, 0, rows));
    return;
  }
  multiply(0, whole);
  if (whole < rows) multiply(rows - kBlock, kBlock);  // makes some rows again
}

void add_bf16_product(const Tensor& out, const Tensor& a, const Tensor& b) {
  const auto rows = a.size(0), whole = whole_blocks(rows);
  if (whole > 0) out.add_(at::mm(a.narrow(0, 0, whole).t(), b.narrow(0, 0, whole)));
  const auto rest = rows - whole;
  if (rest > 0) out.add_(at::mm(padded(a.narrow(0, whole, rest)).t(), padded(b.narrow(0, whole, rest))));
}

}  // namespace gloss
