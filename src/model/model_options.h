#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "config/field.h"
#include "nn/attention_score.h"
#include "nn/attention_window.h"
#include "nn/feed_forward.h"
#include "nn/positions.h"
#include "nn/scaled_dot_product.h"

namespace gloss {

/// Names of the model types, from the table in make_model.cpp.
std::vector<std::string> model_types();

/// Names of the presets, from the table in presets.cpp.
std::vector<std::string> preset_names();

// Far beyond any use: what is larger is a slip of the keyboard, and better refused than tried.
inline constexpr double kWidest = 16384;
inline constexpr double kDeepest = 64;

/// What only type rnn reads. Empty strings and zeros stand for "as the type of attention has it".
struct RnnOptions {
  std::string attention = "bahdanau";
  std::string attention_score;
  std::string attention_window = "global";
  int64_t attention_width = 10;
  int64_t attention_size = 0;
  int64_t attention_max_length = 100;
  std::string cell = "gru";
  int64_t embedding_size = 256;
  int64_t hidden_size = 256;
  bool bidirectional = true;
  bool input_feeding = false;
  std::string bridge = "bahdanau";
  std::string decoder_input = "concat";
  std::string readout;
  bool variational_dropout = false;

  int64_t directions() const { return bidirectional ? 2 : 1; }  ///< of the encoder

  template <class Visitor>
  void visit(Visitor&& field) {
    field("attention", attention,
          "rnn: published combination; bahdanau scores the previous decoder state and feeds the context into "
          "the cell, luong scores the current state and forms an attentional vector.",
          one_of({"bahdanau", "luong"}));
    field("attention-score", attention_score,
          "rnn: score function; empty: additive for bahdanau, general for luong.",
          or_empty(one_of(score_names())));
    field("attention-window", attention_window, "rnn: which source positions may be attended.",
          one_of(window_names()));
    field("attention-width", attention_width, "rnn: half width D of the local windows.", positive);
    field("attention-size", attention_size, "rnn: width of additive, concat and qkv scores; 0: hidden-size.",
          between(0, kWidest));
    field("attention-max-length", attention_max_length,
          "rnn: longest source, end mark counted, that the location score can see; positions beyond it get "
          "no weight.",
          between(1, 100000));
    field("cell", cell, "rnn: recurrent cell.", one_of({"gru", "lstm"}));
    field("embedding-size", embedding_size, "rnn: width of word embeddings.", between(1, kWidest));
    field("hidden-size", hidden_size, "rnn: width of one encoder direction and of the decoder.",
          between(1, kWidest));
    field("bidirectional", bidirectional, "rnn: the encoder reads the source in both directions.", any);
    field("input-feeding", input_feeding, "rnn, luong: feed the attentional vector into the next step.", any);
    field("bridge", bridge,
          "rnn: decoder's first state; bahdanau = tanh(W h) of the backward state, linear = W h of the final "
          "states, last = the final state itself, zero.",
          one_of({"bahdanau", "linear", "last", "zero"}));
    field("decoder-input", decoder_input,
          "rnn, bahdanau: what enters the cell; concat = [embedding; context], relu = ReLU(W [embedding; "
          "context]).",
          one_of({"concat", "relu"}));
    field("readout", readout,
          "rnn: what the output layer reads; maxout or tanh of state, embedding and context, attentional = "
          "tanh(W [context; state]), state = the state itself; empty: maxout for bahdanau, attentional for "
          "luong.",
          or_empty(one_of({"maxout", "tanh", "attentional", "state"})));
    field("variational-dropout", variational_dropout, "rnn: one dropout mask a sentence for all time steps.",
          any);
  }
};

/// What only type transformer reads.
struct TransformerOptions {
  int64_t model_size = 512;
  int64_t ffn_size = 2048;
  int64_t heads = 8;
  std::string norm = "pre";
  std::string positions = "sinusoidal";
  int64_t max_positions = 1024;
  std::string activation = "relu";
  double attention_dropout = 0.0;
  double activation_dropout = 0.0;
  std::string attention_backend = "auto";

  template <class Visitor>
  void visit(Visitor&& field) {
    field("model-size", model_size, "transformer: width of embeddings and layers.", between(1, kWidest));
    field("ffn-size", ffn_size, "transformer: width inside the feed-forward networks.",
          between(1, 4 * kWidest));
    field("heads", heads, "transformer: attention heads, each model-size/heads wide.", between(1, kWidest));
    field("norm", norm, "transformer: layer norm before each sublayer (pre) or after it (post).",
          one_of({"pre", "post"}));
    field("positions", positions, "transformer: how it knows the order of words.", one_of(position_names()));
    field("max-positions", max_positions,
          "transformer, learned positions: entries of the table; later positions share the last one.",
          between(1, 1000000));
    field("activation", activation, "transformer: inside the feed-forward networks.",
          one_of(activation_names()));
    field("attention-dropout", attention_dropout,
          "transformer: dropout on attention weights; on a CPU no fused kernel has it.", below_one());
    field("activation-dropout", activation_dropout, "transformer: dropout inside the feed-forward networks.",
          below_one());
    field(
        "attention-backend", attention_backend,
        "transformer: auto takes a fused attention kernel where there is one, fused insists on it, explicit "
        "writes the formula out.",
        one_of(attention_backend_names()));
  }
};

/// What a model is made of. resolved() fills in what is left open, so that a model directory records what was really
/// built.
struct ModelOptions : RnnOptions, TransformerOptions {
  std::string type = "rnn";
  std::string preset;
  int64_t encoder_layers = 0;
  int64_t decoder_layers = 0;
  bool tie_embeddings = true;
  double dropout = 0.2;

  /// Throws UsageError for an option that was set, but that the model of these options does not read.
  void refuse_unread() const;

  bool is_rnn() const { return type == "rnn"; }

  template <class Visitor>
  void visit(Visitor&& field) {
    field("type", type, "Kind of model.", one_of(model_types()));
    field("preset", preset, "Sizes and training settings as a set; a --config file and flags win over it.",
          or_empty(one_of(preset_names())));
    field("encoder-layers", encoder_layers, "Encoder depth; 0: 1 for rnn, 6 for transformer.",
          between(0, kDeepest));
    field("decoder-layers", decoder_layers, "Decoder depth; 0: 1 for rnn, 6 for transformer.",
          between(0, kDeepest));
    field("tie-embeddings", tie_embeddings, "Output layer and target embedding share their matrix.", any);
    field("dropout", dropout,
          "Dropout on embeddings, between layers (transformer: after each sublayer) and, rnn, before the "
          "output layer.",
          below_one());
    RnnOptions::visit(field);
    TransformerOptions::visit(field);
  }

  /// Rules over several fields; throws UsageError.
  void validate() const;

  /// The same options with everything left open replaced by what that is.
  ModelOptions resolved() const;
};

}  // namespace gloss
