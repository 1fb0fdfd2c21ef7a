#include "model/seq2seq.h"

#include <vector>

#include "core/error.h"
#include "core/special_tokens.h"

namespace gloss {
namespace {

TensorMap select_rows(const TensorMap& parts, const Tensor& rows) {
  TensorMap selected;
  for (const auto& [name, tensor] : parts) selected[name] = tensor.index_select(0, rows);
  return selected;
}

}  // namespace

Memory Memory::select(const Tensor& rows) const {
  return {.mask = mask.index_select(0, rows),
          .lengths = lengths.index_select(0, rows.to(lengths.device())),
          .parts = select_rows(parts, rows)};
}

DecoderState DecoderState::select(const Tensor& rows) const {
  return {.parts = select_rows(parts, rows), .shared = select_rows(shared, rows), .used = used};
}

DecoderState DecoderState::reorder(const Tensor& parents) const {
  DecoderState reordered{.parts = {}, .shared = shared, .used = used};
  const auto batch = parents.size(0);
  const auto new_beam = parents.size(1);
  for (const auto& [name, tensor] : parts) {
    const auto beam = tensor.size(1);
    const auto rows = (parents + at::arange(batch, parents.options()).unsqueeze(1) * beam).reshape({-1});
    auto shape = tensor.sizes().vec();
    shape[1] = new_beam;
    reordered.parts[name] = tensor.flatten(0, 1).index_select(0, rows).view(shape);
  }
  return reordered;
}

Seq2Seq::Seq2Seq(OutputLayer output_layer) : output(register_module("output", std::move(output_layer))) {}

void check_attention(const AttentionChoice& choice, const AttentionCounts& counts) {
  const auto refuse = [](const std::string& option, int64_t value, int64_t largest) {
    if (value > largest)
      throw UsageError(option + ": there is no number " + std::to_string(value) + ", this model has " +
                       std::to_string(largest));
  };
  refuse("alignment-layer", choice.layer, counts.layers);
  refuse("alignment-head", choice.head, counts.heads);
  if (choice.shift && !counts.shifts)
    throw UsageError(
        "alignment-shift: this model's attention belongs to the step that writes a word; leave it out");
}

Decoded Seq2Seq::decode(const Memory& memory, const Tensor& target_in,
                        const std::optional<AttentionChoice>& wanted) {
  std::vector<Tensor> hidden, attention;
  auto state = start(memory, 1);
  for (const auto& previous : target_in.split(1, 1)) {
    auto now = step(memory, previous, state, wanted);
    hidden.push_back(now.hidden);
    if (wanted) attention.push_back(now.attention);
    state = std::move(now.state);
  }
  return {.hidden = at::cat(hidden, 1), .attention = wanted ? at::cat(attention, 1) : Tensor()};
}

Decoded Seq2Seq::decode_sampled(const Memory& memory, const Tensor& target_in, const Tensor& forced) {
  std::vector<Tensor> hidden;
  auto state = start(memory, 1);
  Tensor own;
  for (int64_t t = 0; t < target_in.size(1); ++t) {
    auto previous = target_in.narrow(1, t, 1);
    if (t > 0) previous = at::where(forced.narrow(1, t, 1), previous, own);
    auto now = step(memory, previous, state, /*wanted=*/std::nullopt);
    hidden.push_back(now.hidden);
    state = std::move(now.state);
    const torch::NoGradGuard no_grad;
    own = output->best(now.hidden, 1).ids.squeeze(-1);  // [batch, 1]
  }
  return {.hidden = at::cat(hidden, 1), .attention = {}};
}

}  // namespace gloss
