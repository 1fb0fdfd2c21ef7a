#include "nn/multi_head_attention.h"

#include "kernels/packed_attention.h"

namespace gloss {
namespace {

/// Part i of projections [batch, n, parts, heads, d], apart by head.
Tensor heads_of(const Tensor& projected, int64_t part) { return projected.select(2, part).transpose(1, 2); }

/// The mask without its axis of heads, [batch, 1 or n, m].
Tensor without_heads(const Tensor& allowed) { return allowed.defined() ? allowed.squeeze(1) : allowed; }

}  // namespace

AttentionHeads::AttentionHeads(const HeadSizes& sizes, std::string backend, double dropout)
    : width_(sizes.width), heads_(sizes.heads), backend_(std::move(backend)), dropout_(dropout) {}

Tensor AttentionHeads::apart(const Tensor& products) const {
  return products.view({products.size(0), products.size(1), products.size(2) / width_, heads_, -1});
}

bool AttentionHeads::takes_own_kernel(const Tensor& x, int64_t queries, int64_t keys,
                                      const AttentionMask& mask, bool is_training) const {
  return backend_ == "auto" && !(is_training && dropout_ > 0.0) && !mask.bias.defined() &&
         has_packed_attention(x, queries, keys);
}

HeadOutput AttentionHeads::attend(const Heads& heads, const AttentionMask& mask, bool is_training,
                                  bool want_weights) const {
  const auto &query = heads.query, &key = heads.key, &value = heads.value;
  const double dropout = is_training ? dropout_ : 0.0;
  if (!want_weights && !at::GradMode::is_enabled() &&
      takes_own_kernel(query, query.size(2), key.size(2), mask, is_training))
    return {.context = packed_attention(query.transpose(1, 2), key.transpose(1, 2), value.transpose(1, 2),
                                        without_heads(mask.allowed), mask.causal),
            .weights = {}};
  HeadOutput output;
  if (want_weights || backend_ == "explicit" || (backend_ == "auto" && dropout > 0.0 && query.is_cpu())) {
    output = explicit_attention(query, key, value, mask, dropout);
  } else {
    output.context = fused_attention(query, key, value, mask, dropout);
  }
  output.context = output.context.transpose(1, 2).flatten(2);
  return output;
}

SelfAttentionImpl::SelfAttentionImpl(const HeadSizes& sizes, const std::string& backend, double dropout)
    : heads_(sizes, backend, dropout),
      query_key_value_(register_module("query_key_value", Linear(sizes.width, 3 * sizes.width))),
      join_(register_module("join", Linear(sizes.width, sizes.width))) {}

Tensor SelfAttentionImpl::forward(const Tensor& x, const AttentionMask& mask) {
  const auto projected = heads_.apart(query_key_value_(x));
  if (heads_.takes_own_kernel(projected, x.size(1), x.size(1), mask, is_training()))
    return join_(packed_self_attention(projected, without_heads(mask.allowed), mask.causal));
  const auto parts = projected.unbind(2);  // unbound, because the gradient of that is one stack
  return attend(
      {.query = parts[0].transpose(1, 2), .key = parts[1].transpose(1, 2), .value = parts[2].transpose(1, 2)},
      mask);
}

Heads SelfAttentionImpl::project(const Tensor& x) {
  const auto projected = heads_.apart(query_key_value_(x));
  return {.query = heads_of(projected, 0), .key = heads_of(projected, 1), .value = heads_of(projected, 2)};
}

Tensor SelfAttentionImpl::attend(const Heads& heads, const AttentionMask& mask) {
  return join_(heads_.attend(heads, mask, is_training(), /*want_weights=*/false).context);
}

CrossAttentionImpl::CrossAttentionImpl(const HeadSizes& sizes, const std::string& backend, double dropout)
    : heads_(sizes, backend, dropout),
      query_(register_module("query", Linear(sizes.width, sizes.width))),
      key_value_(register_module("key_value", Linear(sizes.width, 2 * sizes.width))),
      join_(register_module("join", Linear(sizes.width, sizes.width))) {}

Tensor CrossAttentionImpl::prepare(const Tensor& states) { return heads_.apart(key_value_(states)); }

CrossAttentionImpl::Output CrossAttentionImpl::forward(const Tensor& x, const Tensor& memory,
                                                       const AttentionMask& mask, bool want_weights) {
  const auto query = heads_.apart(query_(x));
  if (!want_weights && heads_.takes_own_kernel(query, x.size(1), memory.size(1), mask, is_training()))
    return {.context = join_(packed_cross_attention(query, memory, without_heads(mask.allowed))),
            .weights = {}};
  const auto parts = memory.unbind(2);
  const auto seen = heads_.attend(
      {.query = heads_of(query, 0), .key = parts[0].transpose(1, 2), .value = parts[1].transpose(1, 2)}, mask,
      is_training(), want_weights);
  return {.context = join_(seen.context), .weights = seen.weights};
}

}  // namespace gloss
