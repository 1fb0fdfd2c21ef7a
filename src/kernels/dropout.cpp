#include "kernels/dropout.h"

#include <ATen/CPUGeneratorImpl.h>

#include <mutex>

#include "kernels/cpu_kernels.h"

namespace gloss {
namespace {

uint64_t draw_key() {
  auto generator = at::detail::getDefaultCPUGenerator();
  const std::lock_guard lock(generator.mutex());
  return at::check_generator<at::CPUGeneratorImpl>(generator)->random64();
}

Tensor masked(const Tensor& input, uint64_t key, double p) {
  const auto x = input.contiguous();
  auto y = at::empty_like(x);
  const auto threshold = static_cast<uint32_t>((1.0 - p) * 4294967296.0);
  const auto scale = static_cast<float>(1.0 / (1.0 - p));
  const auto* from = x.const_data_ptr<float>();
  auto* to = y.mutable_data_ptr<float>();
  at::parallel_for(0, x.numel(), 1 << 15, [&](int64_t begin, int64_t end) {
    cpu_kernels().dropout(from, to, begin, end, key, threshold, scale);
  });
  return y;
}

struct Dropout : torch::autograd::Function<Dropout> {
  static Tensor forward(torch::autograd::AutogradContext* context, const Tensor& x, int64_t key, double p) {
    context->saved_data["key"] = key;
    context->saved_data["p"] = p;
    return masked(x, static_cast<uint64_t>(key), p);
  }

  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 torch::autograd::variable_list gradients) {
    const auto key = static_cast<uint64_t>(context->saved_data["key"].toInt());
    return {masked(gradients[0], key, context->saved_data["p"].toDouble()), Tensor(), Tensor()};
  }
};

}  // namespace

Tensor seeded_dropout(const Tensor& x, double p, bool is_training) {
  if (!is_training || p == 0.0) return x;
  if (x.is_cpu() && x.scalar_type() == at::kFloat)
    return Dropout::apply(x, static_cast<int64_t>(draw_key()), p);
  return x * (at::rand_like(x) >= p).to(x.scalar_type()) / (1.0 - p);
}

}  // namespace gloss
