#include "kernels/bf16_linear.h"

#include <algorithm>
#include <bit>
#include <vector>

#include "kernels/bf16_blocks.h"
#include "kernels/cpu_kernels.h"

namespace gloss {
namespace {

constexpr int64_t kRows = 2 * kBlock;    // of a product at a time
constexpr int64_t kSummed = 8 * kBlock;  // rows that the gradient of the weights sums over at a time

/// The matrix as bfloat16 rows without gaps, filled up with zeros to whole blocks of columns.
Tensor whole_columns(const Tensor& matrix) {
  const auto rows = matrix.to(at::kBFloat16).contiguous();
  const auto missing = whole_blocks(rows.size(1)) - rows.size(1);
  return missing == 0 ? rows : at::constant_pad_nd(rows, {0, missing});
}

/// a·b in float32, summed over many columns of a. \param a [m, b.k] bfloat16  \return [m, b.n]
Tensor long_product(const Tensor& a, const PackedMatrix& b) {
  auto result = at::empty({a.size(0), b.n}, a.options().dtype(at::kFloat));
  if (b.k == 0) return result.zero_();
  const auto* from = a.const_data_ptr<at::BFloat16>();
  auto* to = result.mutable_data_ptr<float>();
  at::parallel_for(0, b.n / kBlock, 1, [&](int64_t begin, int64_t end) {
    const BlockProducts products;
    for (auto j = begin; j < end; ++j)
      for (int64_t row = 0; row < b.k; row += kSummed)
        block_product(a.size(0), std::min(kSummed, b.k - row), from + row, b.k, b.block(j, row),
                      to + j * kBlock, b.n,
                      /*adds=*/row > 0);
  });
  return result;
}

}  // namespace

Tensor bf16_product(const Tensor& rows_of_a, const PackedMatrix& b, int64_t columns, const Tensor& bias,
                    at::ScalarType type) {
  const auto a = whole_columns(rows_of_a);
  const auto rows = a.size(0);
  TORCH_CHECK(type == at::kFloat || type == at::kBFloat16, "a bf16 product answers in float32 or bfloat16");
  auto result = at::empty({rows, columns}, a.options().dtype(type));
  const auto whole_bias = bias.defined() ? at::constant_pad_nd(bias, {0, b.n - columns}) : at::zeros({b.n});
  const auto* from = a.const_data_ptr<at::BFloat16>();
  const auto* added = whole_bias.const_data_ptr<float>();
  const auto store = [&](const float* products, int64_t row, int64_t n, int64_t column) {
    const auto real = std::min(kBlock, columns - column);
    const auto place = row * columns + column;
    if (type == at::kFloat) {
      cpu_kernels().store_block(products, added + column, n, real, result.mutable_data_ptr<float>() + place,
                                columns);
    } else {
      cpu_kernels().store_block_bf16(
          products, added + column, n, real,
          reinterpret_cast<uint16_t*>(result.mutable_data_ptr<at::BFloat16>()) + place, columns);
    }
  };
  at::parallel_for(0, (rows + kRows - 1) / kRows, 1, [&](int64_t begin, int64_t end) {
    const BlockProducts products;
    std::vector<float> scratch(kRows * kBlock);
    std::vector<at::BFloat16> filled_up;
    for (auto i = begin * kRows; i < std::min(end * kRows, rows); i += kRows) {
      const auto n = std::min(kRows, rows - i);
      // The last rows: as many as a power of two, or each number of them would be a shape of its own.
      const auto whole_n =
          std::max<int64_t>(16, static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(n))));
      const auto* block = from + i * b.k;
      if (n < whole_n) {
        filled_up.assign(static_cast<size_t>(whole_n * b.k), at::BFloat16(0));
        std::copy(block, block + n * b.k, filled_up.begin());
        block = filled_up.data();
      }
      for (int64_t column = 0; column < columns; column += kBlock) {
        block_product(whole_n, b.k, block, b.k, b.block(column / kBlock), scratch.data(), kBlock,
                      /*adds=*/false);
        store(scratch.data(), i, n, column);
      }
    }
  });
  return result;
}

Tensor bf16_weight_gradient(const PackedMatrix& dy, int64_t out, const Tensor& x) {
  return long_product(transposed_rows(dy, out), pack(x)).narrow(1, 0, x.size(1));
}

namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

struct Bf16Linear : torch::autograd::Function<Bf16Linear> {
  static Tensor forward(AutogradContext* context, const Tensor& x, const Tensor& weight,
                        const std::optional<Tensor>& bias) {
    const auto rows = x.reshape({-1, x.size(-1)}).to(at::kBFloat16).contiguous();
    context->save_for_backward({rows, weight});
    context->saved_data["type"] = static_cast<int64_t>(x.scalar_type());
    context->saved_data["has_bias"] = bias.has_value();
    context->saved_data["sizes"] = x.sizes().vec();
    auto sizes = x.sizes().vec();
    sizes.back() = weight.size(0);
    return bf16_product(rows, pack_transposed(weight.contiguous()), weight.size(0), bias.value_or(Tensor()),
                        x.scalar_type())
        .view(sizes);
  }

  static variable_list backward(AutogradContext* context, variable_list gradients) {
    const auto saved = context->get_saved_variables();
    const auto &rows = saved[0], &weight = saved[1];
    const auto dy = gradients[0].reshape({-1, weight.size(0)}).to(at::kBFloat16).contiguous();
    const auto type = static_cast<at::ScalarType>(context->saved_data["type"].toInt());
    const auto dx = bf16_product(dy, pack(weight.contiguous()), weight.size(1), {}, type);
    const auto dy_pairs = pack(dy);
    const auto dweight = bf16_weight_gradient(dy_pairs, weight.size(0), rows);
    Tensor dbias;
    if (context->saved_data["has_bias"].toBool()) dbias = column_sums(dy_pairs, weight.size(0));
    return {dx.view(context->saved_data["sizes"].toIntVector()), dweight, dbias};
  }
};

}  // namespace

Tensor bf16_linear(const Tensor& x, const Tensor& weight, const Tensor& bias) {
  if (has_bf16_blocks())
    return Bf16Linear::apply(x, weight, bias.defined() ? std::optional(bias) : std::nullopt);
  return at::linear(x.to(at::kBFloat16), weight.to(at::kBFloat16),
                    bias.defined() ? bias.to(at::kBFloat16) : Tensor())
      .to(x.scalar_type());
}

}  // namespace gloss
