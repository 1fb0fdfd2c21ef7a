#pragma once

#include <optional>
#include <string>
#include <vector>

#include "align/links.h"
#include "data/corpus.h"
#include "model/seq2seq.h"
#include "text/train_tokenizer.h"

namespace gloss {

/// How well the attention of one decoder layer aligns, read at the step that reads a target word (shift) or writes it.
struct AttentionQuality {
  AttentionChoice choice;
  double association = 0.0;  ///< mean of the linked pieces' association, 0 … 1
  std::optional<double> aer;
};

/// The alignment of a validation set by each decoder layer, mean over heads, with and without shift. Its association is
/// the mean of Dice's coefficient 2·n(s,t)/(n(s) + n(t)) over the links (each target piece's largest weight), where n
/// counts the sentences of the set that hold a source piece s, a target piece t, or both: pieces that translate each
/// other occur together. With gold links of words the alignment error rate is measured too.
///
/// \param model in eval mode
/// \param gold  of the validation set's first sentences, or empty
std::vector<AttentionQuality> measure_attention(Seq2Seq& model, const ValidationSet& set,
                                                const Tokenizers& tokenizers,
                                                const std::vector<SentenceLinks>& gold, int64_t batch_tokens);

/// The one with the lowest AER, where it was measured, else with the highest association.
const AttentionQuality& best_attention(const std::vector<AttentionQuality>& qualities);

}  // namespace gloss
