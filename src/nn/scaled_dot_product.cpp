#include "nn/scaled_dot_product.h"

#include <ATen/SDPBackend.h>

#include <cmath>
#include <limits>
#include <optional>

#include "core/error.h"
#include "kernels/dropout.h"
#include "kernels/packed_attention.h"
#include "nn/attention.h"

namespace gloss {
namespace {

Tensor causal_allowed(const Tensor& query, const Tensor& key) {
  const auto queries = query.size(2), keys = key.size(2);
  return at::ones({queries, keys}, query.options().dtype(at::kBool)).tril(keys - queries);
}

// What may be seen with causality written out; undefined where everything may.
Tensor all_allowed(const Tensor& query, const Tensor& key, const AttentionMask& mask) {
  if (!mask.causal) return mask.allowed;
  const auto causal = causal_allowed(query, key);
  return mask.allowed.defined() ? at::logical_and(mask.allowed, causal) : causal;
}

// The built-in flag aligns its triangle to the upper left, so it is right for as many queries as keys only.
bool takes_causal_flag(const Tensor& query, const Tensor& key, const AttentionMask& mask) {
  return mask.causal && !mask.allowed.defined() && !mask.bias.defined() && query.size(2) == key.size(2);
}

struct FusedMask {
  std::optional<Tensor> added{};  // to the energies, or bool
  bool causal_flag = false;
};

FusedMask fused_mask(const Tensor& query, const Tensor& key, const AttentionMask& mask) {
  if (takes_causal_flag(query, key, mask)) return {.causal_flag = true};
  const auto allowed = all_allowed(query, key, mask);
  if (!allowed.defined() && !mask.bias.defined()) return {};
  if (!mask.bias.defined()) return {.added = allowed};
  if (!allowed.defined()) return {.added = mask.bias};
  return {.added = mask.bias.masked_fill(~allowed, -std::numeric_limits<double>::infinity())};
}

}  // namespace

std::vector<std::string> attention_backend_names() { return {"auto", "fused", "explicit"}; }

HeadOutput explicit_attention(const Tensor& query, const Tensor& key, const Tensor& value,
                              const AttentionMask& mask, double dropout) {
  const double scale = 1.0 / std::sqrt(static_cast<double>(query.size(3)));
  auto energies = at::matmul(query * scale, key.transpose(2, 3));  // [batch, heads, queries, keys]
  if (mask.bias.defined()) energies = energies + mask.bias;
  const auto allowed = all_allowed(query, key, mask);
  const auto weights = masked_softmax(energies, allowed);
  const auto kept = seeded_dropout(weights, dropout, dropout > 0.0).to(value.scalar_type());
  return {.context = at::matmul(kept, value), .weights = weights};
}

Tensor fused_attention(const Tensor& query, const Tensor& key, const Tensor& value, const AttentionMask& mask,
                       double dropout) {
  const auto [added, causal_flag] = fused_mask(query, key, mask);
  if (!query.is_cpu() || query.scalar_type() != at::kBFloat16)
    return at::scaled_dot_product_attention(query, key, value, added, dropout, causal_flag);
  // On a CPU the kernel makes a library call of each small product, which in bf16 costs many times the product itself.
  return at::scaled_dot_product_attention(query.to(at::kFloat), key.to(at::kFloat), value.to(at::kFloat),
                                          added, dropout, causal_flag)
      .to(at::kBFloat16);
}

std::string fused_kernel(const Tensor& query, const Tensor& key, const Tensor& value,
                         const AttentionMask& mask, double dropout) {
  const auto [added, causal_flag] = fused_mask(query, key, mask);
  switch (at::_fused_sdp_choice(query, key, value, added, dropout, causal_flag)) {
    case static_cast<int64_t>(at::SDPBackend::flash_attention):
      return "flash";
    case static_cast<int64_t>(at::SDPBackend::efficient_attention):
      return "memory-efficient";
    case static_cast<int64_t>(at::SDPBackend::cudnn_attention):
      return "cudnn";
    default:
      return {};
  }
}

std::string describe_attention_backend(const std::string& backend, int64_t head_width, double dropout,
                                       const at::TensorOptions& options) {
  if (backend == "explicit") return "explicit";
  const auto heads = at::zeros({1, 1, 2, head_width}, options);
  const auto kernel = fused_kernel(heads, heads, heads, {}, dropout);
  if (backend == "auto" && dropout == 0.0 && has_packed_attention(heads, 2, 2))
    return "fused (our own kernel on " + options.device().str() + " for sentences, LibTorch's " + kernel +
           " kernel beyond)";
  if (!kernel.empty()) return "fused (" + kernel + " kernel on " + options.device().str() + ")";
  if (backend == "fused")
    throw UsageError("--attention-backend fused: no fused kernel on " + options.device().str() +
                     " for heads of width " + std::to_string(head_width) +
                     (dropout > 0.0 ? " with attention-dropout; set attention-dropout to 0, or" : ";") +
                     " take auto or explicit");
  return "explicit (no fused kernel on " + options.device().str() +
         (dropout > 0.0 ? " with attention-dropout" : "") + ")";
}

}  // namespace gloss
