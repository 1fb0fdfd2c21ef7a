#include "kernels/additive_energy.h"

#include <algorithm>
#include <utility>

#include "kernels/cpu_kernels.h"

namespace gloss {
namespace {

using torch::autograd::variable_list;

class EnergyRun : public SharedInputs {
 public:
  EnergyRun(const Tensor& keys, const Tensor& v) : keys_(keys.contiguous()), v_(v.contiguous()) {}

  /// \param query [batch, tgt_len, k]
  Tensor output(const Tensor& query) const {
    const auto q = query.contiguous();
    const auto [tgt, src, k] = sizes(q);
    auto e = at::empty({q.size(0), tgt, src}, q.options());
    const auto* q_data = q.const_data_ptr<float>();
    const auto* K_data = keys_.const_data_ptr<float>();
    const auto* v_data = v_.const_data_ptr<float>();
    auto* e_data = e.mutable_data_ptr<float>();
    at::parallel_for(0, q.size(0), 4, [&, tgt = tgt, src = src, k = k](int64_t begin, int64_t end) {
      for (int64_t b = begin; b < end; ++b)
        cpu_kernels().additive_energy(q_data + b * tgt * k, K_data + b * src * k, v_data,
                                      e_data + b * tgt * src, tgt, src, k);
    });
    return e;
  }

  /// The gradient of the query, which comes with those of K and v; these are kept if they are asked for.
  Tensor step_back(const Tensor& query, const Tensor& denergies, StepNeeds needs) {
    const auto q = query.contiguous(), de = denergies.contiguous();
    const auto [tgt, src, k] = sizes(q);
    const auto batch = q.size(0);
    // v is shared by all sentences: one partial sum a part, added up in a fixed order, so that runs repeat exactly.
    const auto parts = std::min<int64_t>(batch, 16);
    if (needs.shared && !dkeys_.defined()) {
      dkeys_ = at::zeros_like(keys_);
      dv_ = at::zeros({parts, k}, v_.options());
    }
    auto dq = at::zeros_like(q);
    auto dkeys = needs.shared ? dkeys_ : at::zeros_like(keys_),
         dv = needs.shared ? dv_ : at::zeros({parts, k}, v_.options());
    const auto* q_data = q.const_data_ptr<float>();
    const auto* K_data = keys_.const_data_ptr<float>();
    const auto* v_data = v_.const_data_ptr<float>();
    const auto* de_data = de.const_data_ptr<float>();
    auto* dq_data = dq.mutable_data_ptr<float>();
    auto* dK_data = dkeys.mutable_data_ptr<float>();
    auto* dv_data = dv.mutable_data_ptr<float>();
    at::parallel_for(0, parts, 1, [&, tgt = tgt, src = src, k = k](int64_t begin, int64_t end) {
      for (int64_t part = begin; part < end; ++part)
        for (int64_t b = batch * part / parts; b < batch * (part + 1) / parts; ++b)
          cpu_kernels().additive_energy_backward(q_data + b * tgt * k, K_data + b * src * k, v_data,
                                                 de_data + b * tgt * src, dq_data + b * tgt * k,
                                                 dK_data + b * src * k, dv_data + part * k, tgt, src, k);
    });
    return dq;
  }

  variable_list gradients() override {
    if (!dkeys_.defined()) return {Tensor(), Tensor()};
    return {std::exchange(dkeys_, {}), std::exchange(dv_, {}).sum(0)};
  }

 private:
  struct Sizes {
    int64_t tgt, src, k;
  };
  Sizes sizes(const Tensor& q) const { return {q.size(1), keys_.size(1), q.size(2)}; }

  Tensor keys_, v_;
  Tensor dkeys_;  // [batch, src_len, k]
  Tensor dv_;     // [parts, k]
};

using OneQuery = SharedStep<EnergyRun>;

}  // namespace

AdditiveEnergies::AdditiveEnergies(const Tensor& keys, const Tensor& v) : keys_(keys), v_(v) {
  if (!keys.is_cpu() || keys.scalar_type() != at::kFloat) return;
  run_ = c10::make_intrusive<EnergyRun>(keys.detach(), v.detach());
  anchor_ = anchor({keys, v}, run_);
}

Tensor AdditiveEnergies::operator()(const Tensor& query) const {
  if (run_) return OneQuery::apply(query, anchor_, run_);
  return at::matmul(at::tanh(query.unsqueeze(2) + keys_.unsqueeze(1)), v_);  // [batch, tgt_len, src_len]
}

}  // namespace gloss
