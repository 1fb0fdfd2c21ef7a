#include "core/error.h"
#include "model/transformer_seq2seq.h"
#include "model_properties.h"

using namespace gloss;

// Properties of the model interface over every norm, kind of positions and backend, in float64.

namespace {

struct Variant {
  std::string norm, positions, backend, activation;
};

std::vector<Variant> variants() {
  std::vector<Variant> all;
  for (const auto& positions : position_names())
    for (const std::string norm : {"pre", "post"})
      for (const std::string backend : {"fused", "explicit"})
        all.push_back({norm, positions, backend, norm == "pre" ? "relu" : "swiglu"});
  return all;
}

ModelOptions options_of(const Variant& v) {
  auto options = tiny_transformer_options();
  options.norm = v.norm;
  options.positions = v.positions;
  if (v.positions == "learned")
    options.max_positions = 3;  // shorter than the sentences: the last entry serves the rest
  options.attention_backend = v.backend;
  options.activation = v.activation;
  return options;
}

std::string describe(const Variant& v) { return v.norm + " " + v.positions + " " + v.backend; }

}  // namespace

#define GLOSS_ANY_TRANSFORMER(variant)                   \
  const auto variant = GENERATE(from_range(variants())); \
  INFO(describe(variant))

TEST_CASE("a transformer decodes as it steps, in hidden states and attention",
          "[model][transformer][property]") {
  GLOSS_ANY_TRANSFORMER(v);
  const auto model = tiny_model(options_of(v));
  const TinyBatch batch;
  const auto memory = model->encode(batch.source, batch.lengths);
  const auto whole = model->decode(memory, batch.target_in, AttentionChoice());
  const auto with_graph = model->Seq2Seq::decode(memory, batch.target_in, AttentionChoice());
  const torch::NoGradGuard no_grad;  // caches are written in place then
  const auto stepwise = model->Seq2Seq::decode(memory, batch.target_in, AttentionChoice());
  // Padding of the target is not left out by the default decode's steps either: all positions agree.
  CHECK(difference(whole.hidden, stepwise.hidden) < 1e-12);
  CHECK(difference(whole.attention, stepwise.attention) < 1e-12);
  CHECK(difference(with_graph.hidden, stepwise.hidden) < 1e-12);
}

TEST_CASE("a transformer gives a sentence the same in any batch", "[model][transformer][property]") {
  GLOSS_ANY_TRANSFORMER(v);
  check_batch_invariance(*tiny_model(options_of(v)));
}

TEST_CASE("a transformer in bf16 is the float32 one within rounding",
          "[model][transformer][bf16][property]") {
  GLOSS_ANY_TRANSFORMER(v);
  check_bf16(options_of(v));
}

TEST_CASE("rows of a transformer's attention sum to 1", "[model][transformer][property]") {
  GLOSS_ANY_TRANSFORMER(v);
  const auto model = tiny_model(options_of(v));
  const TinyBatch batch;
  const auto attention =
      model->decode(model->encode(batch.source, batch.lengths), batch.target_in, AttentionChoice()).attention;
  CHECK(difference(attention.sum(-1), at::ones({2, 4})) < 1e-12);
}

TEST_CASE("beams share one cache and still step as if each were alone", "[model][transformer][property]") {
  GLOSS_ANY_TRANSFORMER(v);
  const torch::NoGradGuard no_grad;
  const auto model = tiny_model(options_of(v));
  const TinyBatch batch;
  const auto memory = model->encode(batch.source, batch.lengths);
  // <s> alone, then three beams, two of other parents, then one: with many steps, so that the cache grows.
  torch::manual_seed(93);
  auto state = model->start(memory, 1);
  auto histories = std::vector(2, std::vector(1, std::vector<int64_t>{kBos}));
  auto step = model->step(memory, at::full({2, 1}, kBos, at::kLong), state, std::nullopt);
  for (int turn = 0; turn < 20; ++turn) {
    const int64_t width = 1 + (turn * 2) % 4, old = static_cast<int64_t>(histories[0].size());
    const auto parents = at::randint(0, old, {2, width}, at::kLong),
               words = at::randint(3, 9, {2, width}, at::kLong);
    step = model->step(memory, words, step.state.reorder(parents), AttentionChoice());
    auto next = std::vector(2, std::vector<std::vector<int64_t>>());
    for (int64_t b = 0; b < 2; ++b)
      for (int64_t k = 0; k < width; ++k) {
        next[b].push_back(histories[b][parents[b][k].item<int64_t>()]);
        next[b].back().push_back(words[b][k].item<int64_t>());
      }
    histories = next;
  }
  for (int64_t b = 0; b < 2; ++b) {
    const auto own = memory.select(at::tensor({b}, at::kLong));
    for (size_t k = 0; k < histories[b].size(); ++k) {
      const auto whole =
          model->decode(own, at::tensor(histories[b][k], at::kLong).unsqueeze(0), AttentionChoice());
      CHECK(difference(whole.hidden[0][-1], step.hidden[b][static_cast<int64_t>(k)]) < 1e-12);
      CHECK(difference(whole.attention[0][-1], step.attention[b][static_cast<int64_t>(k)]) < 1e-12);
    }
  }
}

