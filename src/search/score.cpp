#include "search/score.h"

#include <ATen/core/grad_mode.h>

#include <algorithm>
#include <cmath>

#include "core/error.h"
#include "data/batcher.h"
#include "search/force_decode.h"

namespace gloss {
namespace {

void check_numbers(const std::vector<double>& log_probability) {
  if (std::any_of(log_probability.begin(), log_probability.end(), [](double p) { return std::isnan(p); }))
    throw CheckpointError(
        "model: its probabilities are not numbers (NaN), the weights are broken; use an earlier checkpoint");
}

}  // namespace

std::vector<std::vector<double>> score(Seq2Seq& model, const std::vector<EncodedPair>& pairs,
                                       int64_t batch_tokens, torch::Device device) {
  const at::NoGradGuard no_grad;
  model.eval();
  std::vector<size_t> lengths;
  for (const auto& pair : pairs) lengths.push_back(std::max(pair.source.size(), pair.target.size()) + 1);

  std::vector<std::vector<double>> scores(pairs.size());
  for (const auto& indices : batch_by_length(lengths, batch_tokens)) {
    std::vector<EncodedPair> sources;
    std::vector<std::vector<int32_t>> targets;
    for (const auto index : indices) {
      sources.push_back({.source = pairs[index].source, .target = {}, .line = pairs[index].line});
      targets.push_back(pairs[index].target);
    }
    const auto memory = encode_batch(model, make_batch(sources, /*has_target=*/false), device);
    auto forced = force_decode(model, memory, targets, /*want_attention=*/false);
    for (size_t i = 0; i < indices.size(); ++i) {
      check_numbers(forced[i].log_probability);
      scores[indices[i]] = std::move(forced[i].log_probability);
    }
  }
  return scores;
}

}  // namespace gloss
