#include "train/adam.h"

#include <cmath>
#include <limits>

#include "core/error.h"
#include "support/catch.h"

using namespace gloss;

namespace {

Adam::Parameters make_parameters(at::ScalarType type = at::kFloat) {
  at::manual_seed(7);
  return {{"a", at::randn({3, 5}, type).requires_grad_()},
          {"b", at::randn({4}, type).requires_grad_()},
          {"c", at::randn({2, 3, 2}, type).requires_grad_()}};
}

void set_gradients(const Adam::Parameters& parameters, double scale = 1.0) {
  for (const auto& [name, parameter] : parameters)
    parameter.mutable_grad() = at::randn(parameter.sizes(), parameter.scalar_type()) * scale;
}

Tensor all_gradients(const Adam::Parameters& parameters) {
  std::vector<Tensor> flat;
  for (const auto& [name, parameter] : parameters) flat.push_back(parameter.grad().flatten());
  return at::cat(flat);
}

// The algorithm as the paper has it (Kingma and Ba 2015, algorithm 1), one number at a time, in double.
struct ReferenceAdam {
  std::vector<double> theta, m, v;
  int64_t t = 0;

  void step(const std::vector<double>& g, double eta, const AdamOptions& o) {
    ++t;
    m.resize(theta.size());
    v.resize(theta.size());
    for (size_t i = 0; i < theta.size(); ++i) {
      theta[i] -= eta * o.weight_decay * theta[i];
      m[i] = o.beta1 * m[i] + (1 - o.beta1) * g[i];
      v[i] = o.beta2 * v[i] + (1 - o.beta2) * g[i] * g[i];
      const double m_hat = m[i] / (1 - std::pow(o.beta1, static_cast<double>(t)));
      const double v_hat = v[i] / (1 - std::pow(o.beta2, static_cast<double>(t)));
      theta[i] -= eta * m_hat / (std::sqrt(v_hat) + o.epsilon);
    }
  }
};

std::vector<double> values(const Tensor& tensor) {
  const auto flat = tensor.detach().to(at::kDouble).contiguous();
  return {flat.data_ptr<double>(), flat.data_ptr<double>() + flat.numel()};
}

}  // namespace

TEST_CASE("fused Adam equals the published algorithm computed in double", "[train][adam][property]") {
  const auto weight_decay = GENERATE(0.0, 0.05);
  const auto type = GENERATE(at::kFloat, at::kDouble);
  const AdamOptions options{.beta1 = 0.9, .beta2 = 0.98, .epsilon = 1e-9, .weight_decay = weight_decay};
  const auto parameters = make_parameters(type);
  Adam adam(parameters, options);
  std::vector<ReferenceAdam> reference;
  for (const auto& [name, parameter] : parameters)
    reference.push_back({.theta = values(parameter), .m = {}, .v = {}});
  for (int update = 1; update <= 25; ++update) {
    set_gradients(parameters, update % 5 == 0 ? 100.0 : 0.1);
    for (size_t i = 0; i < reference.size(); ++i)
      reference[i].step(values(parameters[i].second.grad()), 1e-2 / update, options);
    adam.step(1e-2 / update);
  }
  const double tolerance = type == at::kDouble ? 1e-12 : 2e-6;
  for (size_t i = 0; i < reference.size(); ++i) {
    const auto got = values(parameters[i].second);
    for (size_t k = 0; k < got.size(); ++k) CHECK(std::abs(got[k] - reference[i].theta[k]) < tolerance);
  }
}

TEST_CASE("a parameter without a gradient stays as it is", "[train][adam][unit]") {
  const auto parameters = make_parameters();
  Adam adam(parameters, {});
  set_gradients(parameters);
  parameters[1].second.mutable_grad().reset();
  const auto before = parameters[1].second.detach().clone();
  const auto other = parameters[0].second.detach().clone();
  adam.step(0.1);
  CHECK(at::equal(parameters[1].second, before));
  CHECK_FALSE(at::equal(parameters[0].second, other));
}

TEST_CASE("clear_gradients leaves no gradient behind", "[train][adam][unit]") {
  const auto parameters = make_parameters();
  Adam adam(parameters, {});
  set_gradients(parameters);
  adam.clear_gradients();
  for (const auto& [name, parameter] : parameters) CHECK_FALSE(parameter.grad().defined());
}

TEST_CASE("clipping returns the norm, keeps the direction and never exceeds the limit",
          "[train][clip][property]") {
  const auto limit = GENERATE(1e-3, 0.5, 1.0, 3.0, 1e6);
  const auto parameters = make_parameters();
  Adam adam(parameters, {});
  set_gradients(parameters);
  const auto before = all_gradients(parameters).to(at::kDouble);
  const double expected = before.square().sum().sqrt().item<double>();
  CHECK(adam.clip_gradients(limit) == Approx(expected).epsilon(1e-5));
  const auto after = all_gradients(parameters).to(at::kDouble);
  const double norm = after.square().sum().sqrt().item<double>();
  CHECK(norm <= limit * (1 + 1e-6));
  CHECK(norm == Approx(std::min(limit, expected)).epsilon(1e-4));
  CHECK((after * before).sum().item<double>() == Approx(norm * expected).epsilon(1e-5));
}

TEST_CASE("a limit of zero does not clip", "[train][clip][unit]") {
  const auto parameters = make_parameters();
  Adam adam(parameters, {});
  set_gradients(parameters, 1000);
  const auto before = all_gradients(parameters);
  CHECK(adam.clip_gradients(0) > 1000);
  CHECK(at::equal(all_gradients(parameters), before));
}

TEST_CASE("a gradient that is not finite shows in the norm", "[train][clip][unit]") {
  const auto bad = GENERATE(std::numeric_limits<float>::infinity(), std::numeric_limits<float>::quiet_NaN());
  const auto parameters = make_parameters();
  Adam adam(parameters, {});
  set_gradients(parameters);
  parameters[2].second.grad()[1][2][0] = bad;
  CHECK_FALSE(std::isfinite(adam.clip_gradients(1.0)));
}

TEST_CASE("Adam goes on exactly from a saved state", "[train][adam][property]") {
  const auto first = make_parameters();
  Adam straight(first, {});
  for (int update = 0; update < 3; ++update) {
    set_gradients(first);
    straight.step(1e-2);
  }
  Adam::Parameters second;
  for (const auto& [name, parameter] : first)
    second.emplace_back(name, parameter.detach().clone().requires_grad_());
  NamedTensors saved;
  for (const auto& [name, tensor] : straight.state()) saved[name] = tensor.clone();
  Adam resumed(second, {});
  resumed.load_state(saved);
  set_gradients(first);
  for (size_t i = 0; i < first.size(); ++i) second[i].second.mutable_grad() = first[i].second.grad().clone();
  straight.step(1e-2);
  resumed.step(1e-2);
  for (size_t i = 0; i < first.size(); ++i) CHECK(at::equal(first[i].second, second[i].second));
}

TEST_CASE("a state of another model is refused with all differences", "[train][adam][unit]") {
  const auto parameters = make_parameters();
  Adam adam(parameters, {});
  auto saved = adam.state();
  saved.erase("a.mean");
  saved["b.square"] = at::zeros({5});
  CHECK_THROWS_AS(adam.load_state(saved), CheckpointError);
  CHECK_THROWS_WITH(adam.load_state(saved),
                    Catch::Contains("'a.mean': missing") && Catch::Contains("'b.square'"));
}
