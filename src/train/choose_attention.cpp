#include "train/choose_attention.h"

#include <ATen/core/grad_mode.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "align/aer.h"
#include "align/words.h"
#include "search/force_decode.h"
#include "search/pair_batches.h"
#include "search/units.h"

namespace gloss {
namespace {

// Sentences that are looked at when there is no gold: enough for the order of the layers.
constexpr size_t kMostSentences = 300;

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
    for (size_t i = 0; i < pair.target.size(); ++i) {
      const auto* row = sentence.attention.data() + i * (pair.source.size() + 1);
      const auto best = static_cast<size_t>(std::max_element(row, row + pair.source.size()) - row);
      sum += counts.dice(pair.source[best], pair.target[i]);
      ++links;
    }
  }

  double mean() const { return links == 0 ? 0.0 : sum / static_cast<double>(links); }
};

std::vector<Link> word_links(const ForcedSentence& sentence, const std::string& source,
                             const std::string& target, const Tokenizers& tokenizers) {
  return hard_links(to_words({.source = units_of(tokenizers.source->encode_with_offsets(source)),
                              .target = units_of(tokenizers.target->encode_with_offsets(target)),
                              .weights = sentence.attention},
                             source, target, /*keep_eos=*/false));
}

/// The sentences that are looked at, and what occurs together in the whole set.
struct Sample {
  std::vector<size_t> lines;  // of the set
  std::vector<EncodedPair> pairs;
  Cooccurrence counts;
};

/// \param gold sentences that have gold links, the first of the set; 0: measure without
Sample sentences_to_measure(const ValidationSet& set, size_t gold) {
  Sample sample;
  for (size_t i = 0; i < set.pairs.size(); ++i) {
    const auto& pair = set.pairs[i];
    if (pair.source.empty() || pair.target.empty()) continue;
    sample.counts.add(pair);
    if (gold > 0 ? i >= gold : sample.lines.size() >= kMostSentences) continue;
    sample.lines.push_back(i);
    sample.pairs.push_back(pair);
  }
  return sample;
}

AttentionQuality quality_of(const AttentionChoice& choice, Seq2Seq& model, const Sample& sample,
                            const ValidationSet& set, const Tokenizers& tokenizers,
                            const std::vector<SentenceLinks>& gold, int64_t batch_tokens) {
  Association association;
  std::vector<std::vector<Link>> links(gold.size());
  for (const auto& batch : pair_batches(sample.pairs, batch_tokens)) {
    const auto forced = force_decode(model, encode_batch(model, batch.pairs), batch.pairs, choice);
    for (size_t i = 0; i < forced.size(); ++i) {
      association.add(forced[i], batch.pairs[i], sample.counts);
      const auto line = sample.lines[batch.members[i]];
      if (!gold.empty()) links[line] = word_links(forced[i], set.source[line], set.target[line], tokenizers);
    }
  }
  AttentionQuality quality{.choice = choice, .association = association.mean(), .aer = {}};
  if (!gold.empty()) quality.aer = alignment_error_rate(links, gold).aer;
  return quality;
}

}  // namespace

std::vector<AttentionQuality> measure_attention(Seq2Seq& model, const ValidationSet& set,
                                                const Tokenizers& tokenizers,
                                                const std::vector<SentenceLinks>& gold,
                                                int64_t batch_tokens) {
  const at::NoGradGuard no_grad;
  const auto sample = sentences_to_measure(set, gold.size());
  std::vector<AttentionQuality> qualities;
  for (int64_t layer = 1; layer <= model.attention_counts().layers; ++layer)
    for (const bool shift : {false, true})
      qualities.push_back(quality_of({.layer = layer, .head = 0, .shift = shift}, model, sample, set,
                                     tokenizers, gold, batch_tokens));
  return qualities;
}

const AttentionQuality& best_attention(const std::vector<AttentionQuality>& qualities) {
  return *std::ranges::max_element(qualities, [](const AttentionQuality& a, const AttentionQuality& b) {
    if (a.aer && b.aer) return *a.aer > *b.aer;
    return a.association < b.association;
  });
}

}  // namespace gloss
