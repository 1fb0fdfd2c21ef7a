#include "nn/precision.h"

#include "core/error.h"
#include "nn/linear.h"
#include "nn/output_layer.h"
#include "support/bf16.h"
#include "support/tensors.h"

using namespace gloss;

TEST_CASE("a precision that the device lacks is refused", "[nn][precision][unit]") {
  CHECK_NOTHROW(check_precision("float32", at::kCPU));
  CHECK_THROWS_AS(check_precision("fp16", at::kCPU), UsageError);
  CHECK_NOTHROW(check_precision("fp16", at::Device(at::kCUDA, 0)));
}

TEST_CASE("a precision is known by its name", "[nn][precision][unit]") {
  CHECK(precision_type("float32") == at::kFloat);
  CHECK(precision_type("bf16") == at::kBFloat16);
  CHECK(precision_type("fp16") == at::kHalf);
  CHECK_FALSE(needs_loss_scale("float32"));
  CHECK_FALSE(needs_loss_scale("bf16"));
  CHECK(needs_loss_scale("fp16"));
  CHECK_THROWS_WITH(precision_type("int8"), Catch::Contains("'int8'") && Catch::Contains("bf16"));
}

TEST_CASE("a precision guard acts on layers only, and ends", "[nn][precision][unit]") {
  if (!has_bf16()) return;
  Linear linear(4, 3);
  const auto x = at::randn({2, 4});
  const auto rounds = [&] {  // the answer has the type of the question, but not its digits
    const auto y = linear(x);
    CHECK(y.scalar_type() == at::kFloat);
    return !at::allclose(y, at::linear(x, linear->weight, linear->bias), 0.0, 1e-6);
  };
  {
    const PrecisionGuard guard("bf16", at::kCPU);
    CHECK(rounds());
    CHECK(product_type(x) == at::kBFloat16);
    CHECK(for_products(x).scalar_type() == at::kBFloat16);
    CHECK(linear(for_products(x)).scalar_type() == at::kBFloat16);
    {
      const PrecisionGuard inner("float32", at::kCPU);
      CHECK_FALSE(rounds());
    }
    CHECK(rounds());
  }
  CHECK_FALSE(rounds());
  CHECK(at::equal(for_products(x), x));
  CHECK(linear->weight.scalar_type() == at::kFloat);
}

TEST_CASE("the loss in bf16 is that of float32 within its rounding, and so are its gradients",
          "[nn][precision][property]") {
  if (!has_bf16()) return;
  torch::manual_seed(91);
  OutputLayer layer(32, 500);
  const auto target = at::randint(4, 500, {300}, at::kLong);
  const auto start = at::randn({300, 32});
  std::vector<Tensor> losses, hidden_gradients, weight_gradients;
  for (const std::string name : {"float32", "bf16"}) {
    const auto hidden = start.clone().set_requires_grad(true);
    layer->weight.mutable_grad() = Tensor();
    {
      const PrecisionGuard guard(name, at::kCPU);
      const auto sums = layer->loss(hidden, target, 0.1, 300.0);
      CHECK(sums.loss.scalar_type() == at::kFloat);
      losses.push_back(sums.loss.detach());
      sums.loss.backward();
    }
    CHECK(hidden.grad().scalar_type() == at::kFloat);
    hidden_gradients.push_back(hidden.grad());
    weight_gradients.push_back(layer->weight.grad());
  }
  CHECK(losses[1].item<double>() == Approx(losses[0].item<double>()).epsilon(1e-3));
  const auto relative = [](const std::vector<Tensor>& g) {
    return ((g[1] - g[0]).norm() / g[0].norm()).item<double>();
  };
  CHECK(relative(hidden_gradients) < 0.02);
  CHECK(relative(weight_gradients) < 0.02);
}
