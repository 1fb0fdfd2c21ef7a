#pragma once

// For cpu_loops.cpp alone, which is compiled several times: everything is local to the file that includes it.

#include <cstdint>
#include <cstring>

#include "kernels/cpu_kernels.h"

namespace gloss {
namespace {

// One vector register's worth, written as such: from plain loops over so many elements the compiler makes shuffles.
using Lanes = float __attribute__((vector_size(4 * kTile)));
using Bits = uint32_t __attribute__((vector_size(4 * kTile)));
using HalfBits = uint16_t __attribute__((vector_size(2 * kTile)));

template <class V, class T>
inline V load_lanes(const T* from) {
  V lanes;
  std::memcpy(&lanes, from, sizeof lanes);
  return lanes;
}

template <class T, class V>
inline void store_lanes(T* to, const V& lanes) {
  std::memcpy(to, &lanes, sizeof lanes);
}

inline Lanes lanes_of_bf16(const uint16_t* from) {
  return reinterpret_cast<Lanes>(__builtin_convertvector(load_lanes<HalfBits>(from), Bits) << 16);
}

// As bf16_bits, but for NaN, of which it keeps those that arithmetic makes.
inline Bits bf16_of_lanes(Lanes x) {
  const auto bits = reinterpret_cast<Bits>(x);
  return (bits + 0x7fffU + ((bits >> 16) & 1U)) >> 16;
}

// fast_exp for x <= 0 or little above, as exact as a sum of probabilities needs it: to 3e-6.
inline Lanes exp_of_lanes(Lanes x) {
  using Whole = int32_t __attribute__((vector_size(4 * kTile)));
  const Lanes least = Lanes{} - 87.0F;
  const Lanes t = (x < least ? least : x) * 1.44269504F;
  const auto n = __builtin_convertvector(t - 0.5F, Whole);
  const Lanes r = (t - __builtin_convertvector(n, Lanes)) * 0.693147181F;
  const Lanes p = 1.0F + r * (1.0F + r * (0.5F + r * (1.0F / 6 + r * (1.0F / 24 + r * (1.0F / 120)))));
  return p * reinterpret_cast<Lanes>((n + 127) << 23);
}

inline Lanes lanes_of(const float* x) { return load_lanes<Lanes>(x); }
inline Lanes lanes_of(const uint16_t* x) { return lanes_of_bf16(x); }

inline void store_rounded(float* to, const Lanes& x) { store_lanes(to, x); }
inline void store_rounded(uint16_t* to, const Lanes& x) {
  store_lanes(to, __builtin_convertvector(bf16_of_lanes(x), HalfBits));
}

inline float sum_of(const Lanes& x, float rest = 0.0F) {
  for (int64_t lane = 0; lane < kTile; ++lane) rest += x[lane];
  return rest;
}

// One step of turning a square of kTile rows: squares of kStep change places across the diagonal.
template <int kStep, class V>
inline void exchange(V* rows) {
  using Index = int32_t __attribute__((vector_size(4 * kTile)));
  Index upper, lower;
  for (int lane = 0; lane < kTile; ++lane) {
    const bool second = (lane & kStep) != 0;
    upper[lane] = second ? static_cast<int>(kTile) + lane - kStep : lane;
    lower[lane] = second ? static_cast<int>(kTile) + lane : lane + kStep;
  }
  for (int i = 0; i < kTile; ++i) {
    if ((i & kStep) != 0) continue;
    const V a = rows[i], b = rows[i + kStep];
    rows[i] = __builtin_shuffle(a, b, upper);
    rows[i + kStep] = __builtin_shuffle(a, b, lower);
  }
}

/// Rows become columns. \param rows [kTile] of four-byte values
template <class V>
inline void turn_square(V* rows) {
#ifdef __AVX512F__
  exchange<8>(rows);
  exchange<4>(rows);
  exchange<2>(rows);
  exchange<1>(rows);
#else  // without registers of this width the steps fall apart into single moves, and more of them
  for (int i = 0; i < kTile; ++i)
    for (int j = 0; j < i; ++j) {
      const auto x = rows[i][j];
      rows[i][j] = rows[j][i];
      rows[j][i] = x;
    }
#endif
}

}  // namespace
}  // namespace gloss
