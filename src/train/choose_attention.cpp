#include "train/choose_attention.h"

#include <ATen/core/grad_mode.h>

#include <algorithm>

#include "align/words.h"
#include "data/batcher.h"
#include "metrics/aer.h"
#include "search/force_decode.h"
#include "train/training_step.h"

namespace gloss {
namespace {

// Sentences that are looked at when there is no gold: enough for the order of the layers.
constexpr size_t kMostSentences = 300;

LinkSet to_set(const std::vector<Link>& links) {
  LinkSet set;
  for (const auto& link : links) set.emplace(link.source, link.target);
  return set;
}

/// Links of one matrix read both ways, end marks left out.
struct Agreement {
  int64_t common = 0, all = 0;

  void add(const ForcedSentence& sentence) {
    const auto rows = sentence.rows - 1, columns = sentence.columns - 1;
    if (rows == 0 || columns == 0) return;
    const auto weight = [&](int64_t i, int64_t j) { return sentence.attention[i * sentence.columns + j]; };
    std::vector<int64_t> best_row(columns, 0);
    for (int64_t j = 0; j < columns; ++j)
      for (int64_t i = 1; i < rows; ++i)
        if (weight(i, j) > weight(best_row[j], j)) best_row[j] = i;
    for (int64_t i = 0; i < rows; ++i) {
      int64_t best = 0;
      for (int64_t j = 1; j < columns; ++j)
        if (weight(i, j) > weight(i, best)) best = j;
      common += best_row[best] == i;
    }
    all += rows + columns;
  }

  double value() const {
    return all == 0 ? 0.0 : 2.0 * static_cast<double>(common) / static_cast<double>(all);
  }
};

std::vector<Unit> units(const std::vector<Piece>& pieces) {
  std::vector<Unit> result;
  for (const auto& piece : pieces) result.push_back({piece.text, piece.begin, piece.end});
  return result;
}

LinkSet word_links(const ForcedSentence& sentence, const std::string& source, const std::string& target,
                   const Tokenizers& tokenizers) {
  const auto words = to_words({.source = units(tokenizers.source->encode_with_offsets(source)),
                               .target = units(tokenizers.target->encode_with_offsets(target)),
                               .weights = sentence.attention},
                              source, target, /*keep_eos=*/false);
  return to_set(hard_links(words));
}

}  // namespace

std::vector<LayerQuality> measure_layers(Seq2Seq& model, const ValidationSet& set,
                                         const Tokenizers& tokenizers, const std::vector<SentenceLinks>& gold,
                                         int64_t batch_tokens) {
  const at::NoGradGuard no_grad;
  std::vector<size_t> sentences;  // those that count, and how long they are
  std::vector<size_t> lengths;
  const auto limit = gold.empty() ? kMostSentences : gold.size();
  for (size_t i = 0; i < set.pairs.size() && sentences.size() < limit; ++i) {
    const auto& pair = set.pairs[i];
    if (pair.source.empty() || pair.target.empty() || (!gold.empty() && i >= gold.size())) continue;
    sentences.push_back(i);
    lengths.push_back(std::max(pair.source.size(), pair.target.size()) + 1);
  }

  const auto former = model.attention_choice;
  std::vector<LayerQuality> layers;
  for (int64_t layer = 1; layer <= model.attention_counts().layers; ++layer) {
    model.attention_choice = {.layer = layer, .head = 0, .shift = former.shift};
    Agreement agreement;
    std::vector<LinkSet> found(gold.size());
    for (const auto& group : batch_by_length(lengths, batch_tokens)) {
      std::vector<EncodedPair> pairs;
      std::vector<std::vector<int32_t>> targets;
      for (const auto i : group) {
        pairs.push_back(set.pairs[sentences[i]]);
        targets.push_back(pairs.back().target);
      }
      const auto memory = encode_batch(model, make_batch(pairs, /*has_target=*/false), device_of(model));
      const auto forced = force_decode(model, memory, targets, /*want_attention=*/true);
      for (size_t k = 0; k < group.size(); ++k) {
        agreement.add(forced[k]);
        const auto i = sentences[group[k]];
        if (!gold.empty()) found[i] = word_links(forced[k], set.source[i], set.target[i], tokenizers);
      }
    }
    LayerQuality quality{.layer = layer, .agreement = agreement.value(), .aer = {}};
    if (!gold.empty()) {
      std::vector<GoldLinks> wanted;
      for (const auto& links : gold) wanted.push_back({to_set(links.sure), to_set(links.possible)});
      quality.aer = alignment_error_rate(found, wanted).aer;
    }
    layers.push_back(quality);
  }
  model.attention_choice = former;
  return layers;
}

const LayerQuality& best_layer(const std::vector<LayerQuality>& layers) {
  return *std::ranges::max_element(layers, [](const LayerQuality& a, const LayerQuality& b) {
    if (a.aer && b.aer) return *a.aer > *b.aer;
    return a.agreement < b.agreement;
  });
}

}  // namespace gloss
