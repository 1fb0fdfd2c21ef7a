#pragma once

#include <string>
#include <vector>

#include "model/make_model.h"
#include "model/model_options.h"
#include "model/seq2seq.h"
#include "model/transformer_layers.h"
#include "nn/layer_norm.h"

namespace gloss {

/// Transformer encoder-decoder (Vaswani et al. 2017), with the norms, positions and activations of nn/. One embedding
/// matrix serves both sides when the vocabulary is shared, and the output layer too when tied.
///
/// Between steps the decoder keeps the keys and values of every hypothesis of a sentence side by side in one cache, in
/// the order in which they were made, and for each hypothesis the slots of its own words. Beams are then further query
/// rows over one cache, masked to their own words: when hypotheses change places, only their lists of slots do.
class TransformerSeq2Seq : public Seq2Seq {
 public:
  TransformerSeq2Seq(const ModelOptions& options, const VocabularySizes& vocabularies);

  Memory encode(const Tensor& source, const Tensor& lengths) override;
  DecoderState start(const Memory& memory, int64_t beam) override;
  Step step(const Memory& memory, const Tensor& previous, const DecoderState& state,
            const std::optional<AttentionChoice>& wanted) override;
  Decoded decode(const Memory& memory, const Tensor& target_in,
                 const std::optional<AttentionChoice>& wanted) override;
  AttentionCounts attention_counts() const override {
    return {options_.decoder_layers, options_.heads, /*shifts=*/true};
  }

 private:
  TransformerSeq2Seq(const ModelOptions& options, const VocabularySizes& vocabularies,
                     const Tensor& target_embedding);

  struct DecoderOutput {
    Tensor hidden;     // [batch, n, width]
    Tensor attention;  // [batch, n, src_len] if wanted
  };
  using AttendSelf = std::function<Tensor(size_t layer, SelfAttentionImpl& attention, const Tensor& input)>;
  DecoderOutput run_decoder(const Memory& memory, const Tensor& embedded, const AttendSelf& attend_self,
                            const std::optional<AttentionChoice>& wanted);
  Tensor embedded(const Tensor& table, const Tensor& ids, Positions& positions, const Tensor& places);

  ModelOptions options_;
  Tensor source_embedding_, target_embedding_;  // [vocabulary, model_size]
  Positions source_positions_, target_positions_;
  std::vector<EncoderLayer> encoder_;
  std::vector<DecoderLayer> decoder_;
  LayerNorm encoder_norm_{nullptr}, decoder_norm_{nullptr};  // norm = pre
};

}  // namespace gloss
