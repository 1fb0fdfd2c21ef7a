#pragma once

#include <vector>

#include "model/model_options.h"
#include "nn/recurrent.h"
#include "torch.h"

namespace gloss {

/// Whether dropout now has one mask a sentence for all time steps.
inline bool has_fixed_masks(const ModelOptions& options, bool is_training) {
  return options.variational_dropout && is_training && options.dropout > 0.0;
}

struct RnnEncoderOutput {
  Tensor states;                 ///< [batch, src_len, directions·hidden], 0 at padding
  std::vector<CellState> final;  ///< for each layer and direction (forward first): after the last real word,
                                 ///< for the backward direction after word 1; [batch, hidden]
};

/// Bidirectional (or one-directional) recurrent encoder of N layers over packed sequences, so that padding never
/// touches a state: Bahdanau, Cho, Bengio 2015, A.2.1. Departure: LibTorch's GRU (kernels/recurrent_cell.h).
class RnnEncoderImpl : public torch::nn::Module {
 public:
  explicit RnnEncoderImpl(const ModelOptions& options);

  /// \param embedded [batch, src_len, embedding]  \param lengths [batch] int64 on the CPU
  RnnEncoderOutput forward(const Tensor& embedded, const Tensor& lengths);

 private:
  ModelOptions options_;
  std::vector<RecurrentLayer> layers_;  // layer 0 forward, layer 0 backward, layer 1 forward, …
};
TORCH_MODULE(RnnEncoder);

}  // namespace gloss
