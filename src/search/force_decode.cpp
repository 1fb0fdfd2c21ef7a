#include "search/force_decode.h"

#include <ATen/core/grad_mode.h>

#include "search/batch_tensors.h"

namespace gloss {

Memory encode_batch(Seq2Seq& model, const std::vector<EncodedPair>& pairs) {
  auto batch = make_batch(pairs, /*has_target=*/false);
  const auto tensors = to_tensors(batch, model.device());
  return model.encode(tensors.source, tensors.lengths);
}

std::vector<ForcedSentence> force_decode(Seq2Seq& model, const Memory& memory,
                                         const std::vector<EncodedPair>& pairs,
                                         const std::optional<AttentionChoice>& wanted) {
  const at::NoGradGuard no_grad;
  auto batch = make_batch(pairs);
  TORCH_CHECK_VALUE(memory.mask.size(0) == batch.size, "forced decoding needs ", memory.mask.size(0),
                    " targets, got ", batch.size);
  if (batch.size == 0) return {};
  const auto given = to_tensors(batch, memory.mask.device());
  const int64_t shift = wanted && wanted->shift ? 1 : 0;
  // Shifted attention needs one more step, which reads </s>: <s> y_1 … y_n </s>.
  const auto target_in =
      shift > 0 ? at::cat({given.target_in.narrow(1, 0, 1), given.target_out}, 1) : given.target_in;
  const auto decoded = model.decode(memory, target_in, wanted);
  const auto hidden = decoded.hidden.narrow(1, 0, batch.target_length);
  const auto log_probability =
      model.output->log_probability(hidden, given.target_out).to(at::kCPU, at::kDouble).contiguous();
  const auto attention =
      wanted ? decoded.attention.narrow(1, shift, batch.target_length).to(at::kCPU, at::kDouble) : Tensor();

  std::vector<ForcedSentence> result(pairs.size());
  for (int64_t i = 0; i < batch.size; ++i) {
    auto& sentence = result[i];
    const auto rows = batch.target_lengths[i], columns = memory.lengths.const_data_ptr<int64_t>()[i];
    const auto* values = log_probability.const_data_ptr<double>() + i * batch.target_length;
    sentence.log_probability.assign(values, values + rows);
    if (!wanted) continue;
    const auto real = attention[i].narrow(0, 0, rows).narrow(1, 0, columns).contiguous();
    sentence.attention.assign(real.const_data_ptr<double>(), real.const_data_ptr<double>() + real.numel());
  }
  return result;
}

}  // namespace gloss
