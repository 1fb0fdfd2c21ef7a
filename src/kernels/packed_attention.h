#pragma once

#include <cstdint>

#include "torch.h"

namespace gloss {

/// Whether packed_attention() computes this: float32 or bfloat16 on a CPU, in sizes whose energies of one head stay in the
/// cache. Beyond them LibTorch's kernel, which works in blocks, is as fast.
bool has_packed_attention(const Tensor& x, int64_t queries, int64_t keys);

/// softmax(QKᵀ/√d)V of all heads, from the projections as they come out of one product and, in the gradient, back into
/// it: nothing is rearranged in memory. Energies and softmax are float32 for either number type.
///
/// \param query      [batch, n, heads, d], last axis dense
/// \param key, value [batch, m, heads, d], likewise
/// \param allowed    bool [batch, 1 or n, m], true = may be seen; undefined: all
/// \param causal     query i of n sees key j of m where j - m <= i - n
/// \return           [batch, n, heads·d]
Tensor packed_attention(const Tensor& query, const Tensor& key, const Tensor& value, const Tensor& allowed,
                        bool causal);

/// The same with its gradient, from projections [batch, n, 3, heads, d] of queries, keys and values.
Tensor packed_self_attention(const Tensor& query_key_value, const Tensor& allowed, bool causal);

/// From projections [batch, n, 1, heads, d] of queries and [batch, m, 2, heads, d] of keys and values.
Tensor packed_cross_attention(const Tensor& query, const Tensor& key_value, const Tensor& allowed);

}  // namespace gloss
