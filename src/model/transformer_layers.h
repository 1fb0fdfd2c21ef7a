#pragma once

#include <functional>
#include <vector>

#include "kernels/dropout.h"
#include "model/model_options.h"
#include "nn/feed_forward.h"
#include "nn/layer_norm.h"
#include "nn/multi_head_attention.h"
#include "nn/positions.h"
#include "torch.h"

namespace gloss {

/// A sublayer F within its residual connection:
///   pre   x + dropout(F(norm(x)))    (needs one more norm after the last layer)
///   post  norm(x + dropout(F(x)))    (Vaswani et al. 2017, section 3.1)
/// x stays in float32 whatever the precision of F.
class ResidualImpl : public torch::nn::Module {
 public:
  explicit ResidualImpl(const ModelOptions& options);

  template <class F>
  Tensor forward(const Tensor& x, const F& sublayer) {
    if (is_pre_) return dropout_add(x, sublayer(norm_->for_products(x)), dropout_, is_training());
    return norm_(dropout_add(x, sublayer(for_products(x)), dropout_, is_training()));
  }

 private:
  bool is_pre_;
  double dropout_;
  LayerNorm norm_;
};
TORCH_MODULE(Residual);

/// Self-attention of whole sequences with the positions' part in it. \param places [n] int64
Tensor attend_whole(SelfAttentionImpl& attention, const Tensor& x, const AttentionMask& mask,
                    const PositionsImpl& positions, const Tensor& places);

/// Self-attention and a feed-forward network.
class EncoderLayerImpl : public torch::nn::Module {
 public:
  explicit EncoderLayerImpl(const ModelOptions& options);

  /// \param x [batch, src_len, width]  \param places [src_len] int64
  Tensor forward(const Tensor& x, const AttentionMask& mask, const PositionsImpl& positions,
                 const Tensor& places);

 private:
  Residual around_attention_, around_feed_forward_;
  SelfAttention attention_;
  FeedForward feed_forward_;
};
TORCH_MODULE(EncoderLayer);

/// Self-attention, attention over the source, and a feed-forward network.
class DecoderLayerImpl : public torch::nn::Module {
 public:
  explicit DecoderLayerImpl(const ModelOptions& options);

  /// What the attention over the source reads, once a batch. [batch, src_len, 2, heads, d]
  Tensor prepare(const Tensor& states) { return cross_->prepare(states); }

  struct Output {
    Tensor x;        ///< [batch, n, width]
    Tensor weights;  ///< of the attention over the source [batch, heads, n, src_len], if wanted
  };

  /// \param x [batch, n, width]
  /// \param attend_self the self-attention: of a whole target, or of one step with what came before
  /// \param memory what prepare() gave, `mask` which positions of it are real
  Output forward(const Tensor& x, const std::function<Tensor(SelfAttentionImpl&, const Tensor&)>& attend_self,
                 const Tensor& memory, const AttentionMask& mask, bool want_weights);

 private:
  Residual around_self_, around_cross_, around_feed_forward_;
  SelfAttention self_;
  CrossAttention cross_;
  FeedForward feed_forward_;
};
TORCH_MODULE(DecoderLayer);

}  // namespace gloss
