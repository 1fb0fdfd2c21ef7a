#include "model/model_options.h"

#include "core/error.h"

namespace gloss {

ModelOptions ModelOptions::resolved() const {
  auto options = *this;
  const bool is_luong = attention == "luong";
  if (options.attention_score.empty()) options.attention_score = is_luong ? "general" : "additive";
  if (options.readout.empty()) options.readout = is_luong ? "attentional" : "maxout";
  if (options.attention_size == 0) options.attention_size = hidden_size;
  return options;
}

void ModelOptions::validate() const {
  const auto options = resolved();
  const bool is_luong = attention == "luong";
  if (input_feeding && !is_luong)
    throw UsageError(
        "input-feeding: attention bahdanau already feeds the context into the cell; use it with attention "
        "luong");
  if (input_feeding && options.readout != "attentional")
    throw UsageError("input-feeding feeds the attentional vector, so it needs readout attentional, not " +
                     options.readout);
  if (is_luong && decoder_input == "relu")
    throw UsageError(
        "decoder-input relu combines the embedding with the context before the cell; attention luong has the "
        "context only after it; use attention bahdanau");
  if (options.attention_score == "location" && attention_window != "global")
    throw UsageError("attention-score location chooses by position alone, which the window " +
                     attention_window + " would do a second time; use attention-window global");
  if (tie_embeddings && options.readout == "state" && hidden_size != embedding_size)
    throw UsageError("readout state gives the output layer hidden-size (" + std::to_string(hidden_size) +
                     ") values, but a tied output layer reads embedding-size (" +
                     std::to_string(embedding_size) + "); make them equal or set tie-embeddings to false");
}

}  // namespace gloss
