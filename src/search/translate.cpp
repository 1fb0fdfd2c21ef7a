#include "search/translate.h"

#include <ATen/core/grad_mode.h>

#include <utility>

#include "search/beam_search.h"
#include "search/force_decode.h"
#include "search/pair_batches.h"

namespace gloss {

std::vector<Translation> translate(Seq2Seq& model, const std::vector<std::vector<int32_t>>& sources,
                                   const TranslateOptions& options) {
  const at::NoGradGuard no_grad;
  options.search.validate();
  model.eval();
  std::vector<EncodedPair> pairs;  // whose targets are to be found
  for (const auto& source : sources) pairs.push_back({.source = source, .target = {}});

  std::vector<Translation> translations(sources.size());
  for (auto& batch : pair_batches(pairs, options.batch_tokens)) {
    std::vector<int64_t> limits;
    for (const auto& pair : batch.pairs)
      limits.push_back(output_limit(options.search, static_cast<int64_t>(pair.source.size())));
    const auto memory = encode_batch(model, batch.pairs);
    auto found = beam_search(model, memory, options.search, limits);
    std::vector<ForcedSentence> forced(found.size());
    if (options.attention) {
      for (size_t i = 0; i < found.size(); ++i) batch.pairs[i].target = found[i].front().ids;
      forced = force_decode(model, memory, batch.pairs, options.attention);
    }
    for (size_t i = 0; i < found.size(); ++i)
      translations[batch.members[i]] = {.n_best = std::move(found[i]),
                                        .attention = std::move(forced[i].attention)};
  }
  return translations;
}

}  // namespace gloss
