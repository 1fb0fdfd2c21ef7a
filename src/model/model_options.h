#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "config/field.h"
#include "nn/attention_score.h"
#include "nn/attention_window.h"

namespace gloss {

/// Names of the model types, from the table in make_model.cpp.
std::vector<std::string> model_types();

/// What a model is made of. Empty strings and zeros stand for "as the type of attention has it" and are filled in by
/// resolve(), so that a model directory records what was really built.
struct ModelOptions {
  std::string type = "rnn";
  std::string attention = "bahdanau";
  std::string attention_score;
  std::string attention_window = "global";
  int64_t attention_width = 10;
  int64_t attention_size = 0;
  int64_t attention_max_length = 100;
  std::string cell = "gru";
  int64_t embedding_size = 256;
  int64_t hidden_size = 256;
  int64_t encoder_layers = 1;
  int64_t decoder_layers = 1;
  bool bidirectional = true;
  bool input_feeding = false;
  std::string bridge = "bahdanau";
  std::string decoder_input = "concat";
  std::string readout;
  bool tie_embeddings = true;
  double dropout = 0.2;
  bool variational_dropout = false;

  template <class Visitor>
  void visit(Visitor&& field) {
    field("type", type, "Kind of model.", one_of(model_types()));
    field("attention", attention,
          "Published combination: bahdanau scores the previous decoder state and feeds the context into the "
          "cell, luong "
          "scores the current state and forms an attentional vector.",
          one_of({"bahdanau", "luong"}));
    field("attention-score", attention_score,
          "Score function; empty: additive for bahdanau, general for luong.",
          one_of(with_default(score_names())));
    field("attention-window", attention_window, "Which source positions may be attended.",
          one_of(window_names()));
    field("attention-width", attention_width, "Half width D of the local windows.", positive);
    field("attention-size", attention_size, "Width of additive, concat and qkv scores; 0: hidden-size.",
          between(0, kWidest));
    field("attention-max-length", attention_max_length,
          "Longest source, end mark counted, that the location score can see; positions beyond it get no "
          "weight.",
          between(1, 100000));
    field("cell", cell, "Recurrent cell.", one_of({"gru", "lstm"}));
    field("embedding-size", embedding_size, "Width of word embeddings.", between(1, kWidest));
    field("hidden-size", hidden_size, "Width of one encoder direction and of the decoder.",
          between(1, kWidest));
    field("encoder-layers", encoder_layers, "Encoder depth.", between(1, kDeepest));
    field("decoder-layers", decoder_layers, "Decoder depth.", between(1, kDeepest));
    field("bidirectional", bidirectional, "Encoder reads the source in both directions.", any);
    field("input-feeding", input_feeding, "luong: feed the attentional vector into the next step.", any);
    field("bridge", bridge,
          "Decoder's first state: bahdanau = tanh(W h) of the backward state, linear = W h of the final "
          "states, last = the "
          "final state itself, zero.",
          one_of({"bahdanau", "linear", "last", "zero"}));
    field(
        "decoder-input", decoder_input,
        "bahdanau: what enters the cell, concat = [embedding; context], relu = ReLU(W [embedding; context]).",
        one_of({"concat", "relu"}));
    field("readout", readout,
          "What the output layer reads: maxout or tanh of state, embedding and context, attentional = tanh(W "
          "[context; "
          "state]), state = the state itself; empty: maxout for bahdanau, attentional for luong.",
          one_of({"", "maxout", "tanh", "attentional", "state"}));
    field("tie-embeddings", tie_embeddings, "Output layer and target embedding share their matrix.", any);
    field("dropout", dropout, "Dropout on embeddings, between layers and before the output layer.",
          below_one());
    field("variational-dropout", variational_dropout, "One dropout mask a sentence for all time steps.", any);
  }

  /// Rules over several fields; throws UsageError.
  void validate() const;

  /// The same options with every "as the attention has it" replaced by what that is.
  ModelOptions resolved() const;

 private:
  // Far beyond any use: what is larger is a slip of the keyboard, and better refused than tried.
  static constexpr double kWidest = 16384;
  static constexpr double kDeepest = 64;

  static std::vector<std::string> with_default(std::vector<std::string> names) {
    names.insert(names.begin(), "");
    return names;
  }
};

}  // namespace gloss
