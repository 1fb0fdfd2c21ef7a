#pragma once

#include <string>

#include "nn/linear.h"
#include "nn/scaled_dot_product.h"
#include "torch.h"

namespace gloss {

struct HeadSizes {
  int64_t width = 0;  ///< of the model
  int64_t heads = 1;  ///< each width/heads wide
};

/// Queries, keys or values apart by head: [batch, heads, n, width/heads].
struct Heads {
  Tensor query, key, value;
};

/// What both kinds of multi-head attention share: softmax(QKᵀ/√d)V of all heads by the backend that was chosen.
/// `auto` takes our own kernel for sentences on a CPU (kernels/packed_attention.h), else LibTorch's fused one, and writes
/// the formula out where neither has what is asked for.
class AttentionHeads {
 public:
  AttentionHeads(const HeadSizes& sizes, std::string backend, double dropout);

  /// Projections [batch, n, parts·width] apart by part and head: [batch, n, parts, heads, d]; no copy.
  Tensor apart(const Tensor& products) const;

  /// The contexts of all heads side by side [batch, queries, width]; weights only if wanted, then by the formula.
  HeadOutput attend(const Heads& heads, const AttentionMask& mask, bool is_training, bool want_weights) const;

  /// Whether our own kernel is to be taken, for projections as they are or for heads without a gradient.
  bool takes_own_kernel(const Tensor& x, int64_t queries, int64_t keys, const AttentionMask& mask,
                        bool is_training) const;

 private:
  int64_t width_, heads_;
  std::string backend_;
  double dropout_;
};

/// Multi-head attention of a sequence over itself (Vaswani et al. 2017, section 3.2.2); queries, keys and values of all
/// heads are one product. In parts, so that a decoder can turn heads and keep keys and values between steps.
class SelfAttentionImpl : public torch::nn::Module {
 public:
  SelfAttentionImpl(const HeadSizes& sizes, const std::string& backend, double dropout);

  /// [batch, n, width] → [batch, n, width], each position over all
  Tensor forward(const Tensor& x, const AttentionMask& mask);

  Heads project(const Tensor& x);
  /// [batch, n, width] from heads that project() made, whose keys and values may have been extended
  Tensor attend(const Heads& heads, const AttentionMask& mask);

 private:
  AttentionHeads heads_;
  Linear query_key_value_{nullptr}, join_{nullptr};
};
TORCH_MODULE(SelfAttention);

/// Multi-head attention of the decoder over the encoder's states; their keys and values are projected once a batch.
class CrossAttentionImpl : public torch::nn::Module {
 public:
  CrossAttentionImpl(const HeadSizes& sizes, const std::string& backend, double dropout);

  /// Keys and values of encoder states [batch, src_len, width]: [batch, src_len, 2, heads, d]
  Tensor prepare(const Tensor& states);

  struct Output {
    Tensor context;  ///< [batch, n, width]
    Tensor weights;  ///< [batch, heads, n, src_len] if wanted
  };
  /// \param x [batch, n, width]  \param memory what prepare() gave
  Output forward(const Tensor& x, const Tensor& memory, const AttentionMask& mask, bool want_weights);

 private:
  AttentionHeads heads_;
  Linear query_{nullptr}, key_value_{nullptr}, join_{nullptr};
};
TORCH_MODULE(CrossAttention);

}  // namespace gloss
