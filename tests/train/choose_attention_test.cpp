#include "train/choose_attention.h"

#include <algorithm>

#include "core/random.h"
#include "support/catch.h"
#include "tiny.h"

using namespace gloss;

namespace {

/// Three layers of attention that are made up: layer 1 looks at the first word always, layer 2 everywhere alike,
/// layer 3 at the word of the same number.
class Looker : public tiny::Model {
 public:
  AttentionCounts attention_counts() const override { return {3, 1}; }

  Decoded decode(const Memory& memory, const Tensor& target_in,
                 const std::optional<AttentionChoice>& wanted) override {
    auto decoded = Seq2Seq::decode(memory, target_in, std::nullopt);
    if (!wanted) return decoded;
    const auto batch = memory.mask.size(0), src = memory.mask.size(1), tgt = target_in.size(1);
    if (wanted->layer == 1) decoded.attention = at::eye(src).slice(0, 0, 1).expand({tgt, src});
    if (wanted->layer == 2) decoded.attention = at::full({tgt, src}, 1.0 / static_cast<double>(src));
    if (wanted->layer == 3) decoded.attention = at::eye(std::max(tgt, src)).slice(0, 0, tgt).slice(1, 0, src);
    decoded.attention = decoded.attention.unsqueeze(0).expand({batch, tgt, src});
    return decoded;
  }
};

}  // namespace

TEST_CASE("the layer and the step whose links join what occurs together are chosen",
          "[train][alignment][unit]") {
  // Word i of the target is always the translation of word i of the source.
  ValidationSet set;
  Random random(3);
  for (int64_t line = 0; line < 40; ++line) {
    EncodedPair pair{.source = {}, .target = {}, .line = line};
    for (int i = 0; i < 5; ++i) {
      const auto word = static_cast<int32_t>(4 + random.below(6));
      pair.source.push_back(word);
      pair.target.push_back(word + 6);
    }
    set.source.emplace_back();
    set.target.emplace_back();
    set.pairs.push_back(pair);
    set.in_loss.push_back(true);
  }
  Looker model;
  model.eval();
  const auto qualities = measure_attention(model, set, tiny::words(), {}, 64);
  REQUIRE(qualities.size() == 6);  // three layers, each at two steps
  const auto& best = best_attention(qualities);
  CHECK(best.choice.layer == 3);
  CHECK_FALSE(best.choice.shift);  // the diagonal is at the step that writes a word
}

TEST_CASE("with gold the lowest error rate decides", "[train][alignment][unit]") {
  std::vector<AttentionQuality> qualities{{{.layer = 1, .head = 0, .shift = false}, 0.9, 0.5},
                                          {{.layer = 2, .head = 0, .shift = true}, 0.1, 0.2},
                                          {{.layer = 3, .head = 0, .shift = false}, 0.5, 0.3}};
  CHECK(best_attention(qualities).choice.layer == 2);
}
