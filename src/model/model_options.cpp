#include "model/model_options.h"

#include <algorithm>
#include <iterator>

#include "config/fields.h"
#include "core/error.h"
#include "core/text.h"

namespace gloss {
namespace {

/// Options of the other type that were set all the same: they would do nothing. `Part` is RnnOptions or
/// TransformerOptions.
template <class Part>
void refuse_changed(const Part& part, const std::string& type, const std::string& other,
                    const std::string& preset) {
  const auto changed = changed_options(part);
  if (!changed.empty())
    throw UsageError(join(changed) + ": mean something for type " + other + " only, and type is " + type +
                     (preset.empty()
                          ? "; leave them out, or set type to " + other
                          : " (preset " + preset + " sets some of them); leave out the one or the other"));
}

/// Of the names those for which it holds, in one text.
std::string names_with(const std::vector<std::string>& names, bool (*holds)(const std::string&)) {
  std::vector<std::string> chosen;
  std::ranges::copy_if(names, std::back_inserter(chosen), holds);
  return join(chosen, " or ");
}

void validate_rnn(const ModelOptions& options) {
  const bool is_luong = options.attention == "luong";
  if (options.input_feeding && !is_luong)
    throw UsageError(
        "input-feeding: attention bahdanau already feeds the context into the cell; use it with attention "
        "luong");
  if (options.input_feeding && options.readout != "attentional")
    throw UsageError("input-feeding feeds the attentional vector, so it needs readout attentional, not " +
                     options.readout);
  if (is_luong && options.decoder_input == "relu")
    throw UsageError(
        "decoder-input relu combines the embedding with the context before the cell; attention luong has the "
        "context only after it; use attention bahdanau");
  if (options.attention_score == "location" && options.attention_window != "global")
    throw UsageError("attention-score location chooses by position alone, which the window " +
                     options.attention_window + " would do a second time; use attention-window global");
  if (options.tie_embeddings && options.readout == "state" && options.hidden_size != options.embedding_size)
    throw UsageError(
        "readout state gives the output layer hidden-size (" + std::to_string(options.hidden_size) +
        ") values, but a tied output layer reads embedding-size (" + std::to_string(options.embedding_size) +
        "); make them equal or set tie-embeddings to false");
}

void validate_transformer(const ModelOptions& options) {
  if (options.model_size % options.heads != 0)
    throw UsageError("model-size (" + std::to_string(options.model_size) + ") must be a multiple of heads (" +
                     std::to_string(options.heads) + "), which share it evenly");
  if (options.positions == "rotary" && options.model_size / options.heads % 2 != 0)
    throw UsageError("positions rotary turns pairs of values, so heads must be of even width, not " +
                     std::to_string(options.model_size / options.heads) + "; change heads or model-size");
}

}  // namespace

ModelOptions ModelOptions::resolved() const {
  auto options = *this;
  const int64_t layers = is_rnn() ? 1 : 6;
  if (options.encoder_layers == 0) options.encoder_layers = layers;
  if (options.decoder_layers == 0) options.decoder_layers = layers;
  if (!is_rnn()) return options;
  const bool is_luong = attention == "luong";
  if (options.attention_score.empty()) options.attention_score = is_luong ? "general" : "additive";
  if (options.readout.empty()) options.readout = is_luong ? "attentional" : "maxout";
  if (options.attention_size == 0 && score_has_width(options.attention_score))
    options.attention_size = hidden_size;
  return options;
}

void ModelOptions::validate() const {
  if (is_rnn()) {
    refuse_changed<TransformerOptions>(*this, type, "transformer", preset);
    validate_rnn(resolved());
  } else {
    refuse_changed<RnnOptions>(*this, type, "rnn", preset);
    validate_transformer(resolved());
  }
}

void ModelOptions::refuse_unread() const {
  const ModelOptions untouched, options = resolved();
  const auto refuse = [](const std::string& option, const std::string& reader, const std::string& chosen) {
    throw UsageError(option + ": means something for " + reader + " only, not for " + chosen +
                     "; leave it out, or choose that");
  };
  const auto& score = options.attention_score;
  if (options.attention_window == "global" && options.attention_width != untouched.attention_width)
    refuse(
        "attention-width",
        "attention-window " + names_with(window_names(), [](const auto& name) { return name != "global"; }),
        "global");
  if (options.is_rnn() && !score_has_width(score) && options.attention_size != untouched.attention_size)
    refuse("attention-size", "attention-score " + names_with(score_names(), score_has_width), score);
  if (options.is_rnn() && score_reads_keys(score) &&
      options.attention_max_length != untouched.attention_max_length)
    refuse("attention-max-length",
           "attention-score " +
               names_with(score_names(), [](const auto& name) { return !score_reads_keys(name); }),
           score);
  if (!positions_have_table(options.positions) && options.max_positions != untouched.max_positions)
    refuse("max-positions", "positions " + names_with(position_names(), positions_have_table),
           options.positions);
}

}  // namespace gloss
