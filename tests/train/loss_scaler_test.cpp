#include "train/loss_scaler.h"

#include "support/tensors.h"

using namespace gloss;

TEST_CASE("a loss scaler divides its factor out again and halves it at an overflow",
          "[train][precision][unit]") {
  LossScaler scaler(true, at::kCPU);
  const double first = scaler.scale();
  CHECK(first == 65536.0);
  const auto gradient = at::full({3}, 2.0 * first);
  scaler.unscale({gradient});
  scaler.update();
  CHECK(difference(gradient, at::full({3}, 2.0)) < 1e-6);
  CHECK(scaler.scale() == first);
  const auto overflown = at::full({3}, std::numeric_limits<float>::infinity());
  scaler.unscale({gradient, overflown});
  CHECK_FALSE(overflown.isfinite().any().item<bool>());  // so that the update is skipped
  scaler.update();
  CHECK(scaler.scale() == first / 2);
}

TEST_CASE("a loss scaler doubles its factor after 2000 updates without overflow",
          "[train][precision][unit]") {
  LossScaler scaler(true, at::kCPU);
  const auto gradient = at::ones({1});
  for (int i = 0; i < 2000; ++i) {
    CHECK(scaler.scale() == 65536.0);
    scaler.unscale({gradient});
    scaler.update();
  }
  CHECK(scaler.scale() == 131072.0);
  auto saved = scaler.state();
  LossScaler resumed(true, at::kCPU);
  resumed.load_state(saved);
  CHECK(resumed.scale() == 131072.0);
  CHECK(saved.empty());
}

TEST_CASE("other precisions have no loss scale", "[train][precision][unit]") {
  LossScaler scaler(false, at::kCPU);
  const auto gradient = at::ones({1});
  scaler.unscale({gradient});
  scaler.update();
  CHECK(scaler.scale() == 1.0);
  CHECK(gradient.item<double>() == 1.0);
  CHECK(scaler.state().empty());
}
