// Speed of the transformer on this machine, by itself and against the machine's own matrix products:
//
//   build/release/transformer_bench train [THREADS] [PRECISION]   one model, 4,096-token batches of made-up sentences
//   build/release/transformer_bench attention [THREADS]           fused against explicit attention
//
// Build it with `cmake --build build/release --target transformer_bench`. Each measurement is made in a process of its
// own, so that its peak memory is its own.

#include <spdlog/fmt/fmt.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <functional>
#include <string>

#include "core/random.h"
#include "data/batch.h"
#include "model/make_model.h"
#include "nn/precision.h"
#include "process.h"
#include "train/adam.h"
#include "train/training_step.h"

namespace gloss {
namespace {

constexpr int64_t kVocabulary = 10000;

double seconds_of(const std::function<void()>& work) {
  const auto begin = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

/// The shortest of several runs: the one least disturbed.
double best_seconds(int runs, const std::function<void()>& work) {
  double best = 1e9;
  for (int run = 0; run < runs; ++run) best = std::min(best, seconds_of(work));
  return best;
}

/// Runs `work`, which prints, in a process of its own and prints its peak memory after it.
void apart(const std::function<void()>& work) {
  std::fflush(stdout);
  const auto child = fork();
  if (child == 0) {
    work();
    std::fflush(stdout);
    _exit(0);
  }
  rusage usage{};
  int status = 0;
  wait4(child, &status, 0, &usage);
  fmt::print(" {:>9}\n", usage.ru_maxrss / 1024);
}

/// GFLOP/s of products of square matrices, the best that this machine's library does.
double peak_gflops(at::ScalarType type) {
  constexpr int64_t n = 2048;
  const auto a = at::randn({n, n}).to(type), b = at::randn({n, n}).to(type);
  auto c = at::mm(a, b);
  return 2.0 * n * n * n / best_seconds(7, [&] { at::mm_out(c, a, b); }) * 1e-9;
}

ModelOptions tiny() {
  ModelOptions options;
  options.type = "transformer";
  options.encoder_layers = options.decoder_layers = 4;
  options.model_size = 128;
  options.ffn_size = 256;
  options.heads = 4;
  options.dropout = 0.3;
  return options;
}

/// Multiplications and additions of the products of one update, forward and backward (twice as many).
double flops(const ModelOptions& options, double sentences, double src, double tgt) {
  const auto d = static_cast<double>(options.model_size), f = static_cast<double>(options.ffn_size);
  const double encoder = src * (4 * d * d + 2 * d * f) + 2 * src * src * d;
  const double decoder =
      tgt * (6 * d * d + 2 * d * f) + src * 2 * d * d + 2 * tgt * tgt * d + 2 * tgt * src * d;
  const double output = tgt * d * static_cast<double>(kVocabulary);
  return 2.0 * 3.0 * sentences *
         (static_cast<double>(options.encoder_layers) * encoder +
          static_cast<double>(options.decoder_layers) * decoder + output);
}

void measure_training(const std::string& precision) {
  const auto peak = peak_gflops(at::kFloat);
  at::manual_seed(1);
  const auto options = tiny();
  const auto model = make_model(options, {.source = kVocabulary, .target = kVocabulary, .shared = true});
  model->train();
  Adam::Parameters parameters;
  for (const auto& item : model->named_parameters()) parameters.emplace_back(item.key(), item.value());
  Adam adam(parameters, {});
  // Sentences of one length, the mean of Multi30k's captions.
  constexpr int64_t kLength = 15, kSentences = 4096 / kLength;
  Random random(1);
  std::vector<EncodedPair> pairs(kSentences);
  for (auto& pair : pairs)
    for (auto* side : {&pair.source, &pair.target})
      for (int64_t i = 1; i < kLength; ++i)  // the end mark is one more
        side->push_back(static_cast<int32_t>(4 + random.below(kVocabulary - 4)));
  const std::vector<Batch> group{make_batch(pairs)};
  TrainOptions training;
  training.precision = precision;
  const auto update = [&] {
    add_gradients(*model, group, training);
    adam.clip_gradients(1.0);
    adam.step(1e-3);
    adam.clear_gradients();
  };
  update();
  const double seconds = best_seconds(20, update);
  const double rate = flops(options, kSentences, kLength, kLength) / seconds * 1e-9;
  fmt::print("{:<10} {:>15.0f} {:>10.1f} {:>18.1f} {:>16.0f}%", precision,
             static_cast<double>(kSentences * kLength) / seconds, rate, peak, 100.0 * rate / peak);
}

void measure_attention(bool is_fused, bool trains, int64_t length) {
  constexpr int64_t kTokens = 8192, kHeads = 8, kWidth = 64;
  at::manual_seed(1);
  const auto shape = std::vector<int64_t>{kTokens / length, kHeads, length, kWidth};
  std::vector<Tensor> heads;
  for (int i = 0; i < 3; ++i) heads.push_back(at::randn(shape).set_requires_grad(trains));
  const AttentionMask mask{
      .allowed = at::ones({shape[0], 1, 1, length}, at::kBool), .bias = {}, .causal = false};
  const auto work = [&] {
    const auto context = is_fused ? fused_attention(heads[0], heads[1], heads[2], mask, 0.0)
                                  : explicit_attention(heads[0], heads[1], heads[2], mask, 0.0).context;
    if (trains) context.sum().backward();
  };
  work();
  fmt::print("{:<9} {:<10} {:>5} {:>10.1f}", is_fused ? "fused" : "explicit",
             trains ? "training" : "inference", length, 1e3 * best_seconds(7, work));
}

int run(int argc, char** argv) {
  const std::string what = argc > 1 ? argv[1] : "";
  const int threads = argc > 2 ? std::stoi(argv[2]) : 2;
  const auto with_threads = [&](const std::function<void()>& work) {
    apart([&] {
      prepare_computation(threads);
      work();
    });
  };
  if (what == "train") {
    fmt::print("{:<10} {:>15} {:>10} {:>18} {:>17} {:>9}\n", "precision", "target tokens/s", "GFLOP/s",
               "float32 peak", "share of peak", "peak MiB");
    for (const auto& precision : precision_names())
      if (argc > 3 ? precision == argv[3] : precision == "float32")
        with_threads([&] { measure_training(precision); });
    return 0;
  }
  if (what == "attention") {
    fmt::print("{:<9} {:<10} {:>5} {:>10} {:>9}\n", "path", "mode", "S", "ms", "peak MiB");
    for (const int64_t length : {32, 128, 512})
      for (const bool trains : {true, false})
        for (const bool is_fused : {true, false})
          with_threads([&] { measure_attention(is_fused, trains, length); });
    return 0;
  }
  fmt::print(stderr, "usage: transformer_bench train|attention [THREADS] [PRECISION]\n");
  return 2;
}

}  // namespace
}  // namespace gloss

int main(int argc, char** argv) {
  gloss::restart_with_passive_threads(argv);
  gloss::prepare_process();
  return gloss::run(argc, argv);
}
