#pragma once

#include <string>

#include "checkpoint/safetensors.h"
#include "model/seq2seq.h"

namespace gloss {

/// What to store beside weights about the attention that alignments are read from.
Metadata attention_metadata(const AttentionChoice& choice);

/// What was stored; where nothing was, the model's own choice.
/// Throws CheckpointError, naming `file`, for what is no choice among the model's attentions.
AttentionChoice read_attention_metadata(const Metadata& metadata, const AttentionCounts& counts,
                                        const std::string& file);

}  // namespace gloss
