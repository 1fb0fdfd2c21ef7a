#include "model/rnn_encoder.h"

#include "kernels/dropout.h"

namespace gloss {
namespace {

Tensor reordered(const Tensor& tensor, const Tensor& order) {
  return tensor.defined() ? tensor.index_select(0, order) : tensor;
}

}  // namespace

RnnEncoderImpl::RnnEncoderImpl(const ModelOptions& options) : options_(options) {
  for (int64_t layer = 0; layer < options.encoder_layers; ++layer) {
    const auto width = layer == 0 ? options.embedding_size : options.directions() * options.hidden_size;
    for (int64_t direction = 0; direction < options.directions(); ++direction)
      layers_.push_back(
          register_module("layer" + std::to_string(layer) + (direction == 0 ? "_forward" : "_backward"),
                          RecurrentLayer(options.cell, width, options.hidden_size)));
  }
}

RnnEncoderOutput RnnEncoderImpl::forward(const Tensor& embedded, const Tensor& lengths) {
  const auto device = embedded.device();
  const auto [sorted, order_cpu] = lengths.sort(/*stable=*/true, /*dim=*/0, /*descending=*/true);
  const auto order = order_cpu.to(device);
  const auto back = order_cpu.argsort().to(device);
  // _pack_padded_sequence wants time first.
  const auto packed = at::_pack_padded_sequence(embedded.index_select(0, order).transpose(0, 1), sorted,
                                                /*batch_first=*/false);
  const auto& batch_sizes = std::get<1>(packed);
  PackedSequence x{.data = std::get<0>(packed),
                   .batch_sizes = {batch_sizes.const_data_ptr<int64_t>(),
                                   batch_sizes.const_data_ptr<int64_t>() + batch_sizes.numel()}};

  RnnEncoderOutput output;
  const auto directions = options_.directions();
  for (size_t i = 0; i < layers_.size(); i += directions) {
    if (i > 0) {
      if (has_fixed_masks(options_, is_training())) {
        // One mask a sentence: drawn for the batch, then laid out as the packed words are.
        const auto mask = seeded_dropout(at::ones({embedded.size(0), x.data.size(1)}, x.data.options()),
                                         options_.dropout, true);
        std::vector<Tensor> steps;
        for (const auto n : x.batch_sizes) steps.push_back(mask.narrow(0, 0, n));
        x.data = x.data * at::cat(steps);
      } else {
        x.data = seeded_dropout(x.data, options_.dropout, is_training());
      }
    }
    std::vector<Tensor> states;
    for (int64_t direction = 0; direction < directions; ++direction) {
      auto run = layers_[i + direction]->forward_packed(x, /*is_backward=*/direction == 1);
      states.push_back(run.states);
      output.final.push_back({.h = reordered(run.final.h, back), .c = reordered(run.final.c, back)});
    }
    x.data = directions == 1 ? states[0] : at::cat(states, 1);
  }
  const auto padded =
      at::_pad_packed_sequence(x.data, batch_sizes, /*batch_first=*/true, 0.0, embedded.size(1));
  output.states = std::get<0>(padded).index_select(0, back);
  return output;
}

}  // namespace gloss
