#include "search/score.h"

#include <ATen/core/grad_mode.h>

#include <utility>

#include "search/force_decode.h"
#include "search/pair_batches.h"
#include "search/sentence_search.h"

namespace gloss {

std::vector<std::vector<double>> score(Seq2Seq& model, const std::vector<EncodedPair>& pairs,
                                       int64_t batch_tokens) {
  const at::NoGradGuard no_grad;
  model.eval();
  std::vector<std::vector<double>> scores(pairs.size());
  for (const auto& batch : pair_batches(pairs, batch_tokens)) {
    auto forced = force_decode(model, encode_batch(model, batch.pairs), batch.pairs, /*wanted=*/std::nullopt);
    for (size_t i = 0; i < forced.size(); ++i) {
      for (const auto p : forced[i].log_probability) check_number(p);
      scores[batch.members[i]] = std::move(forced[i].log_probability);
    }
  }
  return scores;
}

}  // namespace gloss
