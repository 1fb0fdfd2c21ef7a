#include "train/schedule.h"

#include <cmath>

#include "core/error.h"
#include "support/catch.h"
#include "train/train_options.h"

using namespace gloss;

namespace {

const LearningRatePlan kPlan{.peak = 2e-3, .minimum = 1e-5, .warmup = 100, .decay_updates = 1000};

}  // namespace

TEST_CASE("every schedule rises linearly from zero during the warm-up", "[train][schedule][property]") {
  const auto name = GENERATE(from_range(schedule_names()));
  CAPTURE(name);
  for (const int64_t update : {1, 10, 50, 99, 100})
    CHECK(learning_rate(name, kPlan, update) ==
          Approx(2e-3 * static_cast<double>(update) / 100).epsilon(1e-12));
}

TEST_CASE("every schedule is continuous at the end of the warm-up", "[train][schedule][property]") {
  const auto name = GENERATE(from_range(schedule_names()));
  CAPTURE(name);
  const double last = learning_rate(name, kPlan, 100), next = learning_rate(name, kPlan, 101);
  CHECK(std::abs(next - last) <= 2e-3 / 100);
  CHECK(next <= last);
}

TEST_CASE("no schedule rises or falls below the minimum after the warm-up", "[train][schedule][property]") {
  const auto name = GENERATE(from_range(schedule_names()));
  CAPTURE(name);
  double before = kPlan.peak;
  for (int64_t update = 101; update < 100000; update += 97) {
    const double rate = learning_rate(name, kPlan, update);
    CHECK(rate <= before);
    CHECK(rate >= kPlan.minimum);
    before = rate;
  }
}

TEST_CASE("without a warm-up every schedule starts near its peak", "[train][schedule][property]") {
  const auto name = GENERATE(from_range(schedule_names()));
  CAPTURE(name);
  auto plan = kPlan;
  plan.warmup = 0;
  CHECK(learning_rate(name, plan, 1) == Approx(2e-3).epsilon(0.01));
}

TEST_CASE("inverse-sqrt gives the published values", "[train][schedule][golden]") {
  const LearningRatePlan fairseq{.peak = 5e-4, .warmup = 4000};
  CHECK(learning_rate("inverse-sqrt", fairseq, 1) == Approx(1.25e-7).epsilon(1e-8));
  CHECK(learning_rate("inverse-sqrt", fairseq, 100) == Approx(1.25e-5).epsilon(1e-8));
  CHECK(learning_rate("inverse-sqrt", fairseq, 4000) == Approx(5e-4).epsilon(1e-8));
  CHECK(learning_rate("inverse-sqrt", fairseq, 4001) == Approx(4.99937512e-4).epsilon(1e-8));
  CHECK(learning_rate("inverse-sqrt", fairseq, 16000) == Approx(2.5e-4).epsilon(1e-8));
}

TEST_CASE("inverse-sqrt with the peak 1/sqrt(d warm-up) is the schedule of Vaswani et al. 2017",
          "[train][schedule][golden]") {
  const LearningRatePlan noam{.peak = 1 / std::sqrt(512.0 * 4000.0), .warmup = 4000};
  CHECK(learning_rate("inverse-sqrt", noam, 1) == Approx(1.74692811e-7).epsilon(1e-8));
  CHECK(learning_rate("inverse-sqrt", noam, 100) == Approx(1.74692811e-5).epsilon(1e-8));
  CHECK(learning_rate("inverse-sqrt", noam, 3999) == Approx(6.98596550e-4).epsilon(1e-8));
  CHECK(learning_rate("inverse-sqrt", noam, 4000) == Approx(6.98771243e-4).epsilon(1e-8));
  CHECK(learning_rate("inverse-sqrt", noam, 4001) == Approx(6.98683913e-4).epsilon(1e-8));
  CHECK(learning_rate("inverse-sqrt", noam, 8000) == Approx(4.94105884e-4).epsilon(1e-8));
  CHECK(learning_rate("inverse-sqrt", noam, 100000) == Approx(1.39754249e-4).epsilon(1e-8));
}

