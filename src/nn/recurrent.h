#pragma once

#include <string>
#include <vector>

#include "nn/repeated_linear.h"
#include "torch.h"

namespace gloss {

/// State of one recurrent layer; `c` is undefined for a GRU.
struct CellState {
  Tensor h;  ///< [n, hidden]
  Tensor c;  ///< [n, hidden]
};

struct RecurrentOutput {
  Tensor states;    ///< what forward() says
  CellState final;  ///< after the last real element of each sequence
};

/// Sequences without their padding, time step after time step (what LibTorch calls packed): the sentences are sorted
/// by falling length, so that step t touches the first batch_sizes[t] of them.
struct PackedSequence {
  Tensor data;                       ///< [sum of lengths, width]
  std::vector<int64_t> batch_sizes;  ///< sentences that are at least t+1 long, for each t
};

/// One layer of GRU or LSTM cells in one direction. What depends on the input alone is one product over the whole
/// sequence (input_gates); a step is one product with the state and one fused pass over the gates.
/// Gates in LibTorch's order and definition: see kernels/recurrent_cell.h.
class RecurrentLayerImpl : public torch::nn::Module {
 public:
  /// \param cell "gru" or "lstm"
  RecurrentLayerImpl(const std::string& cell, int64_t input_size, int64_t hidden_size);

  /// W_ih x + b_ih: [..., input_size] → [..., gates]
  Tensor input_gates(const Tensor& x);

  /// The part of W_ih that belongs to columns [begin, begin + size) of the input. \return [gates, size]
  Tensor input_weight(int64_t begin, int64_t size) const;

  /// The product with the state, W_hh h + b_hh, for the steps of one run.
  RepeatedLinear recurrent_gates() const { return RepeatedLinear(weight_hh, bias_hh); }

  /// One step. \param gates [n, gates] from input_gates
  CellState step(const Tensor& gates, const CellState& state, const RepeatedLinear& recurrent_gates);

  /// All steps from a given state. \param gates [len, n, gates]  → states [len, n, hidden]
  RecurrentOutput forward(const Tensor& gates, const CellState& initial);

  /// A packed sequence from a zero state, first to last or last to first element of each sentence.
  /// \return states [sum of lengths, hidden], packed as the input; final [batch, hidden]
  RecurrentOutput forward_packed(const PackedSequence& input, bool is_backward);

  CellState zero_state(int64_t n);

  Tensor weight_ih;  ///< [gates, input_size]
  Tensor weight_hh;  ///< [gates, hidden_size]
  Tensor bias_ih;    ///< [gates]
  Tensor bias_hh;    ///< [gates]
  const bool is_lstm;
  const int64_t hidden_size;
};
TORCH_MODULE(RecurrentLayer);

}  // namespace gloss
