#include <optional>

#include "core/error.h"
#include "nn/device.h"
#include "nn/precision.h"
#include "support/tiny_model.h"

using namespace gloss;

// What runs on a GPU is what runs on the CPU. On a machine without one these tests have nothing to do.

namespace {

std::optional<at::Device> gpu() {
  try {
    return select_device("cuda");
  } catch (const UsageError&) {
    return {};
  }
}

ModelOptions transformer(const std::string& positions) {
  ModelOptions options;
  options.type = "transformer";
  options.model_size = 32;
  options.ffn_size = 64;
  options.heads = 2;
  options.encoder_layers = options.decoder_layers = 2;
  options.dropout = 0.0;
  options.positions = positions;
  return options;
}

}  // namespace

TEST_CASE("models on a GPU decode and step as on the CPU", "[model][cuda]") {
  const auto device = gpu();
  if (!device) return;
  auto options = GENERATE(tiny_options("bahdanau"), tiny_options("luong"), transformer("sinusoidal"),
                          transformer("learned"), transformer("rotary"), transformer("alibi"));
  const auto model = tiny_model(options, 51, at::kFloat);
  const TinyBatch batch;
  const torch::NoGradGuard no_grad;
  const auto expected =
      model->decode(model->encode(batch.source, batch.lengths), batch.target_in, AttentionChoice());
  model->to(*device);
  const auto memory = model->encode(batch.source.to(*device), batch.lengths);
  const auto target = batch.target_in.to(*device);
  const auto whole = model->decode(memory, target, AttentionChoice());
  const auto steps = model->Seq2Seq::decode(memory, target, AttentionChoice());
  CHECK(difference(whole.hidden.cpu(), expected.hidden) < 1e-4);
  CHECK(difference(whole.attention.cpu(), expected.attention) < 1e-4);
  CHECK(difference(steps.hidden.cpu(), expected.hidden) < 1e-4);
}

TEST_CASE("the loss on a GPU is that of the CPU in every precision, gradients too", "[model][cuda]") {
  const auto device = gpu();
  if (!device) return;
  const std::string precision = GENERATE("float32", "bf16", "fp16");
  auto options =
      GENERATE(transformer("sinusoidal"), tiny_options("bahdanau"), tiny_options("luong", "location"));
  if (options.attention_score == "location")
    options.attention_max_length = 3;  // shorter than the first sentence
  const TinyBatch batch;
  std::vector<Tensor> losses, gradients;
  for (const auto& place : {at::Device(at::kCPU), *device}) {
    const auto model = tiny_model(options, 51, at::kFloat);
    model->to(place);
    const PrecisionGuard guard(place.is_cpu() ? "float32" : precision, place);
    const auto memory = model->encode(batch.source.to(place), batch.lengths);
    const auto decoded = model->decode(memory, batch.target_in.to(place), std::nullopt);
    {
      const torch::NoGradGuard no_grad;
      CHECK_NOTHROW(model->Seq2Seq::decode(memory, batch.target_in.to(place), AttentionChoice()));
    }
    const auto loss = model->output->loss(decoded.hidden, batch.target_out.to(place), 0.1, 7.0).loss;
    loss.backward();
    losses.push_back(loss.detach().cpu().to(at::kFloat));
    gradients.push_back(model->output->bias.grad().cpu().to(at::kFloat));
  }
  const double tolerance = precision == "float32" ? 1e-4 : 0.03;
  CHECK(losses[1].item<double>() == Approx(losses[0].item<double>()).epsilon(tolerance));
  CHECK(difference(gradients[1], gradients[0]) < tolerance);
}

TEST_CASE("a GPU fuses attention in half precision, without a mask and with one", "[model][cuda]") {
  const auto device = gpu();
  if (!device) return;
  const auto x = at::randn({2, 4, 64, 64}, at::TensorOptions(*device).dtype(at::kHalf));
  const auto padding = at::ones({2, 1, 1, 64}, x.options().dtype(at::kBool));
  for (const auto& mask : {AttentionMask{}, AttentionMask{.allowed = {}, .bias = {}, .causal = true},
                           AttentionMask{.allowed = padding, .bias = {}, .causal = false}}) {
    CHECK_FALSE(fused_kernel(x, x, x, mask, 0.0).empty());
    CHECK(difference(fused_attention(x, x, x, mask, 0.0), explicit_attention(x, x, x, mask, 0.0).context) <
          2e-2);
  }
}
