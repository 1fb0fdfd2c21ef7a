#include "model_properties.h"

using namespace gloss;

// Properties of the model interface over every published combination and every row of the tables, in float64.

namespace {

struct Variant {
  std::string attention, score, window;
  bool input_feeding = false;
  std::string cell = "gru";
  int64_t layers = 1;
  std::string bridge = "bahdanau";
};

ModelOptions options_of(const Variant& v) {
  auto options = tiny_options(v.attention, v.score, v.window);
  options.input_feeding = v.input_feeding;
  options.cell = v.cell;
  options.encoder_layers = v.layers;
  options.decoder_layers = v.layers;
  options.bridge = v.bridge;
  return options;
}

/// Every score and window in both orders, then cells, depths, bridges and input feeding.
std::vector<Variant> variants() {
  std::vector<Variant> all;
  for (const std::string attention : {"bahdanau", "luong"}) {
    for (const auto& score : score_names()) all.push_back({attention, score, "global"});
    for (const auto& window : window_names()) all.push_back({attention, "general", window});
    for (const std::string bridge : {"bahdanau", "linear", "last", "zero"})
      for (const std::string cell : {"gru", "lstm"})
        all.push_back({attention, "", "global", false, cell, 2, bridge});
  }
  for (const std::string cell : {"gru", "lstm"}) all.push_back({"luong", "", "global", true, cell, 2});
  return all;
}

std::string describe(const Variant& v) {
  return v.attention + " " + v.score + " " + v.window + " " + v.cell + " " + v.bridge +
         (v.input_feeding ? " fed" : "");
}

}  // namespace

#define GLOSS_ANY_VARIANT(variant)                       \
  const auto variant = GENERATE(from_range(variants())); \
  INFO(describe(variant))

TEST_CASE("decode equals repeated step in hidden states and attention", "[model][property]") {
  GLOSS_ANY_VARIANT(v);
  const auto model = tiny_model(options_of(v));
  const TinyBatch batch;
  const auto memory = model->encode(batch.source, batch.lengths);
  const auto whole = model->decode(memory, batch.target_in, AttentionChoice());
  const auto stepwise = model->Seq2Seq::decode(memory, batch.target_in, AttentionChoice());
  CHECK(difference(whole.hidden, stepwise.hidden) < 1e-12);
  CHECK(difference(whole.attention, stepwise.attention) < 1e-12);
}

TEST_CASE("a batch of n equals n batches of one", "[model][property]") {
  GLOSS_ANY_VARIANT(v);
  check_batch_invariance(*tiny_model(options_of(v)));
}

TEST_CASE("rows of the attention sum to 1, or below 1 for local-p", "[model][property]") {
  GLOSS_ANY_VARIANT(v);
  const auto model = tiny_model(options_of(v));
  const TinyBatch batch;
  const auto attention =
      model->decode(model->encode(batch.source, batch.lengths), batch.target_in, AttentionChoice()).attention;
  CHECK((attention.sum(-1) <= 1.0 + 1e-12).all().item<bool>());
  if (v.window != "local-p") CHECK(difference(attention.sum(-1), at::ones({2, 4})) < 1e-12);
}

TEST_CASE("a recurrent model in bf16 is the float32 one within rounding", "[model][bf16][property]") {
  GLOSS_ANY_VARIANT(v);
  check_bf16(options_of(v));
}

