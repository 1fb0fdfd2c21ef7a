#pragma once

#include <string>
#include <vector>

#include "torch.h"

namespace gloss {

/// How softmax(QKᵀ/√d)V is computed: auto takes the fastest fused kernel, our own or LibTorch's, where there is one; fused
/// insists on LibTorch's; explicit writes the formula out.
std::vector<std::string> attention_backend_names();

/// Which key each query may see, beyond all of them, and what is added to its energies.
struct AttentionMask {
  Tensor
      allowed;  ///< bool, broadcastable to [batch, heads, queries, keys], true = may be seen; undefined: all
  Tensor bias;  ///< added to the energies, broadcastable likewise; undefined: nothing
  bool causal = false;  ///< query i of n sees key j of m where j - m <= i - n: the last query sees every key
};

struct HeadOutput {
  Tensor context;  ///< [batch, heads, queries, width]
  Tensor weights;  ///< [batch, heads, queries, keys]; the explicit formula only
};

/// The formula as it is written (Vaswani et al. 2017, eq. 1):  softmax(QKᵀ/√d + bias) V  over the allowed keys, with
/// dropout on the weights. A query without an allowed key gets zeros. The reference for the fused kernels, and what is
/// used whenever weights are wanted.
/// \param query [batch, heads, queries, d]  \param key, value [batch, heads, keys, d]
HeadOutput explicit_attention(const Tensor& query, const Tensor& key, const Tensor& value,
                              const AttentionMask& mask, double dropout);

/// The same by at::scaled_dot_product_attention, without weights.
Tensor fused_attention(const Tensor& query, const Tensor& key, const Tensor& value, const AttentionMask& mask,
                       double dropout);

/// Whether LibTorch would take a fused kernel for these inputs, and which: "flash", "memory-efficient", "cudnn"; empty
/// where it would write the formula out ("math").
std::string fused_kernel(const Tensor& query, const Tensor& key, const Tensor& value,
                         const AttentionMask& mask, double dropout);

/// The backend that will be used for heads of this width, in words for logs: "fused (flash kernel on cpu)", "explicit".
/// Throws UsageError when `fused` is asked for and no kernel does it.
std::string describe_attention_backend(const std::string& backend, int64_t head_width, double dropout,
                                       const at::TensorOptions& options);

}  // namespace gloss
