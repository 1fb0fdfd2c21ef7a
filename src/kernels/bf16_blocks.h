#pragma once

#include "torch.h"

namespace gloss {

/// Products of bfloat16 matrices by blocks that stay in the cache, through LibTorch's door to oneDNN's block kernels.
/// What is done with a product (bias, softmax, rounding) can then be done while it is there.

/// True where this LibTorch and this CPU have them.
bool has_bf16_blocks();

/// Columns of a block of the right-hand matrix, and rows that loops over the left-hand one take at a time.
inline constexpr int64_t kBlock = 64;
constexpr int64_t whole_blocks(int64_t n) { return (n + kBlock - 1) / kBlock * kBlock; }

/// The right-hand matrix [k, n] of a product: blocks of 64 columns, in each the values of rows 2i and 2i+1 side by side,
/// as the matrix units read them. Filled up with zeros to whole blocks in both directions.
struct PackedMatrix {
  int64_t k = 0, n = 0;  ///< filled up
  Tensor data;           ///< bfloat16 [n / 64, k / 2, 64, 2]

  const at::BFloat16* block(int64_t j, int64_t from_row = 0) const {
    return data.const_data_ptr<at::BFloat16>() + (j * k + from_row) * kBlock;
  }
};

/// \param matrix [k, n] float32 or bfloat16, rows contiguous
PackedMatrix pack(const Tensor& matrix);
/// Of the transposed matrix. \param matrix [n, k]
PackedMatrix pack_transposed(const Tensor& matrix);

/// The transposed matrix as rows. \return [columns, packed.k] bfloat16, for the first `columns` of packed.n
Tensor transposed_rows(const PackedMatrix& packed, int64_t columns);

/// Sums over the rows. \return [columns] float32
Tensor column_sums(const PackedMatrix& packed, int64_t columns);

/// c = a·b, or c += a·b. \param a [m, k] at distance lda \param b k rows of a packed block \param c [m, 64] at distance ldc
void block_product(int64_t m, int64_t k, const at::BFloat16* a, int64_t lda, const at::BFloat16* b, float* c,
                   int64_t ldc, bool adds);

/// While it lives its thread may call block_product. (The matrix units' state is given back at the end.)
class BlockProducts {
 public:
  BlockProducts() = default;
  ~BlockProducts();
  BlockProducts(const BlockProducts&) = delete;
  BlockProducts& operator=(const BlockProducts&) = delete;
};

}  // namespace gloss
