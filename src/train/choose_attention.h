#pragma once

#include <optional>
#include <string>
#include <vector>

#include "align/links.h"
#include "data/corpus.h"
#include "model/seq2seq.h"
#include "text/train_tokenizer.h"

namespace gloss {

/// How well one decoder layer's attention aligns.
struct LayerQuality {
  int64_t layer = 0;       ///< from 1
  double agreement = 0.0;  ///< of links read by rows with links read by columns, 0 … 1
  std::optional<double> aer;
};

/// The alignment of a validation set by each decoder layer, mean over heads, with the model's shift. A layer's
/// `agreement` is 2|A∩B|/(|A|+|B|) for A: each target piece's largest weight, and B: each source piece's: where both
/// readings of one matrix find the same links, it aligns; where it points everywhere or always at one place, they do
/// not. With gold links of words the alignment error rate is measured too.
///
/// \param model in eval mode
/// \param gold  of the validation set's first sentences, or empty
std::vector<LayerQuality> measure_layers(Seq2Seq& model, const ValidationSet& set,
                                         const Tokenizers& tokenizers, const std::vector<SentenceLinks>& gold,
                                         int64_t batch_tokens);

/// The layer with the lowest AER, where it was measured, else the best agreement.
const LayerQuality& best_layer(const std::vector<LayerQuality>& layers);

}  // namespace gloss
