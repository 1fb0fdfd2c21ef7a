#include "model/transformer_layers.h"

namespace gloss {
namespace {

SelfAttention self_attention(const ModelOptions& options) {
  return SelfAttention(HeadSizes{options.model_size, options.heads}, options.attention_backend,
                       options.attention_dropout);
}

FeedForward feed_forward(const ModelOptions& options) {
  return FeedForward(options.model_size, options.ffn_size, options.activation, options.activation_dropout);
}

}  // namespace

ResidualImpl::ResidualImpl(const ModelOptions& options)
    : is_pre_(options.norm == "pre"),
      dropout_(options.dropout),
      norm_(register_module("norm", LayerNorm(options.model_size))) {}

Tensor attend_whole(SelfAttentionImpl& attention, const Tensor& x, const AttentionMask& mask,
                    const PositionsImpl& positions, const Tensor& places) {
  if (!positions.turns()) return attention.forward(x, mask);
  auto heads = attention.project(x);
  heads.query = positions.turn(heads.query, places);
  heads.key = positions.turn(heads.key, places);
  return attention.attend(heads, mask);
}

EncoderLayerImpl::EncoderLayerImpl(const ModelOptions& options)
    : around_attention_(register_module("around_attention", Residual(options))),
      around_feed_forward_(register_module("around_feed_forward", Residual(options))),
      attention_(register_module("attention", self_attention(options))),
      feed_forward_(register_module("feed_forward", feed_forward(options))) {}

Tensor EncoderLayerImpl::forward(const Tensor& x, const AttentionMask& mask, const PositionsImpl& positions,
                                 const Tensor& places) {
  const auto attended = around_attention_->forward(
      x, [&](const Tensor& input) { return attend_whole(*attention_, input, mask, positions, places); });
  return around_feed_forward_->forward(attended, [&](const Tensor& input) { return feed_forward_(input); });
}

DecoderLayerImpl::DecoderLayerImpl(const ModelOptions& options)
    : around_self_(register_module("around_self", Residual(options))),
      around_cross_(register_module("around_cross", Residual(options))),
      around_feed_forward_(register_module("around_feed_forward", Residual(options))),
      self_(register_module("self", self_attention(options))),
      cross_(register_module("cross", CrossAttention(HeadSizes{options.model_size, options.heads},
                                                     options.attention_backend, options.attention_dropout))),
      feed_forward_(register_module("feed_forward", feed_forward(options))) {}

DecoderLayerImpl::Output DecoderLayerImpl::forward(
    const Tensor& x, const std::function<Tensor(SelfAttentionImpl&, const Tensor&)>& attend_self,
    const Tensor& memory, const AttentionMask& mask, bool want_weights) {
  Output output;
  output.x = around_self_->forward(x, [&](const Tensor& input) { return attend_self(*self_, input); });
  output.x = around_cross_->forward(output.x, [&](const Tensor& input) {
    const auto seen = cross_->forward(input, memory, mask, want_weights);
    output.weights = seen.weights;
    return seen.context;
  });
  output.x =
      around_feed_forward_->forward(output.x, [&](const Tensor& input) { return feed_forward_(input); });
  return output;
}

}  // namespace gloss
