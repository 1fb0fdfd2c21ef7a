#pragma once

// For cpu_loops.cpp alone, which is compiled several times: everything is local to the file that includes it.
//
// Attention of sentences, whose heads are small: everything of one head stays in the first-level cache, and the products
// are written out, because a library call for each of them costs more than the product.

#include <algorithm>

#include "kernels/cpu_kernels.h"
#include "kernels/cpu_math.h"
#include "kernels/lanes.h"

namespace gloss {
namespace {

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

/// A matrix within memory, which may also be read turned.
struct Operand {
  const float* data;
  int64_t row, column;  // distances
};

/// R rows of C = A·B: c_rj = Σ_p a_rp b_pj for j < n, a multiple of kTile.
template <int R>
void product_rows(const Operand& a, const float* b, float* c, int64_t n, int64_t k) {
  for (int64_t tile = 0; tile < n; tile += kTile) {
    Lanes sum[R] = {};
    for (int64_t p = 0; p < k; ++p) {
      const Lanes row = lanes_of(b + p * n + tile);
      for (int r = 0; r < R; ++r) sum[r] += a.data[r * a.row + p * a.column] * row;
    }
    for (int r = 0; r < R; ++r) store_lanes(c + r * n + tile, sum[r]);
  }
}

/// C [m, n] = A [m, k] · B [k, n], n a multiple of kTile.
void product(const Operand& a, const float* b, float* c, int64_t m, int64_t n, int64_t k) {
  int64_t i = 0;
  const auto rows = [&]<int R>() {
    product_rows<R>({a.data + i * a.row, a.row, a.column}, b, c + i * n, n, k);
  };
  for (; i + 8 <= m; i += 8) rows.template operator()<8>();
  // All that is left at once: a row by itself waits for each of its sums.
  switch (m - i) {
    case 1:
      return rows.template operator()<1>();
    case 2:
      return rows.template operator()<2>();
    case 3:
      return rows.template operator()<3>();
    case 4:
      return rows.template operator()<4>();
    case 5:
      return rows.template operator()<5>();
    case 6:
      return rows.template operator()<6>();
    case 7:
      return rows.template operator()<7>();
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
    for (int64_t tile = 0; tile < whole; tile += kTile) store_lanes(out + tile, lanes_of(in + tile));
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

template <class T>
void save(const float* from, int64_t rows, int64_t columns, int64_t width, Rows<T> to) {
  const int64_t whole = columns / kTile * kTile;
  for (int64_t i = 0; i < rows; ++i) {
    const float* __restrict in = from + i * width;
    T* __restrict out = to.data + i * to.stride;
    for (int64_t tile = 0; tile < whole; tile += kTile) store_rounded(out + tile, lanes_of(in + tile));
    for (int64_t j = whole; j < columns; ++j) store(out + j, in[j]);
  }
}

// Energies lie turned, [keys, queries filled up]: a lane is a query, so that the softmax of its row needs no sum or
// maximum across lanes. What lies in the lanes after the last query is finite and not used.

constexpr float kHidden =
    -1e30F;  // energy of a key that may not be seen: below all others, its weight is exactly 0

/// Scales the energies, and hides what may not be seen. \param np distance of rows, queries filled up
inline void scale_and_hide(const AttentionProblem& problem, int64_t np, float* energies) {
  const auto n = problem.queries, m = problem.keys;
  Lanes number{};
  for (int lane = 0; lane < kTile; ++lane) number[lane] = static_cast<float>(lane);
  const Lanes hidden = Lanes{} + kHidden;
  for (int64_t j = 0; j < m; ++j) {
    auto* row = energies + j * np;
    const bool is_padding = problem.allowed != nullptr && problem.allowed_stride == 0 && !problem.allowed[j];
    // The first query that sees this key.
    const auto first = is_padding ? n + kTile : problem.causal ? j - (m - n) : 0;
    for (int64_t tile = 0; tile < np; tile += kTile) {
      const Lanes x = lanes_of(row + tile) * problem.scale;
      store_lanes(row + tile, number < static_cast<float>(first - tile) ? hidden : x);
    }
  }
  if (problem.allowed == nullptr || problem.allowed_stride == 0) return;
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = 0; j < m; ++j)
      if (!problem.allowed[i * problem.allowed_stride + j]) energies[j * np + i] = kHidden;
}

/// e^(x - top), 0 for hidden keys.
inline Lanes exponential(const Lanes& x, const Lanes& top) {
  return x <= kHidden ? Lanes{} : exp_of_lanes(x - top);
}

template <class T>
void attention(const AttentionProblem& problem, Rows<const T> query, Rows<const T> key, Rows<const T> value,
               Rows<T> context, float* statistics, float* scratch) {
  const auto n = problem.queries, m = problem.keys, d = problem.width, dp = whole_tiles(d),
             np = whole_tiles(n);
  Scratch memory(scratch);
  auto* turned_q = memory.take(d * np);
  auto* k = memory.take(m * dp);
  auto* v = memory.take(m * dp);
  auto* weights = memory.take(m * np);
  auto* sums = memory.take(n * dp);
  load_turned(query, n, d, np, turned_q);
  load(key, m, d, dp, k);
  load(value, m, d, dp, v);
  product({k, dp, 1}, turned_q, weights, m, np, d);
  scale_and_hide(problem, np, weights);
  float *tops = statistics, *factors = statistics + np;
  for (int64_t tile = 0; tile < np; tile += kTile) {
    auto* column = weights + tile;
    Lanes top = Lanes{} + kHidden, sum{};
    for (int64_t j = 0; j < m; ++j) {
      const Lanes x = lanes_of(column + j * np);
      top = top < x ? x : top;
    }
    for (int64_t j = 0; j < m; ++j) {
      const Lanes e = exponential(lanes_of(column + j * np), top);
      sum += e;
      store_lanes(column + j * np, e);
    }
    const Lanes factor = sum == 0.0F ? sum : 1.0F / sum;
    for (int64_t j = 0; j < m; ++j) store_lanes(column + j * np, lanes_of(column + j * np) * factor);
    store_lanes(tops + tile, top);
    store_lanes(factors + tile, factor);
  }
  product({weights, 1, np}, v, sums, n, dp, m);
  save(sums, n, d, dp, context);
}

template <class T>
void attention_backward(const AttentionProblem& problem, Rows<const T> query, Rows<const T> key,
                        Rows<const T> value, Rows<const T> dcontext, const float* statistics, Rows<T> dquery,
                        Rows<T> dkey, Rows<T> dvalue, float* scratch) {
  const auto n = problem.queries, m = problem.keys, d = problem.width, dp = whole_tiles(d),
             np = whole_tiles(n);
  Scratch memory(scratch);
  auto* q = memory.take(n * dp);
  auto* turned_q = memory.take(d * np);
  auto* k = memory.take(m * dp);
  auto* v = memory.take(m * dp);
  auto* dc = memory.take(n * dp);
  auto* turned_dc = memory.take(d * np);
  auto* weights = memory.take(m * np);  // then the gradient of the energies
  auto* dweights = memory.take(m * np);
  auto* result = memory.take(std::max(n, m) * dp);
  load(query, n, d, dp, q);
  load_turned(query, n, d, np, turned_q);
  load(key, m, d, dp, k);
  load(value, m, d, dp, v);
  load(dcontext, n, d, dp, dc);
  load_turned(dcontext, n, d, np, turned_dc);
  product({k, dp, 1}, turned_q, weights, m, np, d);
  product({v, dp, 1}, turned_dc, dweights, m, np, d);
  scale_and_hide(problem, np, weights);
  const float *tops = statistics, *factors = statistics + np;
  for (int64_t tile = 0; tile < np; tile += kTile) {
    const Lanes top = lanes_of(tops + tile), factor = lanes_of(factors + tile);
    for (int64_t j = 0; j < m; ++j) {
      auto* weight = weights + j * np + tile;
      store_lanes(weight, exponential(lanes_of(weight), top) * factor);
    }
  }
  product({weights, np, 1}, dc, result, m, dp, n);
  save(result, m, d, dp, dvalue);
  for (int64_t tile = 0; tile < np; tile += kTile) {
    Lanes expected{};  // Σ_j w_j ∂/∂w_j
    for (int64_t j = 0; j < m; ++j)
      expected += lanes_of(weights + j * np + tile) * lanes_of(dweights + j * np + tile);
    for (int64_t j = 0; j < m; ++j) {
      auto* weight = weights + j * np + tile;
      store_lanes(weight, lanes_of(weight) * (lanes_of(dweights + j * np + tile) - expected) * problem.scale);
    }
  }
  product({weights, 1, np}, k, result, n, dp, m);
  save(result, n, d, dp, dquery);
  product({weights, np, 1}, q, result, m, dp, n);
  save(result, m, d, dp, dkey);
}

}  // namespace
}  // namespace gloss
