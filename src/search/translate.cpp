#include "search/translate.h"

#include <ATen/core/grad_mode.h>

#include "data/batch.h"
#include "data/batcher.h"
#include "search/beam_search.h"
#include "search/force_decode.h"

namespace gloss {
namespace {

void attach_attention(Seq2Seq& model, const Memory& memory, std::vector<Translation*>& translations) {
  std::vector<std::vector<int32_t>> best;
  for (const auto* translation : translations) best.push_back(translation->n_best.front().ids);
  auto forced = force_decode(model, memory, best, /*want_attention=*/true);
  for (size_t i = 0; i < translations.size(); ++i) {
    translations[i]->attention = std::move(forced[i].attention);
    translations[i]->rows = forced[i].rows;
    translations[i]->columns = forced[i].columns;
  }
}

}  // namespace

std::vector<Translation> translate(Seq2Seq& model, const std::vector<std::vector<int32_t>>& sources,
                                   const TranslateOptions& options, torch::Device device) {
  const at::NoGradGuard no_grad;
  options.search.validate();
  model.eval();
  std::vector<size_t> lengths;
  for (const auto& source : sources) lengths.push_back(source.size() + 1);

  std::vector<Translation> translations(sources.size());
  for (const auto& indices : batch_by_length(lengths, options.batch_tokens)) {
    std::vector<EncodedPair> pairs;
    std::vector<int64_t> limits;
    std::vector<Translation*> of_batch;
    for (const auto index : indices) {
      pairs.push_back({.source = sources[index], .target = {}, .line = static_cast<int64_t>(index)});
      limits.push_back(output_limit(options.search, static_cast<int64_t>(sources[index].size())));
      of_batch.push_back(&translations[index]);
    }
    const auto memory = encode_batch(model, make_batch(pairs, /*has_target=*/false), device);
    auto found = beam_search(model, memory, options.search, limits);
    for (size_t i = 0; i < of_batch.size(); ++i) of_batch[i]->n_best = std::move(found[i]);
    if (options.want_attention) attach_attention(model, memory, of_batch);
  }
  return translations;
}

}  // namespace gloss
