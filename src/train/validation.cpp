#include "train/validation.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "core/lines.h"
#include "metrics/bleu.h"
#include "metrics/chrf.h"
#include "nn/precision.h"
#include "search/batch_tensors.h"
#include "search/pair_batches.h"
#include "search/translate.h"
#include "train/eval_mode.h"

namespace gloss {
namespace {

// Sentences between two looks at the stop signal.
constexpr size_t kTranslationChunk = 256;

std::vector<EncodedPair> pairs_that_count(const ValidationSet& set) {
  std::vector<EncodedPair> pairs;
  for (size_t i = 0; i < set.pairs.size(); ++i)
    if (set.in_loss[i]) pairs.push_back(set.pairs[i]);
  return pairs;
}

// Sum of -log p(target) over the batch.
double batch_nll(Seq2Seq& model, Batch& batch) {
  const auto tensors = to_tensors(batch, model.device());
  const auto memory = model.encode(tensors.source, tensors.lengths);
  const auto hidden = model.decode(memory, tensors.target_in, /*wanted=*/std::nullopt).hidden;
  return -model.output->log_probability(hidden, tensors.target_out).sum(at::kDouble).item<double>();
}

// Translations in the order of the sources; nothing when stopped.
std::optional<std::vector<std::string>> translate_all(Seq2Seq& model, const std::vector<EncodedPair>& pairs,
                                                      const Tokenizer& target,
                                                      const ValidationOptions& options,
                                                      const std::function<int()>& stop) {
  const TranslateOptions greedy{.search = {.beam_size = 1}, .batch_tokens = options.batch_tokens};
  std::vector<size_t> order(pairs.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return pairs[a].source.size() > pairs[b].source.size(); });
  std::vector<std::string> texts(pairs.size());
  for (size_t begin = 0; begin < order.size(); begin += kTranslationChunk) {
    if (stop() != 0) return {};
    const size_t end = std::min(begin + kTranslationChunk, order.size());
    std::vector<std::vector<int32_t>> chunk;
    for (size_t i = begin; i < end; ++i) chunk.push_back(pairs[order[i]].source);
    const auto found = translate(model, chunk, greedy);
    for (size_t i = begin; i < end; ++i) {
      // An empty line is translated by an empty line, whatever the model would say.
      if (pairs[order[i]].source.empty()) continue;
      texts[order[i]] = one_line(target.decode(found[i - begin].n_best.front().ids));
    }
  }
  return texts;
}

}  // namespace

std::optional<ValidationResult> validate(Seq2Seq& model, const ValidationSet& set,
                                         const Tokenizers& tokenizers, const ValidationOptions& options,
                                         const std::function<int()>& stop) {
  const at::NoGradGuard no_grad;
  const EvalMode eval(model);
  const PrecisionGuard precision(options.precision, model.device());
  ValidationResult result;
  double nll = 0.0;
  for (const auto& group : pair_batches(pairs_that_count(set), options.batch_tokens)) {
    if (stop() != 0) return {};
    auto batch = make_batch(group.pairs);
    result.target_tokens += batch.target_tokens;
    nll += batch_nll(model, batch);
  }
  // Without a pair that counts this is NaN, which is never the best.
  result.cross_entropy = nll / static_cast<double>(result.target_tokens);
  if (!options.translate) return result;
  const auto texts = translate_all(model, set.pairs, *tokenizers.target, options, stop);
  if (!texts) return {};
  result.bleu = bleu(*texts, {set.target}).score;
  result.chrf = chrf(*texts, {set.target});
  return result;
}

double metric_value(const ValidationResult& result, const std::string& metric) {
  if (metric == "bleu") return result.bleu.value();
  return metric == "perplexity" ? result.perplexity() : result.cross_entropy;
}

bool higher_is_better(const std::string& metric) { return metric == "bleu"; }

}  // namespace gloss
