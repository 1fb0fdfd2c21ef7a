#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "nn/output_layer.h"
#include "torch.h"

namespace gloss {

/// Tensors by name. All have the sentence as first axis.
using TensorMap = std::map<std::string, Tensor>;

/// What the decoder reads of a batch of sources; made once per batch, keys already projected.
struct Memory {
  Tensor mask;      ///< [batch, src_len] bool, true = real position (</s> included)
  Tensor lengths;   ///< [batch] int64, on the CPU
  TensorMap parts;  ///< whatever the model needs, first axis batch

  /// The given sentences only (finished ones leave the batch, or copies are made). \param rows [n] int64
  Memory select(const Tensor& rows) const;
};

/// What changes from step to step.
struct DecoderState {
  TensorMap parts{};  ///< of each hypothesis: [batch, beam, …]
  TensorMap
      shared{};  ///< of all hypotheses of a sentence together: [batch, …]; may have room for later steps
  int64_t used = 0;  ///< how far `shared` is filled

  /// Sentences that stay. \param rows [n] int64
  DecoderState select(const Tensor& rows) const;
  /// New hypotheses continue old ones. \param parents [batch, new_beam] int64, the old beam each one extends
  DecoderState reorder(const Tensor& parents) const;
};

struct Step {
  Tensor hidden;     ///< [batch, beam, output_size], to be given to the output layer
  Tensor attention;  ///< [batch, beam, src_len] of the step that reads `previous`, if wanted; else undefined
  DecoderState state;  ///< the state after this step
};

struct Decoded {
  Tensor hidden;     ///< [batch, tgt_len, output_size]
  Tensor attention;  ///< [batch, tgt_len, src_len] if wanted, else undefined
};

/// Which attention is wanted of a model that has several. Models look at layer and head; force_decode() shifts.
struct AttentionChoice {
  int64_t layer = 0;   ///< decoder layer, from 1; 0: the model's own choice
  int64_t head = 0;    ///< from 1; 0: the mean over all heads
  bool shift = false;  ///< a word's row is that of the step that reads it (shift-att, Chen et al. 2020)
  bool operator==(const AttentionChoice&) const = default;
};

struct AttentionCounts {
  int64_t layers = 1;
  int64_t heads = 1;
  bool shifts = false;  ///< may the step that reads a word have its row, instead of the one that writes it?
};

/// Throws UsageError for a choice that is not among the counts.
void check_attention(const AttentionChoice& choice, const AttentionCounts& counts);

/// The joint on which training, search, scoring and alignment turn: none of them knows a concrete model.
/// Hidden states, not logits, cross it, because the output layer is the hot spot and has fused forms of its own.
/// The beam is an axis of its own, so that a model can share what belongs to the sentence among its hypotheses.
class Seq2Seq : public torch::nn::Module {
 public:
  explicit Seq2Seq(OutputLayer output_layer);

  /// \param source  [batch, src_len] int64, each row ends in </s>, padding right
  /// \param lengths [batch] int64 on the CPU, </s> counted, all >= 1
  virtual Memory encode(const Tensor& source, const Tensor& lengths) = 0;

  /// State before the first token, for `beam` hypotheses a sentence.
  virtual DecoderState start(const Memory& memory, int64_t beam) = 0;

  /// One token. Differentiable. May write into the memory of `state.shared`: a state is continued once.
  /// \param previous [batch, beam] int64, kBos at first
  /// \param wanted   the attention to give beside the hidden states, if any
  virtual Step step(const Memory& memory, const Tensor& previous, const DecoderState& state,
                    const std::optional<AttentionChoice>& wanted) = 0;

  /// A whole given target: equal to repeated step() in eval mode, which is what this default does.
  /// \param target_in [batch, tgt_len] int64, begins with kBos
  virtual Decoded decode(const Memory& memory, const Tensor& target_in,
                         const std::optional<AttentionChoice>& wanted);

  /// Scheduled sampling: where `forced` is false the model's own best token is fed instead of the given one.
  /// \param forced [batch, tgt_len] bool
  Decoded decode_sampled(const Memory& memory, const Tensor& target_in, const Tensor& forced);

  /// How many attentions over the source there are to choose from.
  virtual AttentionCounts attention_counts() const { return {}; }

  /// The device that the weights are on.
  at::Device device() const { return parameters().front().device(); }

  OutputLayer output;  ///< registered as "output"
};

}  // namespace gloss
