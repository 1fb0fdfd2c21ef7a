#pragma once

// For cpu_loops.cpp alone, which is compiled several times: everything is local to the file that includes it.
//
// What is done with the blocks of bfloat16 products (bf16_blocks.h) before and after the matrix units.

#include <algorithm>
#include <cstdint>

#include "kernels/cpu_kernels.h"
#include "kernels/cpu_math.h"
#include "kernels/lanes.h"

namespace gloss {
namespace {

constexpr int64_t kPackedColumns = 64;

template <class T>
void pack_rows(const T* rows, int64_t stride, int64_t k, int64_t n, int64_t whole_k, uint32_t* out) {
  for (int64_t i = 0; i < whole_k; i += 2, out += kPackedColumns) {
    const T* first = rows + i * stride;
    const T* second = first + stride;
    if (i + 1 < k) {
      for (int64_t c = 0; c < n; ++c) out[c] = bf16_bits(first[c]) | bf16_bits(second[c]) << 16;
    } else {
      for (int64_t c = 0; c < n; ++c) out[c] = i < k ? bf16_bits(first[c]) : 0;
    }
    for (int64_t c = n; c < kPackedColumns; ++c) out[c] = 0;
  }
}

/// 2·kTile values as kTile pairs.
inline Bits pairs_at(const uint16_t* from) { return load_lanes<Bits>(from); }
inline Bits pairs_at(const float* from) {
  using Index = int32_t __attribute__((vector_size(4 * kTile)));
  Index even, odd;
  for (int lane = 0; lane < kTile; ++lane) {
    even[lane] = 2 * lane;
    odd[lane] = 2 * lane + 1;
  }
  const Bits first = bf16_of_lanes(lanes_of(from)), second = bf16_of_lanes(lanes_of(from + kTile));
  return __builtin_shuffle(first, second, even) | __builtin_shuffle(first, second, odd) << 16;
}

template <class T>
void pack_columns(const T* rows, int64_t stride, int64_t k, int64_t n, int64_t whole_k, uint32_t* out) {
  Bits square[kTile];
  for (int64_t c = 0; c < kPackedColumns; c += kTile) {
    for (int64_t i = 0; i < whole_k; i += 2 * kTile) {
      for (int64_t r = 0; r < kTile; ++r) {
        square[r] = Bits{};
        if (c + r >= n) continue;
        const T* row = rows + (c + r) * stride;
        if (i + 2 * kTile <= k) {
          square[r] = pairs_at(row + i);
        } else {
          for (auto j = i; j < k; ++j) square[r][(j - i) / 2] |= bf16_bits(row[j]) << ((j - i) % 2 * 16);
        }
      }
      turn_square(square);
      for (int64_t p = 0; p < kTile; ++p) store_lanes(out + (i / 2 + p) * kPackedColumns + c, square[p]);
    }
  }
}

void transpose_block(const uint32_t* pairs, int64_t n, int64_t columns, uint32_t* out, int64_t stride) {
  Bits rows[kTile];
  for (int64_t c = 0; c < columns; c += kTile) {
    for (int64_t i = 0; i < n; i += kTile) {
      for (int64_t r = 0; r < kTile; ++r) rows[r] = load_lanes<Bits>(pairs + (i + r) * kPackedColumns + c);
      turn_square(rows);
      for (int64_t r = 0; r < std::min(kTile, columns - c); ++r)
        store_lanes(out + (c + r) * stride + i, rows[r]);
    }
  }
}

template <class T>
void store_block(const float* products, const float* bias, int64_t rows, int64_t real, T* out,
                 int64_t stride) {
  const auto whole = real / kTile * kTile;
  for (int64_t r = 0; r < rows; ++r, products += kPackedColumns, out += stride) {
    for (int64_t c = 0; c < whole; c += kTile)
      store_rounded(out + c, load_lanes<Lanes>(products + c) + load_lanes<Lanes>(bias + c));
    for (int64_t c = whole; c < real; ++c) store(out + c, products[c] + bias[c]);
  }
}

void logits_block(const float* products, const float* bias, int64_t real, int64_t rows, uint16_t* logits,
                  int64_t stride, float* largest) {
  for (int64_t r = 0; r < rows; ++r, products += kPackedColumns, logits += stride, largest += kTile) {
    auto top = load_lanes<Lanes>(largest);
    for (int64_t c = 0; c < kPackedColumns; c += kTile) {
      auto x = load_lanes<Lanes>(products + c) + load_lanes<Lanes>(bias + c);
      for (int64_t lane = std::max<int64_t>(real - c, 0); lane < kTile; ++lane) x[lane] = kNoLogit;
      top = top < x ? x : top;
      store_rounded(logits + c, x);
    }
    store_lanes(largest, top);
  }
}

void softmax_pair(uint16_t* first, uint16_t* second, int64_t n, const float* tops, double* sums,
                  uint16_t* pairs, int64_t block_stride) {
  Lanes first_sum{}, second_sum{};
  for (int64_t block = 0; block < n; block += kPackedColumns) {
    for (int64_t c = block; c < block + kPackedColumns; c += kTile) {
      const auto a = exp_of_lanes(lanes_of_bf16(first + c) - tops[0]);
      const auto b = exp_of_lanes(lanes_of_bf16(second + c) - tops[1]);
      first_sum += a;
      second_sum += b;
      if (pairs == nullptr) continue;
      const auto a_bits = bf16_of_lanes(a), b_bits = bf16_of_lanes(b);
      store_lanes(first + c, __builtin_convertvector(a_bits, HalfBits));
      store_lanes(second + c, __builtin_convertvector(b_bits, HalfBits));
      store_lanes(pairs + block / kPackedColumns * block_stride + 2 * (c - block), a_bits | b_bits << 16);
    }
  }
  sums[0] = static_cast<double>(sum_of(first_sum));
  sums[1] = static_cast<double>(sum_of(second_sum));
}

void add_pair_sums(const uint32_t* pairs, const float* factors, int64_t n, float* sums) {
  for (int64_t c = 0; c < kPackedColumns; c += kTile) {
    auto sum = load_lanes<Lanes>(sums + c);
    for (int64_t i = 0; i < n; ++i) {
      const auto pair = load_lanes<Bits>(pairs + i * kPackedColumns + c);
      sum += reinterpret_cast<Lanes>(pair << 16) * factors[2 * i] +
             reinterpret_cast<Lanes>(pair & 0xffff0000U) * factors[2 * i + 1];
    }
    store_lanes(sums + c, sum);
  }
}

}  // namespace
}  // namespace gloss
