#pragma once

// For cpu_loops.cpp alone, which is compiled several times: everything is local to the file that includes it.
//
// Attention of sentences, whose heads are small: everything of one head stays in the first-level cache, and the products
// are written out, because a library call for each of them costs more than the product.

#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/cpu_kernels.h"
#include "kernels/cpu_math.h"
#include "kernels/lanes.h"

namespace gloss {
namespace {

// kTile floats as one value, which the compiler splits as the instruction set asks; left to itself it makes vectors of
// the wrong loop.
using Tile = float __attribute__((vector_size(kTile * sizeof(float)), aligned(sizeof(float)), may_alias));

inline const Tile& tile_at(const float* x) { return *reinterpret_cast<const Tile*>(x); }
inline Tile& tile_at(float* x) { return *reinterpret_cast<Tile*>(x); }

/// Parts of one scratch buffer, one after the other.
class Scratch {
 public:
  explicit Scratch(float* memory) : next_(memory) {}
  float* take(int64_t size) {
    auto* part = next_;
    next_ += size;
    return part;
  }

 private:
  float* next_;
};

/// R rows of C = A·B: c_rj = Σ_p a_rp b_pj for j < n, a multiple of kTile.
template <int R>
void product_rows(const float* a, int64_t a_stride, const float* b, float* c, int64_t n, int64_t k) {
  for (int64_t tile = 0; tile < n; tile += kTile) {
    Tile sum[R] = {};
    for (int64_t p = 0; p < k; ++p) {
      const Tile row = tile_at(b + p * n + tile);
      for (int r = 0; r < R; ++r) sum[r] += a[r * a_stride + p] * row;
    }
    for (int r = 0; r < R; ++r) tile_at(c + r * n + tile) = sum[r];
  }
}

/// C [m, n] = A [m, k] · B [k, n], n a multiple of kTile.
void product(const float* a, int64_t a_stride, const float* b, float* c, int64_t m, int64_t n, int64_t k) {
  int64_t i = 0;
  for (; i + 8 <= m; i += 8) product_rows<8>(a + i * a_stride, a_stride, b, c + i * n, n, k);
  // All that is left at once: a row by itself waits for each of its sums.
  const auto rest = [&]<int R>() { product_rows<R>(a + i * a_stride, a_stride, b, c + i * n, n, k); };
  switch (m - i) {
    case 1:
      return rest.template operator()<1>();
    case 2:
      return rest.template operator()<2>();
    case 3:
      return rest.template operator()<3>();
    case 4:
      return rest.template operator()<4>();
    case 5:
      return rest.template operator()<5>();
    case 6:
      return rest.template operator()<6>();
    case 7:
      return rest.template operator()<7>();
    default:
      return;
  }
}

/// Rows as floats, padded with zeros to `width`.
template <class T>
void load(Rows<const T> from, int64_t rows, int64_t columns, int64_t width, float* to) {
  const int64_t whole = columns / kTile * kTile;
  for (int64_t i = 0; i < rows; ++i) {
    const T* __restrict in = from.data + i * from.stride;
    float* __restrict out = to + i * width;
    for (int64_t tile = 0; tile < whole; tile += kTile)
      for (int64_t j = 0; j < kTile; ++j) out[tile + j] = to_float(in[tile + j]);
    for (int64_t j = whole; j < columns; ++j) out[j] = to_float(in[j]);
    for (int64_t j = columns; j < width; ++j) out[j] = 0.0F;
  }
}

/// The same turned: [columns, width].
template <class T>
void load_turned(Rows<const T> from, int64_t rows, int64_t columns, int64_t width, float* to) {
  for (int64_t first = 0; first < width; first += kTile) {
    const auto here = std::min(kTile, rows - first);
    for (int64_t column = 0; column < columns; column += kTile) {
      const auto wide = std::min(kTile, columns - column);
      Lanes square[kTile] = {};
      for (int64_t i = 0; i < here; ++i) {
        const T* in = from.data + (first + i) * from.stride + column;
        if (wide == kTile) {
          square[i] = lanes_of(in);
        } else {
          for (int64_t j = 0; j < wide; ++j) square[i][j] = to_float(in[j]);
        }
      }
      turn_square(square);
      for (int64_t j = 0; j < wide; ++j) store_lanes(to + (column + j) * width + first, square[j]);
    }
  }
}

/// [rows, width] turned: [width, whole_tiles(rows)]; width a multiple of kTile, what lies after the rows is not defined.
inline void turn(const float* from, int64_t rows, int64_t width, float* to) {
  load_turned(gloss::Rows<const float>{from, width}, rows, width, whole_tiles(rows), to);
}

template <class T>
void save(const float* from, int64_t rows, int64_t columns, int64_t width, Rows<T> to) {
  const int64_t whole = columns / kTile * kTile;
  for (int64_t i = 0; i < rows; ++i) {
    const float* __restrict in = from + i * width;
    T* __restrict out = to.data + i * to.stride;
    for (int64_t tile = 0; tile < whole; tile += kTile)
      for (int64_t j = 0; j < kTile; ++j) store(out + tile + j, in[tile + j]);
    for (int64_t j = whole; j < columns; ++j) store(out + j, in[j]);
  }
}

/// The largest of n numbers, n a multiple of kTile; in lanes, as a running value would not become vectors.
inline float maximum(const float* x, int64_t n) {
  Tile lanes = tile_at(x);
  for (int64_t tile = kTile; tile < n; tile += kTile)
    lanes = lanes < tile_at(x + tile) ? tile_at(x + tile) : lanes;
  float largest = lanes[0];
  for (int64_t j = 1; j < kTile; ++j) largest = largest < lanes[j] ? lanes[j] : largest;
  return largest;
}

constexpr float kHidden =
    -1e30F;  // energy of a key that may not be seen: below all others, its weight is exactly 0

/// Energies of query i in `row`, with padding at its right up to `width`: scaled, or kHidden.
inline void mask_row(const AttentionProblem& problem, int64_t i, int64_t width, float* row) {
  const int64_t seen = problem.causal
                           ? std::clamp<int64_t>(i + 1 + problem.keys - problem.queries, 0, problem.keys)
                           : problem.keys;
  for (int64_t j = 0; j < width; ++j) row[j] = j < seen ? row[j] * problem.scale : kHidden;
  if (problem.allowed == nullptr) return;
  const bool* allowed = problem.allowed + i * problem.allowed_stride;
  for (int64_t j = 0; j < problem.keys; ++j) row[j] = allowed[j] ? row[j] : kHidden;
}

/// One tile of e^(x - shift), 0 for hidden keys.
inline void exponentials(float* x, float shift) {
  for (int64_t j = 0; j < kTile; ++j) {
    const float e = fast_exp(x[j] - shift);
    x[j] = x[j] > kHidden ? e : 0.0F;
  }
}

template <class T>
void attention(const AttentionProblem& problem, Rows<const T> query, Rows<const T> key, Rows<const T> value,
               Rows<T> context, float* log_sums, float* scratch) {
  const auto n = problem.queries, m = problem.keys, d = problem.width, dp = whole_tiles(d),
             mp = whole_tiles(m);
  Scratch memory(scratch);
  auto* q = memory.take(n * dp);
  auto* k = memory.take(d * mp);
  auto* v = memory.take(m * dp);
  auto* energies = memory.take(n * mp);
  auto* sums = memory.take(n * dp);
  load(query, n, d, dp, q);
  load_turned(key, m, d, mp, k);
  load(value, m, d, dp, v);
  product(q, dp, k, energies, n, mp, d);
  for (int64_t i = 0; i < n; ++i) {
    auto* row = energies + i * mp;
    mask_row(problem, i, mp, row);
    const float largest = maximum(row, mp);
    if (largest <= kHidden) {  // nothing may be seen
      for (int64_t j = 0; j < mp; ++j) row[j] = 0.0F;
      log_sums[i] = std::numeric_limits<float>::infinity();
      continue;
    }
    Tile sums_of_lanes = {};
    for (int64_t tile = 0; tile < mp; tile += kTile) {
      exponentials(row + tile, largest);
      sums_of_lanes += tile_at(row + tile);
    }
    const float sum = sum_of(sums_of_lanes);
    const float factor = 1.0F / sum;
    for (int64_t tile = 0; tile < mp; tile += kTile) tile_at(row + tile) *= factor;
    log_sums[i] = largest + std::log(sum);
  }
  product(energies, mp, v, sums, n, dp, m);
  save(sums, n, d, dp, context);
}

template <class T>
void attention_backward(const AttentionProblem& problem, Rows<const T> query, Rows<const T> key,
                        Rows<const T> value, Rows<const T> dcontext, const float* log_sums, Rows<T> dquery,
                        Rows<T> dkey, Rows<T> dvalue, float* scratch) {
  const auto n = problem.queries, m = problem.keys, d = problem.width, dp = whole_tiles(d),
             mp = whole_tiles(m), np = whole_tiles(n);
  Scratch memory(scratch);
  auto* q = memory.take(n * dp);
  auto* k = memory.take(m * dp);
  auto* turned_k = memory.take(d * mp);
  auto* turned_v = memory.take(d * mp);
  auto* dc = memory.take(n * dp);
  auto* weights = memory.take(n * mp);  // then the gradient of the energies
  auto* dweights = memory.take(n * mp);
  auto* turned = memory.take(mp * np);  // weights, then the gradient of the energies
  auto* result = memory.take(std::max(n, m) * dp);
  load(query, n, d, dp, q);
  load(key, m, d, dp, k);
  load_turned(key, m, d, mp, turned_k);
  load_turned(value, m, d, mp, turned_v);
  load(dcontext, n, d, dp, dc);
  product(q, dp, turned_k, weights, n, mp, d);
  product(dc, dp, turned_v, dweights, n, mp, d);
  for (int64_t i = 0; i < n; ++i) {
    auto* row = weights + i * mp;
    mask_row(problem, i, mp, row);
    for (int64_t tile = 0; tile < mp; tile += kTile) exponentials(row + tile, log_sums[i]);
  }
  turn(weights, n, mp, turned);
  product(turned, np, dc, result, m, dp, n);
  save(result, m, d, dp, dvalue);
  for (int64_t i = 0; i < n; ++i) {
    auto* row = weights + i * mp;
    const auto* drow = dweights + i * mp;
    Tile products = {};
    for (int64_t tile = 0; tile < mp; tile += kTile) products += tile_at(row + tile) * tile_at(drow + tile);
    const float expected = sum_of(products);  // Σ_j w_j ∂/∂w_j
    for (int64_t tile = 0; tile < mp; tile += kTile)
      tile_at(row + tile) *= (tile_at(drow + tile) - expected) * problem.scale;
  }
  product(weights, mp, k, result, n, dp, m);
  save(result, n, d, dp, dquery);
  turn(weights, n, mp, turned);
  product(turned, np, q, result, m, dp, n);
  save(result, m, d, dp, dkey);
}

}  // namespace
}  // namespace gloss
