#pragma once

#include <functional>
#include <memory>
#include <string>

#include "nn/attention_score.h"
#include "nn/attention_window.h"
#include "torch.h"

namespace gloss {

struct AttentionOutput {
  Tensor context;  ///< [batch, tgt_len, value_size]
  Tensor
      weights;  ///< [batch, tgt_len, src_len]; rows sum to 1 (local-p: at most 1), masked positions are exactly 0
};

/// softmax over the allowed positions; exactly 0 elsewhere, and all 0 (never NaN, gradients finite) where none is allowed.
/// In float32 at least, however the energies are rounded.
/// \param allowed bool, broadcastable to energies, true = may be attended; undefined = everywhere
Tensor masked_softmax(const Tensor& rounded, const Tensor& allowed);

/// What an attention looks at: encoder states and what it has prepared of them, once a batch.
struct AttentionMemory {
  Tensor prepared;  ///< score->prepare(states)
  Tensor values;    ///< score->values(states) [batch, src_len, value_size]
  Tensor mask;      ///< [batch, src_len] bool, true = real
  Tensor lengths;   ///< [batch] int64 true lengths, on the states' device
};

/// One run of an attention over a target, in as many steps as you like.
/// \param query     [batch, tgt_len, query_size]
/// \param positions [batch, tgt_len] int64, number of the target step, from 0
using AttentionRun = std::function<AttentionOutput(const Tensor& query, const Tensor& positions)>;

/// context = Σ_j α_j value_j,  α = softmax_j(score(query, key_j)) over the real positions of the window.
/// Score (which positions fit) and window (where to look) are chosen apart: n + m classes, not n × m.
class AttentionImpl : public torch::nn::Module {
 public:
  AttentionImpl(const std::string& score_name, const std::string& window_name, const ScoreSizes& sizes,
                int64_t half_width);

  /// To be made anew for each run (nn/repeated_linear.h says why), and not to outlive the attention.
  AttentionRun over(const AttentionMemory& memory);

  std::shared_ptr<ScoreImpl> score;    // polymorphic, hence no ModuleHolder
  std::shared_ptr<WindowImpl> window;  // nullptr: global
};
TORCH_MODULE(Attention);

}  // namespace gloss
