#include "nn/recurrent.h"

#include <algorithm>
#include <cmath>

#include "kernels/recurrent_cell.h"
#include "nn/linear.h"

namespace gloss {

RecurrentLayerImpl::RecurrentLayerImpl(const std::string& cell, int64_t input_size, int64_t hidden)
    : is_lstm(cell == "lstm"), hidden_size(hidden) {
  const int64_t gates = (is_lstm ? 4 : 3) * hidden;
  weight_ih = register_parameter("weight_ih", at::empty({gates, input_size}));
  weight_hh = register_parameter("weight_hh", at::empty({gates, hidden}));
  bias_ih = register_parameter("bias_ih", at::zeros({gates}));
  bias_hh = register_parameter("bias_hh", at::zeros({gates}));
  const torch::NoGradGuard no_grad;
  // Glorot for each gate by itself; the recurrent products start orthogonal (Bahdanau et al. 2015, B.1).
  for (auto gate : weight_ih.split(hidden)) torch::nn::init::xavier_uniform_(gate);
  for (auto gate : weight_hh.split(hidden)) torch::nn::init::orthogonal_(gate);
  // An LSTM that starts by remembering learns long sentences sooner (Jozefowicz et al. 2015).
  if (is_lstm) bias_ih.narrow(0, hidden, hidden).fill_(1.0);
}

Tensor RecurrentLayerImpl::input_gates(const Tensor& x) { return linear(x, weight_ih, bias_ih); }

Tensor RecurrentLayerImpl::input_weight(int64_t begin, int64_t size) const {
  return weight_ih.narrow(1, begin, size);
}

CellState RecurrentLayerImpl::step(const Tensor& gates, const CellState& state,
                                   const RepeatedLinear& recurrent_gates) {
  const auto recurrent = recurrent_gates(state.h);
  if (!is_lstm) return {.h = gru_gates(gates, recurrent, state.h), .c = {}};
  const auto next = lstm_gates(gates + recurrent, state.c);
  return {.h = next.hidden, .c = next.cell};
}

RecurrentOutput RecurrentLayerImpl::forward(const Tensor& gates, const CellState& initial) {
  const auto recurrent = recurrent_gates();
  auto state = initial;
  std::vector<Tensor> states;
  states.reserve(gates.size(0));
  for (const auto& gates_t : gates.unbind(0)) {
    state = step(gates_t, state, recurrent);
    states.push_back(state.h);
  }
  return {.states = at::stack(states), .final = state};
}

RecurrentOutput RecurrentLayerImpl::forward_packed(const PackedSequence& input, bool is_backward) {
  const auto steps = static_cast<int64_t>(input.batch_sizes.size());
  const auto gates =
      input_gates(input.data).split_with_sizes(input.batch_sizes);  // steps × [batch_size, gates]
  const auto recurrent = recurrent_gates();
  std::vector<Tensor> states(steps);
  if (is_backward) {
    // Sentences join as the walk from the end reaches their last element; all are there at element 0.
    auto state = zero_state(input.batch_sizes.back());
    for (int64_t t = steps - 1; t >= 0; --t) {
      if (const auto joining = input.batch_sizes[t] - state.h.size(0); joining > 0) {
        const auto fresh = zero_state(joining);
        state = {.h = at::cat({state.h, fresh.h}), .c = is_lstm ? at::cat({state.c, fresh.c}) : Tensor()};
      }
      state = step(gates[t], state, recurrent);
      states[t] = state.h;
    }
    return {.states = at::cat(states), .final = state};
  }
  auto state = zero_state(input.batch_sizes.front());
  std::vector<Tensor> ended_h, ended_c;  // final states of the shortest sentences come first
  const auto end = [&](int64_t remaining) {
    if (const auto ending = state.h.size(0) - remaining; ending > 0) {
      ended_h.push_back(state.h.narrow(0, remaining, ending));
      if (is_lstm) ended_c.push_back(state.c.narrow(0, remaining, ending));
      state = {.h = state.h.narrow(0, 0, remaining),
               .c = is_lstm ? state.c.narrow(0, 0, remaining) : Tensor()};
    }
  };
  for (int64_t t = 0; t < steps; ++t) {
    end(input.batch_sizes[t]);
    state = step(gates[t], state, recurrent);
    states[t] = state.h;
  }
  end(0);
  std::reverse(ended_h.begin(), ended_h.end());
  std::reverse(ended_c.begin(), ended_c.end());
  return {.states = at::cat(states),
          .final = {.h = at::cat(ended_h), .c = is_lstm ? at::cat(ended_c) : Tensor()}};
}

CellState RecurrentLayerImpl::zero_state(int64_t n) {
  const auto zero = at::zeros({n, hidden_size}, weight_hh.options());
  return {.h = zero, .c = is_lstm ? zero : Tensor()};
}

}  // namespace gloss
