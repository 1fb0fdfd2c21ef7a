#include "kernels/recurrent_cell.h"

#include "kernels/cpu_kernels.h"

namespace gloss {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

constexpr int64_t kGrain = 32;  // rows a thread takes at least

struct GruGates : torch::autograd::Function<GruGates> {
  static Tensor forward(AutogradContext* context, const Tensor& x_in, const Tensor& h_in,
                        const Tensor& state) {
    const auto x = x_in.contiguous();
    const auto h = h_in.contiguous();
    const auto s = state.contiguous();
    const auto d = s.size(1);
    auto next = at::empty_like(s);
    auto gates = at::empty_like(x);
    const auto* x_data = x.const_data_ptr<float>();
    const auto* h_data = h.const_data_ptr<float>();
    const auto* s_data = s.const_data_ptr<float>();
    auto* next_data = next.mutable_data_ptr<float>();
    auto* gate_data = gates.mutable_data_ptr<float>();
    at::parallel_for(0, s.size(0), kGrain, [&](int64_t a, int64_t b) {
      cpu_kernels().gru(x_data + 3 * d * a, h_data + 3 * d * a, s_data + d * a, next_data + d * a,
                        gate_data + 3 * d * a, b - a, d);
    });
    context->save_for_backward({gates, h, s});
    return next;
  }

  static variable_list backward(AutogradContext* context, variable_list gradients) {
    const auto saved = context->get_saved_variables();
    const auto dnext = gradients[0].contiguous();
    const auto d = saved[2].size(1);
    auto dx = at::empty_like(saved[0]);
    auto dh = at::empty_like(saved[0]);
    auto ds = at::empty_like(saved[2]);
    const auto* gate_data = saved[0].const_data_ptr<float>();
    const auto* h_data = saved[1].const_data_ptr<float>();
    const auto* s_data = saved[2].const_data_ptr<float>();
    const auto* g_data = dnext.const_data_ptr<float>();
    auto* dx_data = dx.mutable_data_ptr<float>();
    auto* dh_data = dh.mutable_data_ptr<float>();
    auto* ds_data = ds.mutable_data_ptr<float>();
    at::parallel_for(0, ds.size(0), kGrain, [&](int64_t a, int64_t b) {
      cpu_kernels().gru_backward(gate_data + 3 * d * a, h_data + 3 * d * a, s_data + d * a, g_data + d * a,
                                 dx_data + 3 * d * a, dh_data + 3 * d * a, ds_data + d * a, b - a, d);
    });
    return {dx, dh, ds};
  }
};

struct LstmGates : torch::autograd::Function<LstmGates> {
  static variable_list forward(AutogradContext* context, const Tensor& sum_in, const Tensor& cell) {
    const auto sum = sum_in.contiguous();
    const auto c = cell.contiguous();
    const auto d = c.size(1);
    auto next_h = at::empty_like(c);
    auto next_c = at::empty_like(c);
    auto gates = at::empty_like(sum);
    const auto* a_data = sum.const_data_ptr<float>();
    const auto* c_data = c.const_data_ptr<float>();
    auto* h_data = next_h.mutable_data_ptr<float>();
    auto* next_data = next_c.mutable_data_ptr<float>();
    auto* gate_data = gates.mutable_data_ptr<float>();
    at::parallel_for(0, c.size(0), kGrain, [&](int64_t a, int64_t b) {
      cpu_kernels().lstm(a_data + 4 * d * a, c_data + d * a, h_data + d * a, next_data + d * a,
                         gate_data + 4 * d * a, b - a, d);
    });
    context->save_for_backward({gates, c, next_c});
    return {next_h, next_c};
  }

  static variable_list backward(AutogradContext* context, variable_list gradients) {
    const auto saved = context->get_saved_variables();
    const auto d = saved[1].size(1);
    const auto dh = gradients[0].defined() ? gradients[0].contiguous() : at::zeros_like(saved[1]);
    const auto dc_next = gradients[1].defined() ? gradients[1].contiguous() : at::zeros_like(saved[1]);
    auto da = at::empty_like(saved[0]);
    auto dc = at::empty_like(saved[1]);
    const auto* gate_data = saved[0].const_data_ptr<float>();
    const auto* c_data = saved[1].const_data_ptr<float>();
    const auto* next_data = saved[2].const_data_ptr<float>();
    const auto* dh_data = dh.const_data_ptr<float>();
    const auto* dc_next_data = dc_next.const_data_ptr<float>();
    auto* da_data = da.mutable_data_ptr<float>();
    auto* dc_data = dc.mutable_data_ptr<float>();
    at::parallel_for(0, dc.size(0), kGrain, [&](int64_t a, int64_t b) {
      cpu_kernels().lstm_backward(gate_data + 4 * d * a, c_data + d * a, next_data + d * a, dh_data + d * a,
                                  dc_next_data + d * a, da_data + 4 * d * a, dc_data + d * a, b - a, d);
    });
    return {da, dc};
  }
};

bool has_kernel(const Tensor& x) { return x.is_cpu() && x.scalar_type() == at::kFloat; }

}  // namespace

Tensor gru_gates(const Tensor& x, const Tensor& h, const Tensor& state) {
  if (has_kernel(x)) return GruGates::apply(x, h, state);
  const auto a = x.chunk(3, 1);
  const auto b = h.chunk(3, 1);
  const auto r = at::sigmoid(a[0] + b[0]);
  const auto z = at::sigmoid(a[1] + b[1]);
  const auto c = at::tanh(a[2] + r * b[2]);
  return c + z * (state - c);
}

LstmState lstm_gates(const Tensor& sum, const Tensor& cell) {
  if (has_kernel(sum)) {
    const auto next = LstmGates::apply(sum, cell);
    return {next[0], next[1]};
  }
  const auto a = sum.chunk(4, 1);
  const auto next = at::sigmoid(a[1]) * cell + at::sigmoid(a[0]) * at::tanh(a[2]);
  return {at::sigmoid(a[3]) * at::tanh(next), next};
}

}  // namespace gloss
