#pragma once

#include <string>

#include "checkpoint/safetensors.h"
#include "model/seq2seq.h"

namespace gloss {

/// What to store beside weights about the attention that alignments are read from.
Metadata attention_metadata(const AttentionChoice& choice);

/// Takes what was stored over into the model; without it the model keeps its own choice.
/// Throws CheckpointError, naming `file`, for a choice that the model does not have.
void apply_attention_metadata(const Metadata& metadata, Seq2Seq& model, const std::string& file);

}  // namespace gloss