TEST_CASE("sentences that leave the batch take their caches with them", "[model][transformer][property]") {
  GLOSS_ANY_TRANSFORMER(v);
  const torch::NoGradGuard no_grad;
  const auto model = tiny_model(options_of(v));
  const TinyBatch batch;
  const auto memory = model->encode(batch.source, batch.lengths);
  const auto rows = at::tensor({1}, at::kLong);
  const auto first =
      model->step(memory, at::full({2, 1}, kBos, at::kLong), model->start(memory, 1), std::nullopt);
  const auto rest = model->step(memory.select(rows), at::full({1, 1}, 7, at::kLong), first.state.select(rows),
                                AttentionChoice());
  const auto whole =
      model->decode(memory.select(rows), at::tensor({int64_t{kBos}, int64_t{7}}, at::kLong).unsqueeze(0),
                    AttentionChoice());
  CHECK(difference(whole.hidden[0][1], rest.hidden[0][0]) < 1e-12);
}

TEST_CASE("gradients of a transformer agree with finite differences", "[model][transformer][gradient]") {
  auto v = Variant{GENERATE("pre", "post"), "learned", GENERATE("fused", "explicit"), "gelu"};
  INFO(describe(v));
  auto options = options_of(v);
  options.model_size = 4;
  options.ffn_size = 6;
  options.encoder_layers = options.decoder_layers = 1;
  check_gradients(*tiny_model(options));
}

TEST_CASE("attention comes from the chosen layer and head", "[model][transformer][unit]") {
  const auto model = tiny_model(options_of({"pre", "sinusoidal", "fused", "relu"}));
  const TinyBatch batch;
  const auto memory = model->encode(batch.source, batch.lengths);
  const auto hidden = model->decode(memory, batch.target_in, std::nullopt).hidden;
  std::vector<Tensor> seen;
  for (int64_t layer = 1; layer <= 3; ++layer) {
    AttentionChoice choice{.layer = layer, .head = 0, .shift = true};
    const auto mean = model->decode(memory, batch.target_in, choice);
    CHECK(difference(mean.hidden, hidden) < 1e-12);  // asking for alignments changes nothing
    Tensor sum = at::zeros_like(mean.attention);
    for (int64_t head = 1; head <= 2; ++head) {
      choice.head = head;
      sum = sum + model->decode(memory, batch.target_in, choice).attention;
    }
    CHECK(difference(mean.attention, sum / 2) < 1e-12);
    for (const auto& other : seen) CHECK(difference(mean.attention, other) > 1e-3);
    seen.push_back(mean.attention);
  }
  const auto own_choice = model->decode(memory, batch.target_in, AttentionChoice()).attention;
  CHECK(difference(own_choice, seen[1]) < 1e-12);  // last but one
  CHECK_THROWS_AS(check_attention({.layer = 4, .head = 0, .shift = false}, model->attention_counts()),
                  UsageError);
  CHECK_THROWS_AS(check_attention({.layer = 1, .head = 3, .shift = false}, model->attention_counts()),
                  UsageError);
}

TEST_CASE("dropout of a transformer acts in training only", "[model][transformer][property]") {
  auto options = options_of({"pre", "sinusoidal", "auto", "relu"});
  options.dropout = 0.5;
  options.attention_dropout = GENERATE(0.0, 0.3);
  options.activation_dropout = 0.3;
  check_dropout(*tiny_model(options, 52, at::kFloat));
}

TEST_CASE("three embeddings are one where the vocabulary is shared and the output tied",
          "[model][transformer][unit]") {
  check_embeddings(options_of({"pre", "sinusoidal", "auto", "relu"}));
}
