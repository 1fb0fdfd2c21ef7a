#include "search/beam_search.h"

#include <ATen/core/grad_mode.h>

#include <algorithm>

#include "core/special_tokens.h"
#include "search/sentence_search.h"

namespace gloss {
namespace {

/// The beams of the sentences still searched, as a rectangle for the model.
struct Layout {
  std::vector<int64_t> parents;  ///< [batch, width]
  std::vector<int64_t> tokens;   ///< [batch, width]
  int64_t width = 0;

  bool is_unchanged(int64_t old_width) const {
    if (width != old_width) return false;
    for (size_t i = 0; i < parents.size(); ++i)
      if (parents[i] != static_cast<int64_t>(i) % width) return false;
    return true;
  }
};

/// Narrower beams are filled up; nobody reads what becomes of the fillers.
Layout lay_out(const std::vector<SentenceSearch>& sentences, const std::vector<size_t>& active) {
  Layout layout;
  for (const auto index : active)
    layout.width = std::max(layout.width, static_cast<int64_t>(sentences[index].live().size()));
  for (const auto index : active) {
    const auto& live = sentences[index].live();
    for (size_t i = 0; i < static_cast<size_t>(layout.width); ++i) {
      layout.parents.push_back(i < live.size() ? live[i].parent : 0);
      layout.tokens.push_back(i < live.size() ? live[i].token : kEos);
    }
  }
  return layout;
}

Tensor to_device(const std::vector<int64_t>& values, at::IntArrayRef shape, at::Device device) {
  return torch::tensor(values, at::kLong).view(shape).to(device);
}

}  // namespace

std::vector<std::vector<Hypothesis>> beam_search(Seq2Seq& model, const Memory& memory,
                                                 const SearchOptions& options,
                                                 const std::vector<int64_t>& output_limits) {
  const at::NoGradGuard no_grad;
  const auto batch = memory.mask.size(0);
  const auto device = memory.mask.device();
  TORCH_CHECK_VALUE(static_cast<int64_t>(output_limits.size()) == batch, "beam search needs ", batch,
                    " output limits, got ", output_limits.size());
  std::vector<SentenceSearch> sentences;
  std::vector<size_t> active;  // the sentence behind each row of the batch
  for (const auto limit : output_limits) {
    active.push_back(sentences.size());
    sentences.emplace_back(options, limit);
  }

  Memory remaining = memory;
  auto state = model.start(memory, 1);
  auto previous = at::full({batch, 1}, kBos, at::TensorOptions(at::kLong).device(device));
  while (!active.empty()) {
    auto step = model.step(remaining, previous, state, /*wanted=*/std::nullopt);
    // The end mark beside `beam` words that go on, and <pad> and <s>, which are passed over.
    const auto best = model.output->best(step.hidden, options.beam_size + 3);
    const auto ids = best.ids.cpu().contiguous();  // [batch, beam, k]
    const auto log_probabilities =
        best.log_probability.to(at::kCPU, at::kFloat).contiguous();  // [batch, beam, k]
    const auto width = ids.size(1), k = ids.size(2);
    const auto row_size = static_cast<size_t>(width * k);

    std::vector<int64_t> rows;
    std::vector<size_t> still_active;
    for (size_t row = 0; row < active.size(); ++row) {
      auto& sentence = sentences[active[row]];
      sentence.advance({ids.const_data_ptr<int64_t>() + row * row_size, row_size},
                       {log_probabilities.const_data_ptr<float>() + row * row_size, row_size}, k);
      if (sentence.done()) continue;
      rows.push_back(static_cast<int64_t>(row));
      still_active.push_back(active[row]);
    }
    state = std::move(step.state);
    const auto kept = static_cast<int64_t>(rows.size());
    if (kept == 0) break;
    if (rows.size() < active.size()) {
      const auto kept_rows = to_device(rows, {kept}, device);
      remaining = remaining.select(kept_rows);
      state = state.select(kept_rows);
      active = std::move(still_active);
    }
    const auto layout = lay_out(sentences, active);
    if (!layout.is_unchanged(width))
      state = state.reorder(to_device(layout.parents, {kept, layout.width}, device));
    previous = to_device(layout.tokens, {kept, layout.width}, device);
  }

  std::vector<std::vector<Hypothesis>> results;
  for (const auto& sentence : sentences) results.push_back(sentence.results());
  return results;
}

}  // namespace gloss
