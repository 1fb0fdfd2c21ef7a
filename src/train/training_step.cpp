#include "train/training_step.h"

#include <omp.h>

#include <algorithm>
#include <utility>

#include "kernels/random_stream.h"
#include "nn/precision.h"
#include "search/batch_tensors.h"

namespace gloss {
namespace {

/// While it lives, what its thread calls runs on this thread alone. (The libraries then plan for one thread too.)
class OneThread {
 public:
  OneThread() : former_(at::get_num_threads()) { omp_set_num_threads(1); }
  ~OneThread() { omp_set_num_threads(former_); }
  OneThread(const OneThread&) = delete;
  OneThread& operator=(const OneThread&) = delete;

 private:
  int former_;
};

LossSums loss_of(Seq2Seq& model, Batch& batch, const TrainOptions& options, double normalizer) {
  const auto device = model.device();
  const PrecisionGuard precision(options.precision, device);
  const auto tensors = to_tensors(batch, device);
  const auto memory = model.encode(tensors.source, tensors.lengths);
  Decoded decoded;
  if (options.teacher_forcing < 1) {
    const auto forced =
        draw_forced(batch.size, batch.target_length, options.teacher_forcing, options.teacher_forcing_mode);
    decoded = model.decode_sampled(memory, tensors.target_in, forced.to(device));
  } else {
    decoded = model.decode(memory, tensors.target_in, /*wanted=*/std::nullopt);
  }
  return model.output->loss(decoded.hidden, tensors.target_out, options.label_smoothing, normalizer);
}

/// A batch in one part for each thread, because many short loops on one thread each run faster than the same loops
/// shared out between threads. Too small a part isn't worth its own pass over the weights.
std::vector<Batch> parts_of(const Batch& batch, const at::Device& device) {
  constexpr int64_t kLeastTokens = 512;
  const auto most = (batch.source_tokens + batch.target_tokens) / kLeastTokens;
  const auto parts = device.is_cpu() ? std::min<int64_t>(at::get_num_threads(), most) : 1;
  return split_batch(batch, std::max<int64_t>(parts, 1));
}

/// The gradient of one part by parameter (undefined where it has none) and its -log p.
struct PartResult {
  std::vector<Tensor> gradients;
  Tensor nll;
};

PartResult gradients_of(Seq2Seq& model, const std::vector<Tensor>& parameters, Batch& part,
                        const TrainOptions& options, double normalizer) {
  const auto loss = loss_of(model, part, options, normalizer);
  return {.gradients = torch::autograd::grad({loss.loss}, parameters, /*grad_outputs=*/{},
                                             /*retain_graph=*/false, /*create_graph=*/false,
                                             /*allow_unused=*/true),
          .nll = loss.nll};
}

/// The parts of a batch side by side, each on one thread and with random numbers of its own.
std::vector<PartResult> side_by_side(Seq2Seq& model, const std::vector<Tensor>& parameters,
                                     std::vector<Batch>& parts, const TrainOptions& options,
                                     double normalizer) {
  std::vector<PartResult> results(parts.size());
  std::vector<uint64_t> seeds(parts.size());
  for (auto& seed : seeds) seed = draw_key();
  at::parallel_for(0, static_cast<int64_t>(parts.size()), 1, [&](int64_t begin, int64_t end) {
    const OneThread alone;
    for (auto i = static_cast<size_t>(begin); i < static_cast<size_t>(end); ++i) {
      const RandomStream random(seeds[i]);
      results[i] = gradients_of(model, parameters, parts[i], options, normalizer);
    }
  });
  return results;
}

void add_to_gradients(const std::vector<Tensor>& parameters, const std::vector<Tensor>& gradients) {
  for (size_t i = 0; i < parameters.size(); ++i) {
    if (!gradients[i].defined()) continue;
    auto& sum = parameters[i].mutable_grad();
    sum = sum.defined() ? sum.add_(gradients[i]) : gradients[i];
  }
}

}  // namespace

GroupSums add_gradients(Seq2Seq& model, const std::vector<Batch>& group, const TrainOptions& options,
                        double loss_scale) {
  GroupSums sums;
  for (const auto& batch : group) {
    sums.target_tokens += batch.target_tokens;
    sums.source_tokens += batch.source_tokens;
  }
  const double normalizer = static_cast<double>(sums.target_tokens) / loss_scale;
  const auto parameters = model.parameters();
  Tensor nll;
  for (const auto& batch : group) {
    auto parts = parts_of(batch, model.device());
    for (const auto& part : parts) sums.padding += part.padding_cells();
    std::vector<PartResult> results;
    if (parts.size() == 1) {
      results.push_back(gradients_of(model, parameters, parts.front(), options, normalizer));
    } else {
      results = side_by_side(model, parameters, parts, options, normalizer);
    }
    const at::NoGradGuard no_grad;
    for (const auto& result : results) {
      add_to_gradients(parameters, result.gradients);
      nll = nll.defined() ? nll + result.nll : result.nll;
    }
  }
  if (nll.defined()) sums.nll = nll.item<double>();
  return sums;
}

Tensor draw_forced(int64_t batch, int64_t tgt_len, double ratio, const std::string& mode) {
  const int64_t draws = mode == "sequence" ? 1 : tgt_len;
  auto forced =
      (at::rand({batch, draws}, cpu_generator(), at::kDouble) < ratio).expand({batch, tgt_len}).clone();
  forced.select(1, 0).fill_(true);
  return forced;
}

}  // namespace gloss
