#include "nn/recurrent.h"

#include "support/tensors.h"

using namespace gloss;

namespace {

/// Packs [batch, len, width] of falling lengths.
PackedSequence pack(const Tensor& x, const std::vector<int64_t>& lengths) {
  PackedSequence packed;
  std::vector<Tensor> steps;
  for (int64_t t = 0; t < lengths[0]; ++t) {
    const auto n = std::count_if(lengths.begin(), lengths.end(), [&](int64_t length) { return length > t; });
    packed.batch_sizes.push_back(n);
    steps.push_back(x.select(1, t).narrow(0, 0, n));
  }
  packed.data = at::cat(steps);
  return packed;
}

}  // namespace

TEST_CASE("a layer over a sequence is LibTorch's GRU or LSTM", "[nn][recurrent][property]") {
  const std::string cell = GENERATE("gru", "lstm");
  torch::manual_seed(41);
  RecurrentLayer layer(cell, 3, 4);
  const auto x = at::randn({5, 2, 3}), h = at::randn({2, 4}), c = at::randn({2, 4});
  const auto ours = layer->forward(layer->input_gates(x), {.h = h, .c = cell == "lstm" ? c : Tensor()});
  const std::vector<Tensor> weights{layer->weight_ih, layer->weight_hh, layer->bias_ih, layer->bias_hh};
  if (cell == "gru") {
    const auto [states, last] = at::gru(x, h.unsqueeze(0), weights, true, 1, 0.0, false, false, false);
    CHECK(difference(ours.states, states) < 1e-6);
    CHECK(difference(ours.final.h, last[0]) < 1e-6);
  } else {
    const auto [states, last, cells] =
        at::lstm(x, {h.unsqueeze(0), c.unsqueeze(0)}, weights, true, 1, 0.0, false, false, false);
    CHECK(difference(ours.states, states) < 1e-6);
    CHECK(difference(ours.final.c, cells[0]) < 1e-6);
  }
}

TEST_CASE("packed sequences of both directions equal each sentence by itself", "[nn][recurrent][property]") {
  const std::string cell = GENERATE("gru", "lstm");
  const bool is_backward = GENERATE(false, true);
  torch::manual_seed(42);
  RecurrentLayer layer(cell, 3, 4);
  layer->to(at::kDouble);
  const std::vector<int64_t> lengths{5, 3, 3, 1};
  const auto x = at::randn({4, 5, 3}, at::kDouble);
  const auto packed = pack(x, lengths);
  const auto together = layer->forward_packed(packed, is_backward);
  int64_t row = 0;
  std::vector<Tensor> states(4);
  for (int64_t t = 0; t < 5; ++t)
    for (int64_t b = 0; b < packed.batch_sizes[t]; ++b)
      states[b] = states[b].defined() ? at::cat({states[b], together.states.narrow(0, row++, 1)})
                                      : together.states.narrow(0, row++, 1);
  for (int64_t b = 0; b < 4; ++b) {
    auto sentence = x[b].narrow(0, 0, lengths[b]).unsqueeze(1);  // [len, 1, width]
    if (is_backward) sentence = sentence.flip(0);
    auto alone = layer->forward(layer->input_gates(sentence), layer->zero_state(1));
    if (is_backward) alone.states = alone.states.flip(0);
    CHECK(difference(states[b], alone.states.squeeze(1)) < 1e-12);
    CHECK(difference(together.final.h[b], alone.final.h[0]) < 1e-12);
    if (cell == "lstm") CHECK(difference(together.final.c[b], alone.final.c[0]) < 1e-12);
  }
}

TEST_CASE("gradients of packed sequences agree with finite differences", "[nn][recurrent][gradient]") {
  const std::string cell = GENERATE("gru", "lstm");
  const bool is_backward = GENERATE(false, true);
  torch::manual_seed(43);
  RecurrentLayer layer(cell, 2, 3);
  auto leaves = double_parameters(*layer);
  const auto x = at::randn({3, 4, 2}, at::kDouble).set_requires_grad(true);
  leaves.push_back(x);
  CHECK(gradient_error(
            [&] {
              const auto out = layer->forward_packed(pack(x, {4, 2, 1}), is_backward);
              return out.states.square().sum() + out.final.h.sum();
            },
            leaves) < 1e-6);
}
