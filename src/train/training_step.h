#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "data/batch.h"
#include "model/seq2seq.h"
#include "train/train_options.h"

namespace gloss {

/// What one update saw: sums over the batches of its group.
struct GroupSums {
  double nll = 0.0;           ///< sum of -log p over the target tokens, unsmoothed
  int64_t target_tokens = 0;  ///< real ones, </s> counted
  int64_t source_tokens = 0;
  int64_t padding = 0;  ///< cells
};

/// Adds the gradient of the group's loss to the parameters' gradients. The loss is the sum of the (smoothed) token
/// losses of all batches divided by the real target tokens of all of them, whatever the split into batches.
/// On a CPU the threads share a batch out between them by pairs.
///
/// \param model      in train mode
/// \param loss_scale what the gradient is multiplied by (loss_scaler.h)
GroupSums add_gradients(Seq2Seq& model, const std::vector<Batch>& group, const TrainOptions& options,
                        double loss_scale = 1.0);

/// Where the given target is fed rather than the model's own word: true with probability `ratio`, drawn from
/// cpu_generator() for each sentence ("sequence") or each position ("step"). The first position is always given.
/// \return [batch, tgt_len] bool on the CPU
Tensor draw_forced(int64_t batch, int64_t tgt_len, double ratio, const std::string& mode);

}  // namespace gloss
