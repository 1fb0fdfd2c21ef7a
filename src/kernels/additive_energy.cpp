#include "kernels/additive_energy.h"

#include "kernels/cpu_kernels.h"

namespace gloss {
namespace {

struct AdditiveEnergy : torch::autograd::Function<AdditiveEnergy> {
  static Tensor forward(torch::autograd::AutogradContext* context, const Tensor& query, const Tensor& keys,
                        const Tensor& v) {
    const auto q = query.contiguous();
    const auto K = keys.contiguous();
    const auto w = v.contiguous();
    context->save_for_backward({q, K, w});
    const auto tgt = q.size(1);
    const auto src = K.size(1);
    const auto k = q.size(2);
    auto e = at::empty({q.size(0), tgt, src}, q.options());
    const auto* q_data = q.const_data_ptr<float>();
    const auto* K_data = K.const_data_ptr<float>();
    const auto* v_data = w.const_data_ptr<float>();
    auto* e_data = e.mutable_data_ptr<float>();
    at::parallel_for(0, q.size(0), 4, [&](int64_t begin, int64_t end) {
      for (int64_t b = begin; b < end; ++b)
        cpu_kernels().additive_energy(q_data + b * tgt * k, K_data + b * src * k, v_data,
                                      e_data + b * tgt * src, tgt, src, k);
    });
    return e;
  }

  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 torch::autograd::variable_list gradients) {
    const auto saved = context->get_saved_variables();
    const auto& q = saved[0];
    const auto& K = saved[1];
    const auto de = gradients[0].contiguous();
    const auto batch = q.size(0);
    const auto tgt = q.size(1);
    const auto src = K.size(1);
    const auto k = q.size(2);
    auto dq = at::zeros_like(q);
    auto dK = at::zeros_like(K);
    // v is shared by all sentences: one partial sum a part, added up in a fixed order, so that runs repeat exactly.
    const auto parts = std::min<int64_t>(batch, 16);
    auto dv = at::zeros({parts, k}, q.options());
    const auto* q_data = q.const_data_ptr<float>();
    const auto* K_data = K.const_data_ptr<float>();
    const auto* v_data = saved[2].const_data_ptr<float>();
    const auto* de_data = de.const_data_ptr<float>();
    auto* dq_data = dq.mutable_data_ptr<float>();
    auto* dK_data = dK.mutable_data_ptr<float>();
    auto* dv_data = dv.mutable_data_ptr<float>();
    at::parallel_for(0, parts, 1, [&](int64_t begin, int64_t end) {
      for (int64_t part = begin; part < end; ++part)
        for (int64_t b = batch * part / parts; b < batch * (part + 1) / parts; ++b)
          cpu_kernels().additive_energy_backward(q_data + b * tgt * k, K_data + b * src * k, v_data,
                                                 de_data + b * tgt * src, dq_data + b * tgt * k,
                                                 dK_data + b * src * k, dv_data + part * k, tgt, src, k);
    });
    return {dq, dK, dv.sum(0)};
  }
};

}  // namespace

Tensor additive_energy(const Tensor& query, const Tensor& keys, const Tensor& v) {
  if (query.is_cpu() && query.scalar_type() == at::kFloat) return AdditiveEnergy::apply(query, keys, v);
  return at::matmul(at::tanh(query.unsqueeze(2) + keys.unsqueeze(1)), v);  // [batch, tgt_len, src_len]
}

}  // namespace gloss