TEST_CASE("beams of a sentence step independently and reorder together", "[model][property]") {
  GLOSS_ANY_VARIANT(v);
  const auto model = tiny_model(options_of(v));
  const TinyBatch batch;
  const auto memory = model->encode(batch.source, batch.lengths);
  const auto first = at::tensor({4, 5, 6, 7, 8, 3}, at::kLong).view({2, 3});
  auto beams = model->step(memory, first, model->start(memory, 3), AttentionChoice());
  const auto parents = at::tensor({2, 0, 1, 1}, at::kLong).view({2, 2});
  const auto second = at::tensor({3, 4, 5, 6}, at::kLong).view({2, 2});
  const auto after = model->step(memory, second, beams.state.reorder(parents), AttentionChoice());
  for (int64_t b = 0; b < 2; ++b)
    for (int64_t k = 0; k < 2; ++k) {
      const auto rows = at::tensor({b}, at::kLong);
      const auto own = memory.select(rows);
      const auto parent = parents[b][k].item<int64_t>();
      auto alone = model->step(own, first[b][parent].view({1, 1}), model->start(own, 1), AttentionChoice());
      alone = model->step(own, second[b][k].view({1, 1}), alone.state, AttentionChoice());
      CHECK(difference(alone.hidden[0][0], after.hidden[b][k]) < 1e-12);
      CHECK(difference(alone.attention[0][0], after.attention[b][k]) < 1e-12);
    }
}

TEST_CASE("gradients of the whole model agree with finite differences", "[model][gradient]") {
  const auto v = GENERATE(Variant{"bahdanau", "", "global"}, Variant{"luong", "", "global"},
                          Variant{"luong", "concat", "local-p", true, "lstm", 2, "linear"},
                          Variant{"bahdanau", "location", "global", false, "gru", 1, "last"});
  INFO(describe(v));
  check_gradients(*tiny_model(options_of(v)));
}

TEST_CASE("every readout and decoder input decodes as it steps", "[model][property]") {
  auto options = tiny_options("bahdanau");
  options.readout = GENERATE("maxout", "tanh", "attentional", "state");
  options.decoder_input = GENERATE("concat", "relu");
  const auto model = tiny_model(options);
  const TinyBatch batch;
  const auto memory = model->encode(batch.source, batch.lengths);
  CHECK(difference(model->decode(memory, batch.target_in, std::nullopt).hidden,
                   model->Seq2Seq::decode(memory, batch.target_in, std::nullopt).hidden) < 1e-12);
}

TEST_CASE(
    "an embedding is shared with the output layer when tied, and with the source when the vocabulary is",
    "[model][unit]") {
  check_embeddings(tiny_options("bahdanau"));
}

TEST_CASE("scheduled sampling with every token forced is decoding", "[model][property]") {
  const auto model = tiny_model(tiny_options(GENERATE("bahdanau", "luong")));
  const TinyBatch batch;
  const auto memory = model->encode(batch.source, batch.lengths);
  const auto forced = at::ones({2, 4}, at::kBool);
  CHECK(difference(model->decode_sampled(memory, batch.target_in, forced).hidden,
                   model->decode(memory, batch.target_in, std::nullopt).hidden) < 1e-12);
}

TEST_CASE("scheduled sampling without forcing follows the model's own best words", "[model][property]") {
  const auto model = tiny_model(tiny_options("bahdanau"));
  const TinyBatch batch;
  const auto memory = model->encode(batch.source, batch.lengths);
  const auto own = model->decode_sampled(memory, batch.target_in, at::zeros({2, 4}, at::kBool));
  auto inputs = batch.target_in.slice(1, 0, 1);
  for (int64_t t = 1; t < 4; ++t)
    inputs = at::cat(
        {inputs, model->output->best(model->decode(memory, inputs, std::nullopt).hidden.slice(1, t - 1, t), 1)
                     .ids.squeeze(-1)},
        1);
  CHECK(difference(own.hidden, model->decode(memory, inputs, std::nullopt).hidden) < 1e-12);
}

TEST_CASE("dropout acts in training only, and variational masks repeat over time", "[model][property]") {
  auto options = tiny_options(GENERATE("bahdanau", "luong"));
  options.dropout = 0.5;
  options.variational_dropout = GENERATE(false, true);
  options.decoder_layers = options.encoder_layers = 2;
  const auto hidden = check_dropout(*tiny_model(options, 52, at::kFloat));
  if (options.variational_dropout) {
    const auto dropped = hidden.eq(0);  // the output mask of a sentence is one row
    CHECK(at::equal(dropped, dropped.slice(1, 0, 1).expand_as(dropped)));
  }
}
