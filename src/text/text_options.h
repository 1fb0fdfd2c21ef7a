#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "config/field.h"

namespace gloss {

/// "auto", or a whole number that leaves room for the special ids.
extern const Check vocabulary_size;

/// Normalisation rules that SentencePiece knows.
const std::vector<std::string>& normalization_names();

/// Which vocabularies a run uses: ready ones from files, or new ones trained on the corpus.
struct TokenizerOptions {
  std::string vocab_size = "auto";
  std::string source_vocab_size;
  std::string target_vocab_size;
  std::string vocab_type = "unigram";
  bool shared_vocab = true;
  std::string tokenizer;
  std::string source_tokenizer;
  std::string target_tokenizer;
  std::string normalization = "nmt_nfkc";
  double character_coverage = 1.0;
  bool byte_fallback = false;
  std::vector<std::string> user_symbols;
  int64_t max_sentence_bytes = 65536;

  template <class Visitor>
  void visit(Visitor&& field) {
    field("vocab-size", vocab_size,
          "Entries of the vocabulary. auto: 12 times the square root of the number of running words, "
          "at most 32000 and at most what the corpus supports.",
          vocabulary_size);
    field("source-vocab-size", source_vocab_size,
          "Entries of the source vocabulary; gives each side its own. Empty: as vocab-size.",
          or_empty(vocabulary_size));
    field("target-vocab-size", target_vocab_size,
          "Entries of the target vocabulary; gives each side its own. Empty: as vocab-size.",
          or_empty(vocabulary_size));
    field("vocab-type", vocab_type, "How text is cut: SentencePiece unigram or bpe, or words at white space.",
          one_of({"unigram", "bpe", "word"}));
    field(
        "shared-vocab", shared_vocab,
        "One vocabulary for both sides, trained on both. A size or a tokenizer of one side makes two of it, "
        "whatever stands here.",
        any);
    field(
        "tokenizer", tokenizer,
        "Ready vocabulary for both sides: a SentencePiece model, or a word list, which has the lines <pad>, "
        "<unk>, <s>, </s> first and then one word a line.",
        any);
    field("source-tokenizer", source_tokenizer, "Ready vocabulary for the source.", any);
    field("target-tokenizer", target_tokenizer, "Ready vocabulary for the target.", any);
    field("normalization", normalization, "Unicode normalisation that SentencePiece applies first.",
          one_of(normalization_names()));
    field(
        "character-coverage", character_coverage,
        "Share of the corpus' characters that get a piece of their own; lower it for scripts with thousands.",
        between(0.98, 1.0));  // SentencePiece trains with no other
    field("byte-fallback", byte_fallback, "Spell unknown characters as bytes (256 more pieces).", any);
    field("user-symbols", user_symbols, "Strings that always stay one piece.", any);
    field("max-sentence-bytes", max_sentence_bytes, "Longer lines are left out when a vocabulary is trained.",
          positive);
  }

  /// Throws UsageError.
  void validate() const;

  /// True when one vocabulary serves both sides.
  bool is_shared() const;
};

/// The number, or nothing for "auto".
std::optional<int64_t> parse_vocabulary_size(const std::string& text);

}  // namespace gloss
