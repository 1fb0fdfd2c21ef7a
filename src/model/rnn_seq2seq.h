#pragma once

#include "model/make_model.h"
#include "model/model_options.h"
#include "model/rnn_decoder.h"
#include "model/rnn_encoder.h"
#include "model/seq2seq.h"

namespace gloss {

/// Recurrent encoder-decoder with attention: Bahdanau, Cho, Bengio 2015 and Luong, Pham, Manning 2015, with every
/// score and window of nn/. One embedding matrix serves both sides when the vocabulary is shared, and the output layer
/// too when tied.
class RnnSeq2Seq : public Seq2Seq {
 public:
  RnnSeq2Seq(const ModelOptions& options, const VocabularySizes& vocabularies);

  Memory encode(const Tensor& source, const Tensor& lengths) override;
  DecoderState start(const Memory& memory, int64_t beam) override;
  Step step(const Memory& memory, const Tensor& previous, const DecoderState& state,
            const std::optional<AttentionChoice>& wanted) override;
  Decoded decode(const Memory& memory, const Tensor& target_in,
                 const std::optional<AttentionChoice>& wanted) override;

 private:
  RnnSeq2Seq(const ModelOptions& options, const VocabularySizes& vocabularies,
             const Tensor& target_embedding);

  void bridge(const RnnEncoderOutput& encoded, Memory& memory);
  RnnDropout dropout_of(const TensorMap& state_parts);
  Tensor dropout_mask(int64_t batch, int64_t beam, int64_t width);
  RnnState rnn_state(const DecoderState& state);

  ModelOptions options_;
  Tensor source_embedding_, target_embedding_;  // [vocabulary, embedding_size]
  RnnEncoder encoder_;
  RnnDecoder decoder_;
  Linear bridge_h_{nullptr}, bridge_c_{nullptr};
};

}  // namespace gloss
