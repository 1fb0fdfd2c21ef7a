#pragma once

#include "kernels/shared_inputs.h"
#include "torch.h"

namespace gloss {

/// Bahdanau, Cho, Bengio 2015, A.1.2:  e_ts = v^T tanh(q_t + K_s), q and K already projected, for queries one after another.
/// The sum over k is made on the fly: [batch, tgt_len, src_len, k] never exists, in the gradient neither; those of K and v
/// are summed over all queries in one place.
/// To be made anew for each run over a sequence; first derivatives only.
class AdditiveEnergies {
 public:
  /// \param keys K [batch, src_len, k]  \param v [k]
  AdditiveEnergies(const Tensor& keys, const Tensor& v);

  /// \param query [batch, tgt_len, k]  \return [batch, tgt_len, src_len]
  Tensor operator()(const Tensor& query) const;

 private:
  Tensor keys_, v_;
  SharedRun run_;  // null where there is no kernel
  Tensor anchor_;
};

}  // namespace gloss
