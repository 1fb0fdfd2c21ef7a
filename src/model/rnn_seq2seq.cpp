#include "model/rnn_seq2seq.h"

#include "core/special_tokens.h"
#include "kernels/dropout.h"
#include "nn/embedding.h"

namespace gloss {

RnnSeq2Seq::RnnSeq2Seq(const ModelOptions& options, const VocabularySizes& vocabularies)
    : RnnSeq2Seq(options, vocabularies, make_embedding(vocabularies.target, options.embedding_size)) {}

RnnSeq2Seq::RnnSeq2Seq(const ModelOptions& options, const VocabularySizes& vocabularies,
                       const Tensor& target_embedding)
    : Seq2Seq(OutputLayer(RnnDecoderImpl::output_size(options), vocabularies.target,
                          options.tie_embeddings ? target_embedding : Tensor())),
      options_(options),
      encoder_(register_module("encoder", RnnEncoder(options))),
      decoder_(register_module("decoder", RnnDecoder(options, options.directions() * options.hidden_size))) {
  target_embedding_ = register_parameter("target_embedding", target_embedding);
  source_embedding_ = vocabularies.shared
                          ? target_embedding_
                          : register_parameter("source_embedding",
                                               make_embedding(vocabularies.source, options.embedding_size));
  if (options.bridge == "bahdanau" || options.bridge == "linear") {
    const auto states = options.bridge == "linear" ? options.directions() * options.encoder_layers : 1;
    const auto from = options.hidden_size * states;
    bridge_h_ = register_module("bridge_h", Linear(from, options.hidden_size * options.decoder_layers));
    if (options.cell == "lstm")
      bridge_c_ = register_module("bridge_c", Linear(from, options.hidden_size * options.decoder_layers));
  }
}

Memory RnnSeq2Seq::encode(const Tensor& source, const Tensor& lengths) {
  auto embedded = embed(source_embedding_, source);  // [batch, src_len, embedding]
  if (has_fixed_masks(options_, is_training())) {
    embedded = embedded * dropout_mask(source.size(0), 1, options_.embedding_size);
  } else {
    embedded = seeded_dropout(embedded, options_.dropout, is_training());
  }
  const auto encoded = encoder_(embedded, lengths);
  Memory memory{.mask = source.ne(kPad), .lengths = lengths, .parts = {}};
  decoder_->prepare(encoded.states, memory);
  bridge(encoded, memory);
  return memory;
}

/// The decoder's first state, "initial_h" and for an LSTM "initial_c": [batch, layers, hidden].
void RnnSeq2Seq::bridge(const RnnEncoderOutput& encoded, Memory& memory) {
  const auto batch = memory.mask.size(0);
  const auto layers = options_.decoder_layers;
  const bool is_lstm = options_.cell == "lstm";
  const auto first = [&](Tensor CellState::*part, Linear& project) -> Tensor {
    const auto& final = encoded.final;
    if (options_.bridge == "zero")
      return at::zeros({batch, layers, options_.hidden_size}, (final.back().*part).options());
    if (options_.bridge == "last") {  // the top layer's forward direction, for every decoder layer
      const auto& state = final[final.size() - options_.directions()].*part;
      return state.unsqueeze(1).expand({-1, layers, -1});
    }
    if (options_.bridge == "bahdanau")  // s_0 = tanh(W h_1) of the backward direction
      return at::tanh(project(final.back().*part)).view({batch, layers, -1});
    std::vector<Tensor> all;
    for (const auto& state : final) all.push_back(state.*part);
    return project(at::cat(all, 1)).view({batch, layers, -1});
  };
  memory.parts["initial_h"] = first(&CellState::h, bridge_h_);
  if (is_lstm) memory.parts["initial_c"] = first(&CellState::c, bridge_c_);
}

Tensor RnnSeq2Seq::dropout_mask(int64_t batch, int64_t beam, int64_t width) {
  return seeded_dropout(at::ones({batch, beam, width}, target_embedding_.options().requires_grad(false)),
                        options_.dropout, true);
}

DecoderState RnnSeq2Seq::start(const Memory& memory, int64_t beam) {
  const auto batch = memory.mask.size(0);
  DecoderState state;
  for (const auto* part : {"h", "c"}) {
    const auto initial = memory.parts.find(std::string("initial_") + part);
    if (initial != memory.parts.end())
      state.parts[part] = initial->second.unsqueeze(1).expand({-1, beam, -1, -1});
  }
  const auto output_width = RnnDecoderImpl::output_size(options_);
  state.parts["position"] = at::zeros({batch, beam}, memory.parts.at("lengths").options());
  if (options_.input_feeding)
    state.parts["fed"] = at::zeros({batch, beam, output_width}, memory.parts.at("initial_h").options());
  if (has_fixed_masks(options_, is_training())) {
    state.parts["mask.embedding"] = dropout_mask(batch, beam, options_.embedding_size);
    state.parts["mask.output"] = dropout_mask(batch, beam, output_width);
    for (int64_t layer = 1; layer < options_.decoder_layers; ++layer)
      state.parts["mask.layer" + std::to_string(layer)] = dropout_mask(batch, beam, options_.hidden_size);
  }
  return state;
}

RnnDropout RnnSeq2Seq::dropout_of(const TensorMap& state_parts) {
  RnnDropout result{.p = options_.dropout, .is_training = is_training(), .masks = {}};
  constexpr std::string_view kPrefix = "mask.";
  for (const auto& [name, tensor] : state_parts)
    if (name.starts_with(kPrefix)) result.masks[name.substr(kPrefix.size())] = tensor;
  return result;
}

RnnState RnnSeq2Seq::rnn_state(const DecoderState& state) {
  RnnState result;
  const auto cells = state.parts.find("c");
  for (int64_t layer = 0; layer < options_.decoder_layers; ++layer) {
    const auto of = [&](const Tensor& all) { return all.select(2, layer).flatten(0, 1); };
    result.layers.push_back(
        {.h = of(state.parts.at("h")), .c = cells != state.parts.end() ? of(cells->second) : Tensor()});
  }
  if (const auto fed = state.parts.find("fed"); fed != state.parts.end()) result.fed = fed->second;
  return result;
}

Step RnnSeq2Seq::step(const Memory& memory, const Tensor& previous, const DecoderState& state,
                      const std::optional<AttentionChoice>& wanted) {
  const auto drop = dropout_of(state.parts);
  const auto embedded = drop(embed(target_embedding_, previous), "embedding");  // [batch, beam, embedding]
  const auto positions = state.parts.at("position");
  const auto now = decoder_->step(memory, embedded, rnn_state(state), positions, drop);

  Step result{
      .hidden = drop(now.readout, "output"), .attention = wanted ? now.weights : Tensor(), .state = state};
  const auto packed = [&](Tensor CellState::*part) {
    std::vector<Tensor> layers;
    for (const auto& layer : now.next.layers) layers.push_back(layer.*part);
    return at::stack(layers, 1).view(
        {previous.size(0), previous.size(1), options_.decoder_layers, options_.hidden_size});
  };
  result.state.parts["h"] = packed(&CellState::h);
  if (options_.cell == "lstm") result.state.parts["c"] = packed(&CellState::c);
  if (now.next.fed.defined()) result.state.parts["fed"] = now.next.fed;
  result.state.parts["position"] = positions + 1;
  return result;
}

Decoded RnnSeq2Seq::decode(const Memory& memory, const Tensor& target_in,
                           const std::optional<AttentionChoice>& wanted) {
  const auto state = start(memory, 1);
  const auto drop = dropout_of(state.parts);
  const auto embedded =
      drop(embed(target_embedding_, target_in), "embedding");  // [batch, tgt_len, embedding]
  const auto all = decoder_->forward(memory, embedded, rnn_state(state), drop);
  return {.hidden = drop(all.readout, "output"), .attention = wanted ? all.weights : Tensor()};
}

}  // namespace gloss
