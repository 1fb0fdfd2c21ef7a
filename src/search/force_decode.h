#pragma once

#include <optional>
#include <vector>

#include "data/batch.h"
#include "model/seq2seq.h"

namespace gloss {

/// What a model makes of one given target.
struct ForcedSentence {
  std::vector<double> log_probability;  ///< of each target token, end mark last
  std::vector<double> attention;  ///< [target pieces + 1, source pieces + 1] row-major if wanted, else empty
};

/// Runs the sources of the pairs through the encoder.
Memory encode_batch(Seq2Seq& model, const std::vector<EncodedPair>& pairs);

/// Scores given targets and reads the attention on the way; an empty target is its end mark alone. Where the attention
/// is to be shifted (AttentionChoice), a token's row is that of the step that reads it, </s> too.
///
/// \param model  in eval mode
/// \param memory of the batch
/// \param pairs  [batch] their targets are given
std::vector<ForcedSentence> force_decode(Seq2Seq& model, const Memory& memory,
                                         const std::vector<EncodedPair>& pairs,
                                         const std::optional<AttentionChoice>& wanted);

}  // namespace gloss
