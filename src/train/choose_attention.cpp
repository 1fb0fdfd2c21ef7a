#include "train/choose_attention.h"

#include <ATen/core/grad_mode.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

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

/// In how many sentences pieces occur, alone and together.
class Cooccurrence {
 public:
  void add(const EncodedPair& pair) {
    const std::set<int32_t> source(pair.source.begin(), pair.source.end()),
        target(pair.target.begin(), pair.target.end());
    for (const auto s : source) ++source_[s];
    for (const auto t : target) ++target_[t];
    for (const auto s : source)
      for (const auto t : target) ++both_[{s, t}];
  }

  double dice(int32_t source, int32_t target) const {
    return 2.0 * static_cast<double>(both_.at({source, target})) /
           static_cast<double>(source_.at(source) + target_.at(target));
  }

 private:
  std::map<int32_t, int64_t> source_, target_;
  std::map<std::pair<int32_t, int32_t>, int64_t> both_;
};

/// Mean association of the linked pieces: of each target piece with the source piece of its largest weight.
struct Association {
  double sum = 0.0;
  int64_t links = 0;

  void add(const ForcedSentence& sentence, const EncodedPair& pair, const Cooccurrence& counts) {
    const auto columns = static_cast<size_t>(sentence.columns);
    for (size_t i = 0; i < pair.target.size(); ++i) {
      const auto* row = sentence.attention.data() + i * columns;
      const auto best = static_cast<size_t>(std::max_element(row, row + pair.source.size()) - row);
      sum += counts.dice(pair.source[best], pair.target[i]);
      ++links;
    }
  }

  double mean() const { return links == 0 ? 0.0 : sum / static_cast<double>(links); }
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

std::vector<AttentionQuality> measure_attention(Seq2Seq& model, const ValidationSet& set,
                                                const Tokenizers& tokenizers,
                                                const std::vector<SentenceLinks>& gold,
                                                int64_t batch_tokens) {
  const at::NoGradGuard no_grad;
  std::vector<size_t> sentences;  // those that count, and how long they are
  std::vector<size_t> lengths;
  Cooccurrence counts;
  const auto limit = gold.empty() ? kMostSentences : gold.size();
  for (size_t i = 0; i < set.pairs.size(); ++i) {
    const auto& pair = set.pairs[i];
    if (pair.source.empty() || pair.target.empty()) continue;
    counts.add(pair);
    if (sentences.size() >= limit || (!gold.empty() && i >= gold.size())) continue;
    sentences.push_back(i);
    lengths.push_back(std::max(pair.source.size(), pair.target.size()) + 1);
  }
  std::vector<GoldLinks> wanted;
  for (const auto& links : gold) wanted.push_back({to_set(links.sure), to_set(links.possible)});

  const auto former = model.attention_choice;
  std::vector<AttentionQuality> qualities;
  for (int64_t layer = 1; layer <= model.attention_counts().layers; ++layer) {
    for (const bool shift : {false, true}) {
      model.attention_choice = {.layer = layer, .head = 0, .shift = shift};
      Association association;
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
          association.add(forced[k], pairs[k], counts);
          const auto i = sentences[group[k]];
          if (!gold.empty()) found[i] = word_links(forced[k], set.source[i], set.target[i], tokenizers);
        }
      }
      AttentionQuality quality{
          .choice = model.attention_choice, .association = association.mean(), .aer = {}};
      if (!gold.empty()) quality.aer = alignment_error_rate(found, wanted).aer;
      qualities.push_back(quality);
    }
  }
  model.attention_choice = former;
  return qualities;
}

const AttentionQuality& best_attention(const std::vector<AttentionQuality>& qualities) {
  return *std::ranges::max_element(qualities, [](const AttentionQuality& a, const AttentionQuality& b) {
    if (a.aer && b.aer) return *a.aer > *b.aer;
    return a.association < b.association;
  });
}

}  // namespace gloss
