#include "nn/attention.h"

#include "nn/precision.h"
#include "nn/repeated_linear.h"

namespace gloss {

Tensor masked_softmax(const Tensor& rounded, const Tensor& allowed) {
  const auto energies = in_full(rounded);
  if (!allowed.defined()) return at::softmax(energies, -1);
  // The lowest finite number instead of -inf: a row without any allowed position stays finite, and the second
  // masking turns it into zeros. Elsewhere exp(lowest - max) is exactly 0.
  const auto forbidden = ~allowed;
  const double lowest = lowest_energy(energies.scalar_type());
  return at::softmax(energies.masked_fill(forbidden, lowest), -1).masked_fill(forbidden, 0.0);
}

AttentionImpl::AttentionImpl(const std::string& score_name, const std::string& window_name,
                             const ScoreSizes& sizes, int64_t half_width)
    : score(register_module("score", make_score(score_name, sizes))),
      window(make_window(window_name, {.query = sizes.query, .half_width = half_width})) {
  if (window) register_module("window", window);
}

AttentionRun AttentionImpl::over(const AttentionMemory& memory) {
  return [this, memory, energies = score->over(memory.prepared),
          average = RepeatedLinear(memory.values.transpose(1, 2))](const Tensor& query,
                                                                   const Tensor& positions) {
    auto allowed = memory.mask.unsqueeze(1);  // [batch, 1, src_len]
    WindowOutput view;
    if (window) {
      view = window->forward(query, positions, memory.lengths, memory.mask.size(1));
      if (view.allowed.defined())
        allowed = at::logical_and(allowed, view.allowed);  // [batch, tgt_len, src_len]
    }
    auto weights = masked_softmax(energies(query), allowed);     // [batch, tgt_len, src_len]
    if (view.factor.defined()) weights = weights * view.factor;  // local-p: not renormalised (eq. 10)
    return AttentionOutput{.context = average(weights), .weights = weights};
  };
}

}  // namespace gloss
