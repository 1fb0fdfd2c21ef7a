#include "train/training_step.h"

#include "nn/precision.h"
#include "train/batch_tensors.h"

namespace gloss {

namespace {

LossSums loss_of(Seq2Seq& model, Batch& batch, const TrainOptions& options, double normalizer) {
  const auto device = device_of(model);
  const PrecisionGuard precision(options.precision, device);
  const auto tensors = to_tensors(batch, device);
  const auto memory = model.encode(tensors.source, tensors.lengths);
  Decoded decoded;
  if (options.teacher_forcing < 1) {
    const auto forced =
        draw_forced(batch.size, batch.target_length, options.teacher_forcing, options.teacher_forcing_mode);
    decoded = model.decode_sampled(memory, tensors.target_in, forced.to(device));
  } else {
    decoded = model.decode(memory, tensors.target_in, /*want_attention=*/false);
  }
  return model.output->loss(decoded.hidden, tensors.target_out, options.label_smoothing, normalizer);
}

}  // namespace

GroupSums add_gradients(Seq2Seq& model, std::vector<Batch>& group, const TrainOptions& options,
                        double loss_scale) {
  GroupSums sums;
  for (const auto& batch : group) {
    sums.target_tokens += batch.target_tokens;
    sums.source_tokens += batch.source_tokens;
    sums.padding += padding_cells(batch);
  }
  Tensor nll;
  for (auto& batch : group) {
    const auto loss = loss_of(model, batch, options, static_cast<double>(sums.target_tokens) / loss_scale);
    loss.loss.backward();
    nll = nll.defined() ? nll + loss.nll : loss.nll;
  }
  if (nll.defined()) sums.nll = nll.item<double>();
  return sums;
}

Tensor draw_forced(int64_t batch, int64_t tgt_len, double ratio, const std::string& mode) {
  const int64_t draws = mode == "sequence" ? 1 : tgt_len;
  auto forced = (at::rand({batch, draws}, at::kDouble) < ratio).expand({batch, tgt_len}).clone();
  forced.select(1, 0).fill_(true);
  return forced;
}

at::Device device_of(const Seq2Seq& model) { return model.parameters().front().device(); }

}  // namespace gloss
