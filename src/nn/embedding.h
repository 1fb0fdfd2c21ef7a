#pragma once

#include <cstdint>

#include "torch.h"

namespace gloss {

/// A table of word vectors with variance 1/width, zero at kPad. [vocabulary, width]
Tensor make_embedding(int64_t vocabulary, int64_t width);

/// E·√width of each id (Vaswani et al. 2017, section 3.4), so of unit variance: a matrix small enough for a tied output
/// layer would otherwise hardly move what reads it at first. \param ids [...] int64 → [..., width]
Tensor embed(const Tensor& weight, const Tensor& ids);

}  // namespace gloss
