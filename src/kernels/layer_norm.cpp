#include "kernels/layer_norm.h"

#include <algorithm>

#include "kernels/cpu_kernels.h"

namespace gloss {
namespace {

constexpr int64_t kRowsAtLeast = 256;  // for a thread

uint16_t* bits(const Tensor& x) { return reinterpret_cast<uint16_t*>(x.mutable_data_ptr<at::BFloat16>()); }

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

struct Norm : torch::autograd::Function<Norm> {
  static Tensor forward(AutogradContext* context, const Tensor& input, const Tensor& weight,
                        const Tensor& bias, double epsilon, at::ScalarType type) {
    const auto x = input.contiguous();
    const auto width = x.size(-1), rows = x.numel() / width;
    const auto y = at::empty(x.sizes(), x.options().dtype(type));
    const auto statistics = at::empty({rows, 2}, x.options());
    const auto* from = x.const_data_ptr<float>();
    const auto* w = weight.const_data_ptr<float>();
    const auto* b = bias.const_data_ptr<float>();
    auto* s = statistics.mutable_data_ptr<float>();
    at::parallel_for(0, rows, kRowsAtLeast, [&](int64_t begin, int64_t end) {
      const CpuKernels::NormProblem problem{end - begin, width, static_cast<float>(epsilon)};
      if (type == at::kFloat) {
        cpu_kernels().layer_norm(problem, from + begin * width, w, b,
                                 y.mutable_data_ptr<float>() + begin * width, s + 2 * begin);
      } else {
        cpu_kernels().layer_norm_bf16(problem, from + begin * width, w, b, bits(y) + begin * width,
                                      s + 2 * begin);
      }
    });
    context->save_for_backward({x, weight, statistics});
    return y;
  }

  static variable_list backward(AutogradContext* context, variable_list gradients) {
    const auto saved = context->get_saved_variables();
    const auto &x = saved[0], &weight = saved[1], &statistics = saved[2];
    const auto width = x.size(-1), rows = x.numel() / width;
    const auto dy = gradients[0].contiguous();
    const auto dx = at::empty_like(x);
    const auto parts = std::max<int64_t>(1, std::min<int64_t>(at::get_num_threads(), rows / kRowsAtLeast));
    const auto sums = at::zeros({parts, 2, width}, x.options());  // of the gradients of weight and bias
    at::parallel_for(0, parts, 1, [&](int64_t first, int64_t last) {
      for (auto part = first; part < last; ++part) {
        const auto begin = rows * part / parts, end = rows * (part + 1) / parts;
        const CpuKernels::NormProblem problem{end - begin, width, 0.0F};
        const auto* input = x.const_data_ptr<float>() + begin * width;
        const auto* w = weight.const_data_ptr<float>();
        const auto* s = statistics.const_data_ptr<float>() + 2 * begin;
        auto* to = dx.mutable_data_ptr<float>() + begin * width;
        auto* sum = sums.mutable_data_ptr<float>() + part * 2 * width;
        if (dy.scalar_type() == at::kFloat) {
          cpu_kernels().layer_norm_backward(problem, dy.const_data_ptr<float>() + begin * width, input, w, s,
                                            to, sum);
        } else {
          cpu_kernels().layer_norm_backward_bf16(problem, bits(dy) + begin * width, input, w, s, to, sum);
        }
      }
    });
    const auto sum = sums.sum(0);
    return {dx, sum[0], sum[1], Tensor(), Tensor()};
  }
};

}  // namespace

Tensor layer_norm(const Tensor& x, const Tensor& weight, const Tensor& bias, double epsilon,
                  at::ScalarType type) {
  const bool has_kernel = x.is_cpu() && x.scalar_type() == at::kFloat &&
                          (type == at::kFloat || type == at::kBFloat16) && x.size(-1) % kTile == 0;
  if (has_kernel) return Norm::apply(x, weight, bias, epsilon, type);
  return at::layer_norm(x, weight.sizes(), weight, bias, epsilon).to(type);
}

}  // namespace gloss
