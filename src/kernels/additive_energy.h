#pragma once

#include "torch.h"

namespace gloss {

/// Bahdanau, Cho, Bengio 2015, A.1.2:  e_ts = v^T tanh(q_t + K_s), q and K already projected.
/// The sum over k is made on the fly: [batch, tgt_len, src_len, k] never exists, in the gradient neither.
///
/// \param query  [batch, tgt_len, k]
/// \param keys   [batch, src_len, k]
/// \param v      [k]
/// \return       [batch, tgt_len, src_len]
Tensor additive_energy(const Tensor& query, const Tensor& keys, const Tensor& v);

}  // namespace gloss
