#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace gloss {

/// Finaliser of splitmix64 (Steele, Lea, Flood 2014): every bit of the result hangs on every bit of `x`.
constexpr uint64_t scramble(uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

inline constexpr uint64_t kGoldenGamma = 0x9e3779b97f4a7c15ULL;

/// A seed for an independent stream: epoch 3 of seed 1, say, has nothing in common with epoch 4.
constexpr uint64_t mix(uint64_t seed, uint64_t stream) {
  return scramble(scramble(seed + kGoldenGamma) + (stream + 1) * kGoldenGamma);
}

/// splitmix64. Numbers and shuffles are the same with every compiler and standard library, so that a run can be
/// resumed elsewhere. Not for secrets.
class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}

  uint64_t next() { return scramble(state_ += kGoldenGamma); }

  /// Uniform over 0 … n-1, without bias; n > 0.
  uint64_t below(uint64_t n) {
    const uint64_t rejected = (0 - n) % n;  // 2^64 mod n
    uint64_t value = next();
    while (value < rejected) value = next();
    return value % n;
  }

  /// Uniform over [0, 1).
  double uniform() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }

  /// Fisher-Yates.
  template <class T>
  void shuffle(std::vector<T>& items) {
    for (size_t left = items.size(); left > 1; --left) std::swap(items[left - 1], items[below(left)]);
  }

 private:
  uint64_t state_;
};

}  // namespace gloss
