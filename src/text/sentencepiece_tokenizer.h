#pragma once

#include <memory>
#include <string>

#include "text/tokenizer.h"

namespace gloss {

/// A SentencePiece model (Kudo, Richardson 2018) whose special ids are those of core/special_tokens.h.
///
/// encode(): control pieces written out in the text ("</s>") are ordinary characters. Byte pieces of one character
/// share its bytes in the offsets.
/// sample(): unigram draws from the lattice with probabilities to the power of `alpha` (Kudo 2018); bpe leaves out each
/// merge with probability `alpha` (Provilkov, Emelianenko, Voita 2020).
/// decode(): an unknown piece reads " ⁇ ", as with SentencePiece's own tools. Ids out of range throw
/// std::out_of_range; decode_with_offsets() gives one piece for each id, special ids with no bytes.
///
/// Throws CheckpointError when the bytes are no model, or one with other special ids.
std::shared_ptr<const Tokenizer> make_sentencepiece_tokenizer(std::string bytes, const std::string& name);

}  // namespace gloss
