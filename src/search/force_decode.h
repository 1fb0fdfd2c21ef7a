#pragma once

#include <cstdint>
#include <vector>

#include "data/batch.h"
#include "model/seq2seq.h"

namespace gloss {

/// What a model makes of one given target.
struct ForcedSentence {
  std::vector<double> log_probability;  ///< [rows] of each target token, end mark last
  std::vector<double> attention;        ///< [rows, columns] row-major when asked for, else empty
  int64_t rows = 0;                     ///< target pieces and </s>
  int64_t columns = 0;                  ///< source pieces and </s>

  double total() const;  ///< log-probability of the whole target
};

using ForcedDecode = std::vector<ForcedSentence>;

/// Runs the sources of a batch through the encoder.
Memory encode_batch(Seq2Seq& model, const Batch& batch, torch::Device device);

/// Scores given targets and reads the attention on the way; an empty target is its end mark alone. Where the model's
/// alignments are shifted (AttentionChoice), a token's row of attention is that of the step that reads it, </s> too.
///
/// \param model   in eval mode
/// \param memory  of the batch
/// \param targets [batch] ids without <s> and </s>
ForcedDecode force_decode(Seq2Seq& model, const Memory& memory,
                          const std::vector<std::vector<int32_t>>& targets, bool want_attention);

}  // namespace gloss
