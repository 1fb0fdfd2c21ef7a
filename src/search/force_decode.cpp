#include "search/force_decode.h"

#include <ATen/core/grad_mode.h>

#include <algorithm>
#include <numeric>

#include "core/special_tokens.h"

namespace gloss {

double ForcedSentence::total() const {
  return std::accumulate(log_probability.begin(), log_probability.end(), 0.0);
}

Memory encode_batch(Seq2Seq& model, const Batch& batch, torch::Device device) {
  const auto source =
      torch::tensor(batch.source, at::kLong).view({batch.size, batch.source_length}).to(device);
  return model.encode(source, torch::tensor(batch.source_lengths, at::kLong));
}

ForcedDecode force_decode(Seq2Seq& model, const Memory& memory,
                          const std::vector<std::vector<int32_t>>& targets, bool want_attention) {
  const at::NoGradGuard no_grad;
  const auto batch = static_cast<int64_t>(targets.size());
  TORCH_CHECK_VALUE(memory.mask.size(0) == batch, "forced decoding needs ", memory.mask.size(0),
                    " targets, got ", batch);
  if (batch == 0) return {};
  // Shifted attention needs one more step, which reads </s>.
  const size_t shift = want_attention && model.attention_choice.shift ? 1 : 0;
  size_t longest = 0;
  for (const auto& target : targets) longest = std::max(longest, target.size() + 1 + shift);
  const auto length = static_cast<int64_t>(longest);
  auto target_in = at::full({batch, length}, kPad, at::kLong);   // [batch, tgt_len]
  auto target_out = at::full({batch, length}, kPad, at::kLong);  // [batch, tgt_len]
  for (size_t i = 0; i < targets.size(); ++i) {
    auto* in = target_in.mutable_data_ptr<int64_t>() + i * longest;
    auto* out = target_out.mutable_data_ptr<int64_t>() + i * longest;
    *in = kBos;
    auto* end = std::copy(targets[i].begin(), targets[i].end(), in + 1);
    if (shift > 0) *end = kEos;
    *std::copy(targets[i].begin(), targets[i].end(), out) = kEos;
  }

  const auto device = memory.mask.device();
  const auto decoded = model.decode(memory, target_in.to(device), want_attention);
  const auto log_probability = model.output->log_probability(decoded.hidden, target_out.to(device))
                                   .to(at::kCPU, at::kDouble)
                                   .contiguous();
  const auto attention = want_attention ? decoded.attention.to(at::kCPU, at::kDouble).contiguous() : Tensor();

  ForcedDecode result(targets.size());
  for (size_t i = 0; i < targets.size(); ++i) {
    auto& sentence = result[i];
    const auto row = static_cast<int64_t>(i);
    sentence.rows = static_cast<int64_t>(targets[i].size()) + 1;
    sentence.columns = memory.lengths.const_data_ptr<int64_t>()[i];
    const auto* values = log_probability.const_data_ptr<double>() + i * longest;
    sentence.log_probability.assign(values, values + sentence.rows);
    if (!want_attention) continue;
    const auto first = static_cast<int64_t>(shift);
    const auto real =
        attention[row].narrow(0, first, sentence.rows).narrow(1, 0, sentence.columns).contiguous();
    sentence.attention.assign(real.const_data_ptr<double>(), real.const_data_ptr<double>() + real.numel());
  }
  return result;
}

}  // namespace gloss
