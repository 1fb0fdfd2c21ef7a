#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "text/text_options.h"
#include "text/text_source.h"
#include "text/tokenizer.h"

namespace gloss {

/// Vocabularies of a model; one object on both sides when shared.
struct Tokenizers {
  std::shared_ptr<const Tokenizer> source;
  std::shared_ptr<const Tokenizer> target;
  bool shared = false;
};

/// Lines that a SentencePiece model is trained on at most; of a larger corpus a fixed random part is taken.
inline constexpr int64_t kMaxTrainingLines = 2'000'000;

/// "auto" for subwords: 12 times the square root of the number of running words, at most 32,000. That is 2,400 for a
/// corpus of 40,000 words, 10,000 for 700,000, and 32,000 from 7 million up.
int64_t auto_vocabulary_size(int64_t running_words);

/// Trains a vocabulary of the kind that `options` name; `vocab_size` is "auto" or a number (options' own sizes are not
/// looked at). Reads the text two or three times. The same text gives the same bytes, whatever the machine has cores.
///
/// Words are ranked by frequency, ties by their bytes; the size is a limit, and "auto" takes the words seen at least
/// twice (so that <unk> is trained), at most 32,000.
/// Lines over options.max_sentence_bytes are left out with a warning; so are NUL characters.
/// Throws DataError (no text left) and UsageError (a size that cannot be reached; names the nearest that can).
/// \param option that named the size, for messages
std::shared_ptr<const Tokenizer> train_tokenizer(const TextSource& text, const TokenizerOptions& options,
                                                 const std::string& vocab_size,
                                                 const std::string& option = "--vocab-size");

/// The vocabularies of a run: loaded where a file is named, else trained on the text of their side, or of both.
Tokenizers make_tokenizers(const TokenizerOptions& options, const TextSource& source,
                           const TextSource& target);

}  // namespace gloss
