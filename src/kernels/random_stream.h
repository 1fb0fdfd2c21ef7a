#pragma once

#include "torch.h"

namespace gloss {

/// The generator that random numbers on the CPU are drawn from in this thread: that of a living RandomStream, else
/// torch's default one.
at::Generator cpu_generator();

/// While it lives, its thread draws from a generator of its own, so that what is drawn doesn't depend on what other
/// threads do meanwhile.
class RandomStream {
 public:
  explicit RandomStream(uint64_t seed);
  ~RandomStream();
  RandomStream(const RandomStream&) = delete;
  RandomStream& operator=(const RandomStream&) = delete;

 private:
  at::Generator former_;
};

/// 64 random bits from cpu_generator().
uint64_t draw_key();

}  // namespace gloss
