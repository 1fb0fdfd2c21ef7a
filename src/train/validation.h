#pragma once

#include <cmath>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "data/corpus.h"
#include "model/seq2seq.h"
#include "text/train_tokenizer.h"

namespace gloss {

struct ValidationResult {
  double cross_entropy = 0.0;  ///< mean -log p of the target tokens, </s> counted, without label smoothing
  int64_t target_tokens = 0;
  std::optional<double> bleu;  ///< of the greedy translations, when asked for
  std::optional<double> chrf;

  double perplexity() const { return std::exp(cross_entropy); }
};

struct ValidationOptions {
  bool translate = false;  ///< also decode greedily and score the translations
  int64_t batch_tokens = 4096;
  std::string precision = "float32";
};

/// Cross entropy over the pairs that count (not too long, no empty side); BLEU and chrF over all lines.
/// The model is in eval mode meanwhile and in its former mode afterwards; no random number is drawn.
/// \param stop looked at between batches: when it gives a signal, the work is dropped
/// \return nothing when it was dropped
std::optional<ValidationResult> validate(Seq2Seq& model, const ValidationSet& set,
                                         const Tokenizers& tokenizers, const ValidationOptions& options,
                                         const std::function<int()>& stop);

/// The value of --valid-metric in a result.
double metric_value(const ValidationResult& result, const std::string& metric);

/// Whether more of the metric is better.
bool higher_is_better(const std::string& metric);

}  // namespace gloss
