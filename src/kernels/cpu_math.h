#pragma once

// For cpu_loops.cpp alone, which is compiled several times: everything is local to the file that includes it.

#include <bit>
#include <cstdint>

namespace gloss {
namespace {

// e^x = 2^n e^r with |r| <= ln(2)/2, e^r by its Taylor polynomial: relative error about 2e-7 near 0, 1e-5 at the ends.
// Written out because the compiler makes vectors of it in every instruction set, unlike of a call. Clamped to stay
// finite; NaN stays NaN.
inline float fast_exp(float x) {
  const float bounded = x < -87.0F ? -87.0F : (x > 88.0F ? 88.0F : x);
  const float t = bounded * 1.44269504F;
  const auto n = static_cast<int32_t>(t + (t < 0.0F ? -0.5F : 0.5F));
  const float r = (t - static_cast<float>(n)) * 0.693147181F;
  const float p =
      1.0F + r * (1.0F + r * (0.5F + r * (1.0F / 6 + r * (1.0F / 24 + r * (1.0F / 120 + r / 720)))));
  return p * std::bit_cast<float>((n + 127) << 23);
}

inline float to_float(float x) { return x; }
inline float to_float(uint16_t bits) { return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16); }

// bfloat16 is the upper half of a float: rounded to nearest, ties to even; NaN stays NaN.
inline uint32_t bf16_bits(float x) {
  const auto bits = std::bit_cast<uint32_t>(x);
  return x != x ? 0x7fc0U : (bits + 0x7fffU + ((bits >> 16) & 1U)) >> 16;
}

inline uint32_t bf16_bits(uint16_t x) { return x; }

inline void store(float* to, float x) { *to = x; }
inline void store(uint16_t* to, float x) { *to = static_cast<uint16_t>(bf16_bits(x)); }

}  // namespace
}  // namespace gloss
