#pragma once

#include <filesystem>

#include "checkpoint/safetensors.h"
#include "text/train_tokenizer.h"

namespace gloss {

/// Writes source.spm and target.spm (or .vocab), or joint.spm when shared, byte for byte; those of another kind that
/// the folder held are removed, so that there is never a doubt which ones count. Throws OutputError.
void save_tokenizers(const std::filesystem::path& directory, const Tokenizers& tokenizers);

/// Throws CheckpointError when none, only one side, or more than one kind is there.
Tokenizers load_tokenizers(const std::filesystem::path& directory);

/// What to store beside weights: the SHA-256 of each tokenizer they are trained with.
Metadata tokenizer_metadata(const Tokenizers& tokenizers);

/// Throws CheckpointError, naming both hashes, when the weights in `file` were trained with other tokenizers.
void check_tokenizers(const Metadata& metadata, const Tokenizers& tokenizers, const std::string& file);

}  // namespace gloss
