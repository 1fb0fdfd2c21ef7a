#include "train/choose_attention.h"

#include <algorithm>

#include "support/catch.h"
#include "tiny.h"

using namespace gloss;

namespace {

/// Three layers of attention that are made up: layer 1 looks at the first word always, layer 2 everywhere alike,
/// layer 3 at the word of the same number.
class Looker : public tiny::Model {
 public:
  AttentionCounts attention_counts() const override { return {3, 1}; }

  Decoded decode(const Memory& memory, const Tensor& target_in, bool want_attention) override {
    auto decoded = Seq2Seq::decode(memory, target_in, false);
    if (!want_attention) return decoded;
    const auto batch = memory.mask.size(0), src = memory.mask.size(1), tgt = target_in.size(1);
    if (attention_choice.layer == 1) decoded.attention = at::eye(src).slice(0, 0, 1).expand({tgt, src});
    if (attention_choice.layer == 2) decoded.attention = at::full({tgt, src}, 1.0 / static_cast<double>(src));
    if (attention_choice.layer == 3)
      decoded.attention = at::eye(std::max(tgt, src)).slice(0, 0, tgt).slice(1, 0, src);
    decoded.attention = decoded.attention.unsqueeze(0).expand({batch, tgt, src});
    return decoded;
  }
};

}  // namespace

TEST_CASE("the layer in which both readings of the matrix agree is chosen", "[train][alignment][unit]") {
  Looker model;
  model.eval();
  const auto set = tiny::validation(20);
  const auto layers = measure_layers(model, set, tiny::words(), {}, 64);
  REQUIRE(layers.size() == 3);
  CHECK(best_layer(layers).layer == 3);
  double common = 0, all = 0;  // word i of one side is word i of the other, as far as both go
  for (const auto& pair : set.pairs) {
    common += 2.0 * static_cast<double>(std::min(pair.source.size(), pair.target.size()));
    all += static_cast<double>(pair.source.size() + pair.target.size());
  }
  CHECK(layers[2].agreement == Approx(common / all));
  CHECK(layers[0].agreement < layers[2].agreement);
  CHECK(layers[1].agreement < layers[2].agreement);
  CHECK(model.attention_choice.layer == 0);  // as it was
}

TEST_CASE("with gold the lowest error rate decides", "[train][alignment][unit]") {
  std::vector<LayerQuality> layers{{1, 0.9, 0.5}, {2, 0.1, 0.2}, {3, 0.5, 0.3}};
  CHECK(best_layer(layers).layer == 2);
}
