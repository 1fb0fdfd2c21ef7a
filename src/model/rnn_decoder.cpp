#include "model/rnn_decoder.h"

#include "kernels/dropout.h"

namespace gloss {
namespace {

/// h̃_t = tanh(W_c [c_t; s_t]) (Luong et al., eq. 5). \param W_c a layer
template <class Layer>
Tensor attentional_vector(Layer& W_c, const Tensor& context, const Tensor& states) {
  return at::tanh(W_c(at::cat({context, states}, 2)));
}

}  // namespace

Tensor RnnDropout::operator()(const Tensor& x, const std::string& place) const {
  const auto mask = masks.find(place);
  return mask != masks.end() ? x * mask->second : seeded_dropout(x, p, is_training);
}

int64_t RnnDecoderImpl::output_size(const ModelOptions& options) {
  if (options.readout == "maxout" || options.readout == "tanh") return options.embedding_size;
  if (options.readout == "attentional" && options.tie_embeddings) return options.embedding_size;
  return options.hidden_size;
}

RnnDecoderImpl::RnnDecoderImpl(const ModelOptions& options, int64_t memory_size)
    : attends_first_(options.attention == "bahdanau"),
      feeds_(options.input_feeding),
      query_has_word_(attends_first_ && !score_reads_keys(options.attention_score)),
      embedding_size_(options.embedding_size),
      readout_kind_(options.readout) {
  const auto hidden = options.hidden_size;
  const auto output = output_size(options);
  attention_ = register_module("attention",
                               Attention(options.attention_score, options.attention_window,
                                         ScoreSizes{.query = hidden + (query_has_word_ ? embedding_size_ : 0),
                                                    .key = memory_size,
                                                    .hidden = options.attention_size,
                                                    .max_source_length = options.attention_max_length},
                                         options.attention_width));
  const auto context = attention_->score->value_size;
  auto input = embedding_size_;
  if (attends_first_ && options.decoder_input == "concat") input += context;
  if (feeds_) input += output;
  for (int64_t layer = 0; layer < options.decoder_layers; ++layer)
    layers_.push_back(register_module("layer" + std::to_string(layer),
                                      RecurrentLayer(options.cell, layer == 0 ? input : hidden, hidden)));
  if (options.decoder_input == "relu")
    combine_ = register_module("combine", Linear(embedding_size_ + context, embedding_size_));
  if (readout_kind_ == "maxout" || readout_kind_ == "tanh") {
    const auto width = readout_kind_ == "maxout" ? 2 * output : output;
    readout_state_ = register_module("readout_state", Linear(hidden, width));
    readout_embedding_ =
        register_module("readout_embedding", Linear(embedding_size_, width, /*with_bias=*/false));
    readout_context_ = register_module("readout_context", Linear(context, width, /*with_bias=*/false));
  } else if (readout_kind_ == "attentional") {
    attentional_ = register_module("attentional", Linear(context + hidden, output, /*with_bias=*/false));
  }
}

void RnnDecoderImpl::prepare(const Tensor& states, Memory& memory) {
  memory.parts["prepared"] = attention_->score->prepare(states);
  memory.parts["values"] = attention_->score->values(states);
  memory.parts["lengths"] = memory.lengths.to(states.device());
}

Tensor RnnDecoderImpl::embedding_gates(const Tensor& embedded) {
  return linear(embedded, layers_[0]->input_weight(0, embedding_size_), layers_[0]->bias_ih);
}

AttentionRun RnnDecoderImpl::attend_over(const Memory& memory) {
  return attention_->over({.prepared = memory.parts.at("prepared"),
                           .values = memory.parts.at("values"),
                           .mask = memory.mask,
                           .lengths = memory.parts.at("lengths")});
}

RnnDecoderImpl::Run RnnDecoderImpl::begin_run(const Memory& memory) {
  Run run{.attend = attend_over(memory), .recurrent_gates = {}, .attention_gates = {}, .attentional = {}};
  for (const auto& layer : layers_) run.recurrent_gates.push_back(layer->recurrent_gates());
  const auto& lowest = layers_.front();
  const auto attended = lowest->weight_ih.size(1) - embedding_size_;
  if (attended > 0) run.attention_gates.emplace(lowest->input_weight(embedding_size_, attended));
  if (feeds_) run.attentional.emplace(attentional_->weight);
  return run;
}

CellState RnnDecoderImpl::run_layers(const Tensor& lowest_gates, RnnState& state, const Run& run,
                                     int64_t batch, const RnnDropout& dropout) {
  auto gates = lowest_gates;
  for (size_t i = 0; i < layers_.size(); ++i) {
    if (i > 0) {
      const auto& below = state.layers[i - 1].h;
      const auto input = dropout(below.view({batch, -1, below.size(1)}), "layer" + std::to_string(i));
      gates = layers_[i]->input_gates(input.flatten(0, 1));
    }
    state.layers[i] = layers_[i]->step(gates, state.layers[i], run.recurrent_gates[i]);
  }
  return state.layers.back();
}

RnnDecoderImpl::Advanced RnnDecoderImpl::advance(const Run& run, const Tensor& embedded,
                                                 const Tensor& embedded_gates, const RnnState& state,
                                                 const Tensor& positions, const RnnDropout& dropout) {
  const auto batch = embedded.size(0);
  const auto steps = embedded.size(1);
  const auto apart = [&](const Tensor& x) { return x.view({batch, steps, -1}); };
  Advanced now{.states = {}, .seen = {}, .next = state};
  auto gates = embedded_gates;  // [batch·steps, gates]
  if (attends_first_) {
    auto query = apart(state.layers.back().h);
    if (query_has_word_) query = at::cat({embedded, query}, 2);
    now.seen = run.attend(query, positions);
    if (combine_) {
      const auto input = at::relu(combine_(at::cat({embedded, now.seen.context}, 2)));
      gates = layers_[0]->input_gates(input.flatten(0, 1));
    } else {
      gates = gates + (*run.attention_gates)(now.seen.context.flatten(0, 1));
    }
  } else if (feeds_) {
    gates = gates + (*run.attention_gates)(state.fed.flatten(0, 1));
  }
  now.states = apart(run_layers(gates, now.next, run, batch, dropout).h);
  if (!attends_first_) {
    now.seen = run.attend(now.states, positions);
    if (feeds_) now.next.fed = attentional_vector(*run.attentional, now.seen.context, now.states);
  }
  return now;
}

RnnDecoderImpl::Output RnnDecoderImpl::step(const Memory& memory, const Tensor& embedded,
                                            const RnnState& state, const Tensor& positions,
                                            const RnnDropout& dropout) {
  const auto gates = combine_ ? Tensor() : embedding_gates(embedded).flatten(0, 1);
  const auto now = advance(begin_run(memory), embedded, gates, state, positions, dropout);
  return {.readout = feeds_ ? now.next.fed : readout(embedded, now.states, now.seen.context),
          .weights = now.seen.weights,
          .next = now.next};
}

/// Without input feeding nothing that is attended enters the recurrence: every layer runs over the whole target, and
/// the attention is one batched product.
RnnDecoderImpl::Output RnnDecoderImpl::run_then_attend(const Memory& memory, const Tensor& embedded,
                                                       const RnnState& state, const Tensor& positions,
                                                       const RnnDropout& dropout) {
  auto next = state;
  auto x = embedded;
  for (size_t i = 0; i < layers_.size(); ++i) {
    if (i > 0) x = dropout(x, "layer" + std::to_string(i));
    const auto run = layers_[i]->forward(layers_[i]->input_gates(x.transpose(0, 1)), state.layers[i]);
    next.layers[i] = run.final;
    x = run.states.transpose(0, 1);  // [batch, tgt_len, hidden]
  }
  const auto seen = attend_over(memory)(x, positions);
  return {.readout = readout(embedded, x, seen.context), .weights = seen.weights, .next = next};
}

RnnDecoderImpl::Output RnnDecoderImpl::forward(const Memory& memory, const Tensor& embedded,
                                               const RnnState& state, const RnnDropout& dropout) {
  const auto tgt_len = embedded.size(1);
  const auto positions =
      at::arange(tgt_len, memory.parts.at("lengths").options()).expand({embedded.size(0), tgt_len});
  if (!attends_first_ && !feeds_) return run_then_attend(memory, embedded, state, positions, dropout);

  // Time first, so that each step's rows lie together; unbind, because its gradient is one stack.
  const auto words = embedded.transpose(0, 1).contiguous().unbind(0);
  std::vector<Tensor> gates(tgt_len);
  if (!combine_) gates = embedding_gates(embedded.transpose(0, 1)).unbind(0);
  const auto run = begin_run(memory);
  std::vector<Tensor> states, contexts, weights, fed;
  auto next = state;
  for (int64_t t = 0; t < tgt_len; ++t) {
    auto now = advance(run, words[t].unsqueeze(1), gates[t], next, positions.narrow(1, t, 1), dropout);
    weights.push_back(now.seen.weights);
    next = std::move(now.next);
    if (feeds_) {
      fed.push_back(next.fed);
      continue;
    }
    states.push_back(now.states);
    contexts.push_back(now.seen.context);
  }
  return {.readout = feeds_ ? at::cat(fed, 1) : readout(embedded, at::cat(states, 1), at::cat(contexts, 1)),
          .weights = at::cat(weights, 1),
          .next = next};
}

Tensor RnnDecoderImpl::readout(const Tensor& embedded, const Tensor& states, const Tensor& context) {
  if (readout_kind_ == "state") return states;
  if (readout_kind_ == "attentional") return attentional_vector(attentional_, context, states);
  const auto t = readout_state_(states) + readout_embedding_(embedded) + readout_context_(context);
  if (readout_kind_ == "tanh") return at::tanh(t);
  const auto pairs = t.unflatten(2, {-1, 2});  // Bahdanau et al., A.2.2: max of t_{2k-1}, t_{2k}
  return at::maximum(pairs.select(3, 0), pairs.select(3, 1));
}

}  // namespace gloss
