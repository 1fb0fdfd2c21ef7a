#include "model/transformer_seq2seq.h"

#include "core/special_tokens.h"
#include "nn/embedding.h"

namespace gloss {
namespace {

// Slots for which a new cache has room, and the factor by which a full one grows.
constexpr int64_t kFirstSlots = 32;
constexpr int64_t kGrowth = 2;

std::string numbered(const char* name, size_t layer) { return name + std::to_string(layer + 1); }

Tensor places(int64_t n, const Tensor& like) { return at::arange(n, like.options().dtype(at::kLong)); }

/// The real positions of the source; nothing when all are, so that kernels need no mask. [batch, 1, 1, src_len]
Tensor real_positions(const Tensor& mask, const Tensor& lengths) {
  if (lengths.numel() == 0 || lengths.min().item<int64_t>() == mask.size(1)) return {};
  return mask.unsqueeze(1).unsqueeze(1);
}

/// A cache [batch, heads, room, d] whose first `used` slots are filled, with `added` [batch, heads, n, d] behind them.
/// In place, if there is room and no gradient is to flow.
Tensor appended(const Tensor& cache, int64_t used, const Tensor& added) {
  const auto n = added.size(2);
  if (at::GradMode::is_enabled())
    return cache.defined() ? at::cat({cache.narrow(2, 0, used), added}, 2) : added;
  auto room = cache;
  if (!cache.defined() || cache.size(2) < used + n) {
    auto shape = added.sizes().vec();
    shape[2] = std::max({kFirstSlots, kGrowth * used, used + n});
    room = at::empty(shape, added.options());
    if (used > 0) room.narrow(2, 0, used).copy_(cache.narrow(2, 0, used));
  }
  room.narrow(2, used, n).copy_(added);
  return room;
}

Tensor find(const TensorMap& parts, const std::string& name) {
  const auto found = parts.find(name);
  return found == parts.end() ? Tensor() : found->second;
}

}  // namespace

TransformerSeq2Seq::TransformerSeq2Seq(const ModelOptions& options, const VocabularySizes& vocabularies)
    : TransformerSeq2Seq(options, vocabularies, make_embedding(vocabularies.target, options.model_size)) {}

TransformerSeq2Seq::TransformerSeq2Seq(const ModelOptions& options, const VocabularySizes& vocabularies,
                                       const Tensor& target_embedding)
    : Seq2Seq(OutputLayer(options.model_size, vocabularies.target,
                          options.tie_embeddings ? target_embedding : Tensor())),
      options_(options),
      source_positions_(register_module("source_positions", Positions(options.positions, options.model_size,
                                                                      options.heads, options.max_positions))),
      target_positions_(register_module(
          "target_positions",
          Positions(options.positions, options.model_size, options.heads, options.max_positions))) {
  target_embedding_ = register_parameter("target_embedding", target_embedding);
  source_embedding_ =
      vocabularies.shared
          ? target_embedding_
          : register_parameter("source_embedding", make_embedding(vocabularies.source, options.model_size));
  for (int64_t layer = 1; layer <= options.encoder_layers; ++layer)
    encoder_.push_back(register_module("encoder" + std::to_string(layer), EncoderLayer(options)));
  for (int64_t layer = 1; layer <= options.decoder_layers; ++layer)
    decoder_.push_back(register_module("decoder" + std::to_string(layer), DecoderLayer(options)));
  if (options.norm == "pre") {
    encoder_norm_ = register_module("encoder_norm", LayerNorm(options.model_size));
    decoder_norm_ = register_module("decoder_norm", LayerNorm(options.model_size));
  }
}

Tensor TransformerSeq2Seq::embedded(const Tensor& table, const Tensor& ids, Positions& positions,
                                    const Tensor& places) {
  return seeded_dropout(positions->add_to(embed(table, ids), places), options_.dropout, is_training());
}

Memory TransformerSeq2Seq::encode(const Tensor& source, const Tensor& lengths) {
  Memory memory{.mask = source.ne(kPad), .lengths = lengths, .parts = {}};
  const auto where = places(source.size(1), source);
  auto x = embedded(source_embedding_, source, source_positions_, where);  // [batch, src_len, width]
  const AttentionMask mask{.allowed = real_positions(memory.mask, lengths),
                           .bias = source_positions_->bias(where, where, x.options()),
                           .causal = false};
  for (auto& layer : encoder_) x = layer->forward(x, mask, *source_positions_, where);
  x = encoder_norm_ ? encoder_norm_->for_products(x) : for_products(x);
  for (size_t i = 0; i < decoder_.size(); ++i) memory.parts[numbered("layer", i)] = decoder_[i]->prepare(x);
  return memory;
}

TransformerSeq2Seq::DecoderOutput TransformerSeq2Seq::run_decoder(
    const Memory& memory, const Tensor& embedded, const AttendSelf& attend_self,
    const std::optional<AttentionChoice>& wanted) {
  const AttentionMask mask{
      .allowed = real_positions(memory.mask, memory.lengths), .bias = {}, .causal = false};
  // Without a choice of layer: the last but one, whose attention averages best (Garg et al. 2019).
  const auto own_choice = std::max<int64_t>(options_.decoder_layers - 1, 1);
  const auto asked = !wanted ? 0 : wanted->layer > 0 ? wanted->layer : own_choice;
  DecoderOutput done{.hidden = embedded, .attention = {}};
  for (size_t i = 0; i < decoder_.size(); ++i) {
    const bool wants_weights = static_cast<int64_t>(i) + 1 == asked;
    const auto layer = decoder_[i]->forward(
        done.hidden,
        [&](SelfAttentionImpl& self, const Tensor& input) { return attend_self(i, self, input); },
        memory.parts.at(numbered("layer", i)), mask, wants_weights);
    done.hidden = layer.x;
    if (wants_weights)
      done.attention = wanted->head > 0 ? layer.weights.select(1, wanted->head - 1) : layer.weights.mean(1);
  }
  if (decoder_norm_) done.hidden = decoder_norm_(done.hidden);
  return done;
}

Decoded TransformerSeq2Seq::decode(const Memory& memory, const Tensor& target_in,
                                   const std::optional<AttentionChoice>& wanted) {
  const auto where = places(target_in.size(1), target_in);
  const auto x = embedded(target_embedding_, target_in, target_positions_, where);
  // Padding stands at the right, behind all that a real position may see.
  const AttentionMask mask{
      .allowed = {}, .bias = target_positions_->bias(where, where, x.options()), .causal = true};
  const auto decoded = run_decoder(
      memory, x,
      [&](size_t, SelfAttentionImpl& self, const Tensor& input) {
        return attend_whole(self, input, mask, *target_positions_, where);
      },
      wanted);
  return {.hidden = decoded.hidden, .attention = decoded.attention};
}

DecoderState TransformerSeq2Seq::start(const Memory& memory, int64_t beam) {
  const auto longs = memory.mask.options().dtype(at::kLong);
  DecoderState state;
  state.parts["slots"] = at::zeros({memory.mask.size(0), beam, 0}, longs);  // of the words so far, in order
  return state;
}

Step TransformerSeq2Seq::step(const Memory& memory, const Tensor& previous, const DecoderState& state,
                              const std::optional<AttentionChoice>& wanted) {
  const auto batch = previous.size(0), beam = previous.size(1);
  const auto& old_slots = state.parts.at("slots");  // [batch, beam, position]
  const auto position = old_slots.size(2);
  const auto where = at::full({1}, position, previous.options());
  const auto used = state.used + beam;

  Step result{.hidden = {}, .attention = {}, .state = state};
  auto& next = result.state;
  next.used = used;
  const auto own = at::arange(state.used, used, previous.options()).view({1, beam, 1});
  const auto slots = at::cat({old_slots, own.expand({batch, beam, 1})}, 2);
  next.parts["slots"] = slots;

  AttentionMask mask;
  if (used > position + 1)  // more slots than words: there are other hypotheses' words among them
    mask.allowed =
        at::zeros({batch, beam, used}, memory.mask.options()).scatter_(2, slots, true).unsqueeze(1);
  const auto x = embedded(target_embedding_, previous, target_positions_, where);  // [batch, beam, width]
  // Positions of all slots, for a bias: [batch, used], the same in each row.
  const auto old_places = find(state.shared, "places");
  const auto new_places = where.expand({batch, beam});
  next.shared["places"] = old_places.defined() ? at::cat({old_places, new_places}, 1) : new_places;
  mask.bias = target_positions_->bias(where, next.shared["places"][0], x.options());

  const auto decoded = run_decoder(
      memory, x,
      [&](size_t layer, SelfAttentionImpl& self, const Tensor& input) {
        auto heads = self.project(input);
        heads.query = target_positions_->turn(heads.query, where);
        heads.key = target_positions_->turn(heads.key, where);
        for (const auto& [part, name] : {std::pair(&heads.key, "key"), std::pair(&heads.value, "value")}) {
          const auto cache = appended(find(state.shared, numbered(name, layer)), state.used, *part);
          next.shared[numbered(name, layer)] = cache;
          *part = cache.narrow(2, 0, used);
        }
        return self.attend(heads, mask);
      },
      wanted);
  result.hidden = decoded.hidden;
  result.attention = decoded.attention;
  return result;
}

}  // namespace gloss