TEST_CASE("cosine and linear are half way down in the middle and at the minimum from the end on",
          "[train][schedule][unit]") {
  const auto name = GENERATE("cosine", "linear");
  CAPTURE(name);
  CHECK(learning_rate(name, kPlan, 550) == Approx((2e-3 + 1e-5) / 2));
  CHECK(learning_rate(name, kPlan, 1000) == Approx(1e-5));
  CHECK(learning_rate(name, kPlan, 5000) == Approx(1e-5));
}

TEST_CASE("cosine is flatter than linear at its start", "[train][schedule][unit]") {
  // cos(pi/4) = 0.7071: a quarter of the way cosine still has (1 + 0.7071) / 2 of its height, linear 3/4.
  CHECK(learning_rate("cosine", kPlan, 325) == Approx(1e-5 + (2e-3 - 1e-5) * 0.8535533906));
  CHECK(learning_rate("linear", kPlan, 325) == Approx(1e-5 + (2e-3 - 1e-5) * 0.75));
}

TEST_CASE("only plateau uses the plateau factor", "[train][schedule][unit]") {
  for (const auto& name : schedule_names()) {
    CAPTURE(name);
    const double plain = learning_rate(name, kPlan, 200), reduced = learning_rate(name, kPlan, 200, 0.25);
    CHECK(reduced == Approx(name == "plateau" ? 0.25 * plain : plain));
  }
}

TEST_CASE("an unknown schedule is refused with the list of names", "[train][schedule][unit]") {
  CHECK_THROWS_AS(learning_rate("cosin", kPlan, 1), UsageError);
  CHECK_THROWS_WITH(learning_rate("cosin", kPlan, 1),
                    Catch::Contains("cosin") && Catch::Contains("inverse-sqrt"));
}

TEST_CASE("training options that do not fit together are refused", "[train][options][unit]") {
  TrainOptions options;
  options.model = "model";
  CHECK_NOTHROW(options.validate(/*has_validation=*/false));
  SECTION("no directory") {
    options.model = "";
    CHECK_THROWS_AS(options.validate(/*has_validation=*/false), UsageError);
  }
  SECTION("a floor above the peak") {
    options.min_learning_rate = 1;
    CHECK_THROWS_AS(options.validate(/*has_validation=*/false), UsageError);
  }
  SECTION("cosine of unknown length") {
    options.schedule = "cosine";
    CHECK_THROWS_WITH(options.validate(/*has_validation=*/false), Catch::Contains("--decay-updates"));
    options.updates = 1000;
    CHECK_NOTHROW(options.validate(/*has_validation=*/false));
  }
  SECTION("a warm-up longer than the decay") {
    options.schedule = "linear";
    options.updates = 100;
    options.warmup = 100;
    CHECK_THROWS_AS(options.validate(/*has_validation=*/false), UsageError);
  }
  SECTION("what looks at validations, without any") {
    options.patience = 3;
    CHECK_THROWS_WITH(options.validate(/*has_validation=*/false), Catch::Contains("--valid-source"));
    CHECK_NOTHROW(options.validate(/*has_validation=*/true));
    options.patience = 0;
    options.schedule = "plateau";
    CHECK_THROWS_WITH(options.validate(/*has_validation=*/false), Catch::Contains("--valid-source"));
    CHECK_NOTHROW(options.validate(/*has_validation=*/true));
  }
}

TEST_CASE("training ends after 20 epochs where nothing else ends it", "[train][options][unit]") {
  TrainOptions options;
  CHECK(options.epoch_limit() == 20);
  options.updates = 1000;
  CHECK(options.epoch_limit() == 0);
  options.epochs = 3;
  CHECK(options.epoch_limit() == 3);
}
