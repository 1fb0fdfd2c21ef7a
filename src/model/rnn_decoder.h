#pragma once

#include <optional>
#include <vector>

#include "model/model_options.h"
#include "model/seq2seq.h"
#include "nn/attention.h"
#include "nn/linear.h"
#include "nn/recurrent.h"
#include "torch.h"

namespace gloss {

/// What one decoder step hands to the next, for n = batch·beam hypotheses.
struct RnnState {
  std::vector<CellState> layers;  ///< [n, hidden] each
  Tensor fed;  ///< input feeding: attentional vector of the last step [batch, beam, output], else undefined
};

/// Dropout inside the decoder: with fixed masks (variational: the same at every step) or fresh ones.
struct RnnDropout {
  double p = 0.0;
  bool is_training = false;
  TensorMap masks;  ///< by place, [batch, beam, width]; empty unless variational

  /// \param x [batch, steps or beam, width]
  Tensor operator()(const Tensor& x, const std::string& place) const;
};

/// Recurrent decoder with attention, in either order of computation.
///   bahdanau (2015, A.2.2):  s_{t-1} → α_t, c_t → s_t = cell([E y_{t-1}; c_t], s_{t-1})
///   luong (2015, 3.1-3.3):   s_t = cell([E y_{t-1} (; h̃_{t-1})], s_{t-1}) → α_t, c_t → h̃_t = tanh(W_c [c_t; s_t])
/// Departures: the deep output of bahdanau reads s_t, not s_{t-1}; with several layers the top one asks, and the
/// context enters the lowest. The location score asks with [E y_{t-1}; s_{t-1}] in bahdanau's order (PyTorch tutorial).
class RnnDecoderImpl : public torch::nn::Module {
 public:
  /// \param memory_size width of the encoder states
  RnnDecoderImpl(const ModelOptions& options, int64_t memory_size);

  /// Width of what readout() gives: what the output layer must read.
  static int64_t output_size(const ModelOptions& options);

  /// The parts of a memory that the attention reads, from encoder states [batch, src_len, memory_size].
  void prepare(const Tensor& states, Memory& memory);

  struct Output {
    Tensor readout;  ///< what the output layer reads [batch, steps, output_size]
    Tensor weights;  ///< [batch, steps, src_len]
    RnnState next;
  };

  /// One step of every hypothesis. \param embedded E y_{t-1} [batch, beam, embedding]  \param positions [batch, beam] int64
  Output step(const Memory& memory, const Tensor& embedded, const RnnState& state, const Tensor& positions,
              const RnnDropout& dropout);

  /// All steps of a given target, one hypothesis a sentence. \param embedded [batch, tgt_len, embedding]
  Output forward(const Memory& memory, const Tensor& embedded, const RnnState& state,
                 const RnnDropout& dropout);

 private:
  /// What the steps of a run share.
  struct Run {
    AttentionRun attend;
    std::vector<RepeatedLinear> recurrent_gates;    // of each layer
    std::optional<RepeatedLinear> attention_gates;  // what was attended, into the lowest layer
    std::optional<RepeatedLinear> attentional;      // where it is fed
  };
  Run begin_run(const Memory& memory);
  AttentionRun attend_over(const Memory& memory);

  /// What a step finds out, before the output layer's input is made of it.
  struct Advanced {
    Tensor states;  // top layer [batch, steps, hidden]
    AttentionOutput seen;
    RnnState next;
  };
  Advanced advance(const Run& run, const Tensor& embedded, const Tensor& embedded_gates,
                   const RnnState& state, const Tensor& positions, const RnnDropout& dropout);
  Output run_then_attend(const Memory& memory, const Tensor& embedded, const RnnState& state,
                         const Tensor& positions, const RnnDropout& dropout);
  CellState run_layers(const Tensor& lowest_gates, RnnState& state, const Run& run, int64_t batch,
                       const RnnDropout& dropout);
  Tensor embedding_gates(const Tensor& embedded);
  Tensor readout(const Tensor& embedded, const Tensor& states, const Tensor& context);

  bool attends_first_;   // bahdanau's order
  bool feeds_;           // input feeding
  bool query_has_word_;  // location score in bahdanau's order
  int64_t embedding_size_;
  std::string readout_kind_;
  std::vector<RecurrentLayer> layers_;
  Attention attention_{nullptr};
  Linear combine_{nullptr};  // decoder-input relu
  Linear readout_state_{nullptr}, readout_embedding_{nullptr}, readout_context_{nullptr};  // maxout and tanh
  Linear attentional_{nullptr};
};
TORCH_MODULE(RnnDecoder);

}  // namespace gloss
