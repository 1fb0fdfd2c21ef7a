#pragma once

#include "torch.h"

namespace gloss {

/// The element-wise half of a GRU step, as LibTorch and cuDNN define it (reset after the product, z reversed against
/// Cho et al. 2014):  r = σ(x_r + h_r), z = σ(x_z + h_z), c = tanh(x_c + r∘h_c), s' = (1-z)∘c + z∘s.
/// \param x  W_ih·input + b_ih   [n, 3d], order reset, update, new
/// \param h  W_hh·state + b_hh   [n, 3d]
/// \param state                  [n, d]  → [n, d]
Tensor gru_gates(const Tensor& x, const Tensor& h, const Tensor& state);

struct LstmState {
  Tensor hidden;  ///< [n, d]
  Tensor cell;    ///< [n, d]
};

/// The element-wise half of an LSTM step:  c' = f∘c + i∘g, h' = o∘tanh(c').
/// \param sum  W_ih·input + W_hh·state + biases [n, 4d], order input, forget, cell, output
LstmState lstm_gates(const Tensor& sum, const Tensor& cell);

}  // namespace gloss
