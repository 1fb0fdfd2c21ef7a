#include "support/bf16.h"
#include "support/tiny_model.h"

using namespace gloss;

// Each attention learns to copy its source backwards: nothing but attention can carry which word comes next.

namespace {

constexpr int64_t kWords = 10, kFirst = 4, kBatch = 32;

struct Reversal {
  Tensor source, lengths, target_in, target_out;
};

Reversal draw(int64_t length) {
  const auto words = at::randint(kFirst, kFirst + kWords, {kBatch, length}, at::kLong);
  const auto end = at::full({kBatch, 1}, kEos, at::kLong), begin = at::full({kBatch, 1}, kBos, at::kLong);
  const auto reversed = words.flip(1);
  return {at::cat({words, end}, 1), at::full({kBatch}, length + 1, at::kLong), at::cat({begin, reversed}, 1),
          at::cat({reversed, end}, 1)};
}

/// Share of target words predicted right after `updates` of Adam, on fresh sentences.
double learn(const ModelOptions& options, int64_t updates, const std::string& precision = "float32") {
  torch::manual_seed(61);
  const auto model =
      make_model(options, {.source = kFirst + kWords, .target = kFirst + kWords, .shared = true});
  const auto parameters = model->parameters();
  std::vector<Tensor> mean, square;
  for (const auto& p : parameters) {
    mean.push_back(at::zeros_like(p));
    square.push_back(at::zeros_like(p));
  }
  for (int64_t update = 1; update <= updates; ++update) {
    const auto batch = draw(2 + update % 3);
    Tensor loss;
    {
      const PrecisionGuard guard(precision, at::kCPU);
      const auto decoded =
          model->decode(model->encode(batch.source, batch.lengths), batch.target_in, std::nullopt);
      loss = model->output
                 ->loss(decoded.hidden, batch.target_out, 0.0, static_cast<double>(batch.target_out.numel()))
                 .loss;
    }
    loss.backward();
    const torch::NoGradGuard no_grad;
    const double rate =
        (options.type == "rnn" ? 0.01 : 0.003) *
        std::min(1.0, 2.0 * static_cast<double>(updates - update) / static_cast<double>(updates));
    for (size_t i = 0; i < parameters.size(); ++i) {
      const auto g = parameters[i].grad();
      if (!g.defined()) continue;
      mean[i].lerp_(g, 0.1);
      square[i].lerp_(g.square(), 0.02);
      const double n = static_cast<double>(update);
      auto p = parameters[i];
      p.sub_(rate * (mean[i] / (1 - std::pow(0.9, n))) /
             ((square[i] / (1 - std::pow(0.98, n))).sqrt() + 1e-8));
      parameters[i].mutable_grad() = Tensor();
    }
  }
  model->eval();
  const torch::NoGradGuard no_grad;
  double right = 0.0, all = 0.0;
  for (int64_t length = 2; length <= 4; ++length) {
    const auto batch = draw(length);
    const auto hidden =
        model->decode(model->encode(batch.source, batch.lengths), batch.target_in, std::nullopt).hidden;
    right += model->output->best(hidden, 1).ids.squeeze(-1).eq(batch.target_out).sum().item<double>();
    all += static_cast<double>(batch.target_out.numel());
  }
  return right / all;
}

ModelOptions small(const std::string& attention, const std::string& score, const std::string& window) {
  auto options = tiny_options(attention, score, window);
  options.embedding_size = options.hidden_size = 48;
  if (score == "location") options.attention_max_length = 8;
  if (window != "global") options.attention_width = 6;
  return options;
}

}  // namespace

TEST_CASE("every score learns to reverse its source", "[model][learning][slow]") {
  const auto attention = GENERATE("bahdanau", "luong");
  const auto score = GENERATE(from_range(score_names()));
  INFO(attention << " " << score);
  auto options = small(attention, score, "global");
  options.input_feeding = options.attention == "luong";  // as in the paper
  // Unscaled dots saturate the softmax at first, and scaled ones of untrained states hardly differ.
  const int64_t updates = score == "dot" ? 1500 : score == "scaled-dot" ? 900 : 600;
  CHECK(learn(options, updates) > 0.99);
}

TEST_CASE("local windows, no input feeding and an LSTM learn to reverse too", "[model][learning][slow]") {
  SECTION("local-m") { CHECK(learn(small("luong", "general", "local-m"), 600) > 0.99); }
  SECTION("local-p") { CHECK(learn(small("luong", "general", "local-p"), 600) > 0.99); }
  SECTION("without input feeding") { CHECK(learn(small("luong", "general", "global"), 600) > 0.99); }
  SECTION("in bf16") {
    if (!has_bf16()) return;
    CHECK(learn(small(GENERATE("bahdanau", "luong"), "additive", "global"), 600, "bf16") > 0.99);
  }
  SECTION("LSTM") {
    auto options = small("bahdanau", "additive", "global");
    options.cell = "lstm";
    CHECK(learn(options, 600) > 0.99);
  }
}

TEST_CASE("a transformer learns to reverse with each kind of positions",
          "[model][transformer][learning][slow]") {
  ModelOptions options;
  options.type = "transformer";
  options.model_size = 48;
  options.ffn_size = 96;
  options.heads = 4;
  options.encoder_layers = options.decoder_layers = 2;
  options.dropout = 0.0;
  SECTION("positions") {
    options.positions = GENERATE(from_range(position_names()));
    INFO(options.positions);
    CHECK(learn(options, 600) > 0.99);
  }
  SECTION("post-norm with a gated network") {
    options.norm = "post";
    options.activation = "swiglu";
    CHECK(learn(options, 600) > 0.99);
  }
  SECTION("in bf16") {
    if (!has_bf16()) return;
    CHECK(learn(options, 600, "bf16") > 0.99);
  }
}
