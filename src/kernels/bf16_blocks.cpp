#include "kernels/bf16_blocks.h"

#include <ATen/native/CPUBlas.h>

#include <algorithm>
#include <vector>

#include "kernels/cpu_kernels.h"

namespace gloss {
namespace {

template <class T>
const T* values(const Tensor& x);
template <>
const float* values(const Tensor& x) {
  return x.const_data_ptr<float>();
}
template <>
const uint16_t* values(const Tensor& x) {
  return reinterpret_cast<const uint16_t*>(x.const_data_ptr<at::BFloat16>());
}

PackedMatrix empty_packed(int64_t k, int64_t n) {
  k = whole_blocks(k);
  n = whole_blocks(n);
  return {.k = k, .n = n, .data = at::empty({n / kBlock, k / 2, kBlock, 2}, at::kBFloat16)};
}

uint32_t* pairs(PackedMatrix& packed, int64_t j) {
  return reinterpret_cast<uint32_t*>(packed.data.mutable_data_ptr<at::BFloat16>()) +
         j * packed.k / 2 * kBlock;
}

/// \param block_step where the values of a block begin in the matrix, counted from the block before
template <class T>
PackedMatrix pack_as(CpuKernels::PackRows<T> kernel, const Tensor& matrix, int64_t k, int64_t n,
                     int64_t block_step) {
  auto packed = empty_packed(k, n);
  const auto* from = values<T>(matrix);
  at::parallel_for(0, packed.n / kBlock, 1, [&](int64_t begin, int64_t end) {
    for (auto j = begin; j < end; ++j)
      kernel(from + j * block_step, matrix.stride(0), k, std::min(kBlock, n - j * kBlock), packed.k,
             pairs(packed, j));
  });
  return packed;
}

}  // namespace

Tensor transposed_rows(const PackedMatrix& packed, int64_t columns) {
  auto rows = at::empty({columns, packed.k}, packed.data.options());
  auto* to = reinterpret_cast<uint32_t*>(rows.mutable_data_ptr<at::BFloat16>());
  const auto pairs = packed.k / 2;
  at::parallel_for(0, (columns + kBlock - 1) / kBlock, 1, [&](int64_t begin, int64_t end) {
    for (auto j = begin; j < end; ++j)
      cpu_kernels().transpose_block(reinterpret_cast<const uint32_t*>(packed.block(j)), pairs,
                                    std::min(kBlock, columns - j * kBlock), to + j * kBlock * pairs, pairs);
  });
  return rows;
}

Tensor column_sums(const PackedMatrix& packed, int64_t columns) {
  auto sums = at::zeros({packed.n}, at::kFloat);
  const std::vector<float> ones(static_cast<size_t>(packed.k), 1.0F);
  for (int64_t j = 0; j < packed.n / kBlock; ++j)
    cpu_kernels().add_pair_sums(reinterpret_cast<const uint32_t*>(packed.block(j)), ones.data(), packed.k / 2,
                                sums.mutable_data_ptr<float>() + j * kBlock);
  return sums.narrow(0, 0, columns);
}

#ifdef CPUBLAS_BRGEMM_BF16BF16F32

bool has_bf16_blocks() {
  static const bool has = at::native::cpublas::could_pack(at::kBFloat16);
  return has;
}

void block_product(int64_t m, int64_t k, const at::BFloat16* a, int64_t lda, const at::BFloat16* b, float* c,
                   int64_t ldc, bool adds) {
  at::native::cpublas::brgemm(m, kBlock, k, lda, kBlock, ldc, adds, a, b, c);
}

BlockProducts::~BlockProducts() { at::native::cpublas::brgemm_release(); }

#else

bool has_bf16_blocks() { return false; }
void block_product(int64_t, int64_t, const at::BFloat16*, int64_t, const at::BFloat16*, float*, int64_t,
                   bool) {
  TORCH_CHECK(false, "this LibTorch has no block products");
}
BlockProducts::~BlockProducts() = default;

#endif

PackedMatrix pack(const Tensor& matrix) {
  const auto k = matrix.size(0), n = matrix.size(1);
  return matrix.scalar_type() == at::kFloat
             ? pack_as<float>(cpu_kernels().pack_rows, matrix, k, n, kBlock)
             : pack_as<uint16_t>(cpu_kernels().pack_rows_bf16, matrix, k, n, kBlock);
}

PackedMatrix pack_transposed(const Tensor& matrix) {
  const auto n = matrix.size(0), k = matrix.size(1), block_step = kBlock * matrix.stride(0);
  return matrix.scalar_type() == at::kFloat
             ? pack_as<float>(cpu_kernels().pack_columns, matrix, k, n, block_step)
             : pack_as<uint16_t>(cpu_kernels().pack_columns_bf16, matrix, k, n, block_step);
}

}  // namespace gloss
