#include "train/smoothed_weights.h"

#include "support/tensors.h"

using namespace gloss;

TEST_CASE("smoothed weights follow their formula and change places with the plain ones while in use",
          "[train][smoothing][unit]") {
  const auto weight = at::zeros({2});
  SmoothedWeights smoothed({{"w", weight}}, 0.5);
  double expected = 0.0;
  for (int64_t update = 1; update <= 20; ++update) {
    weight.fill_(static_cast<double>(update));
    smoothed.follow(update);
    const double decay =
        std::min(0.5, (1.0 + static_cast<double>(update)) / (10.0 + static_cast<double>(update)));
    expected += (1.0 - decay) * (static_cast<double>(update) - expected);
  }
  {
    const SmoothedWeights::Use use(smoothed);
    CHECK(weight[0].item<double>() == Approx(expected));
  }
  CHECK(weight[0].item<double>() == 20.0);
  CHECK(smoothed.state().at("w.smoothed")[1].item<double>() == Approx(expected));
}

TEST_CASE("without smoothing nothing is kept and nothing changes", "[train][smoothing][unit]") {
  const auto weight = at::ones({2});
  SmoothedWeights smoothed({{"w", weight}}, 0.0);
  smoothed.follow(1);
  CHECK(smoothed.state().empty());
  const SmoothedWeights::Use use(smoothed);
  CHECK(at::equal(weight, at::ones({2})));
}

TEST_CASE("smoothed weights are restored, or start from the plain ones where none were saved",
          "[train][smoothing][unit]") {
  const auto weight = at::ones({2});
  SmoothedWeights smoothed({{"w", weight}}, 0.9);
  NamedTensors saved{{"w.smoothed", at::full({2}, 7.0)}, {"w.mean", at::zeros({2})}};
  smoothed.load_state(saved);
  CHECK(at::equal(smoothed.state().at("w.smoothed"), at::full({2}, 7.0)));
  CHECK(saved.size() == 1);
  NamedTensors none;
  weight.fill_(3.0);
  smoothed.load_state(none);
  CHECK(at::equal(smoothed.state().at("w.smoothed"), at::full({2}, 3.0)));
}
