#pragma once

#include "core/special_tokens.h"
#include "model/make_model.h"
#include "support/tensors.h"

namespace gloss {

/// Options of a model small enough for finite differences.
inline ModelOptions tiny_options(const std::string& attention, const std::string& score = "",
                                 const std::string& window = "global") {
  ModelOptions options;
  options.attention = attention;
  options.attention_score = score;
  options.attention_window = window;
  if (window != "global") options.attention_width = 2;
  if (score == "location") options.attention_max_length = 6;
  options.embedding_size = 4;
  options.hidden_size = 4;
  options.dropout = 0.0;
  // dot needs equal widths on both sides
  options.bidirectional = score != "dot" && score != "scaled-dot";
  return options;
}

inline ModelOptions tiny_transformer_options() {
  ModelOptions options;
  options.type = "transformer";
  options.model_size = 8;
  options.ffn_size = 12;
  options.heads = 2;
  options.encoder_layers = 2;
  options.decoder_layers = 3;
  options.dropout = 0.0;
  return options;
}

inline std::shared_ptr<Seq2Seq> tiny_model(const ModelOptions& options, uint64_t seed = 51,
                                           at::ScalarType type = at::kDouble) {
  torch::manual_seed(seed);
  auto model = make_model(options, {.source = 11, .target = 9, .shared = false});
  model->to(type);
  model->eval();
  return model;
}

/// Two sources of 5 and 3 tokens, end mark counted.
struct TinyBatch {
  Tensor source = at::tensor({4, 5, 6, 7, kEos, 8, 9, kEos, kPad, kPad}, at::kLong).view({2, 5});
  Tensor lengths = at::tensor({5, 3}, at::kLong);
  Tensor target_in = at::tensor({kBos, 4, 5, 6, kBos, 7, 8, kPad}, at::kLong).view({2, 4});
  Tensor target_out = at::tensor({4, 5, 6, kEos, 7, 8, kEos, kPad}, at::kLong).view({2, 4});
};

}  // namespace gloss
