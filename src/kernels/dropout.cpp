#include "kernels/dropout.h"

#include "kernels/cpu_kernels.h"
#include "kernels/random_stream.h"

namespace gloss {
namespace {

/// The mask that a key and a probability stand for.
struct Mask {
  uint64_t key;
  double p;

  uint32_t threshold() const { return static_cast<uint32_t>((1.0 - p) * 4294967296.0); }
  float scale() const { return static_cast<float>(1.0 / (1.0 - p)); }

  void save(torch::autograd::AutogradContext* context) const {
    context->saved_data["key"] = static_cast<int64_t>(key);
    context->saved_data["p"] = p;
  }
  static Mask saved(torch::autograd::AutogradContext* context) {
    return {static_cast<uint64_t>(context->saved_data["key"].toInt()), context->saved_data["p"].toDouble()};
  }
};

/// loop(begin, end) for ranges that together cover n elements, on LibTorch's threads.
template <class Loop>
void for_ranges(int64_t n, const Loop& loop) {
  at::parallel_for(0, n, 1 << 15, loop);
}

uint16_t* bits(Tensor& x) { return reinterpret_cast<uint16_t*>(x.mutable_data_ptr<at::BFloat16>()); }
const uint16_t* bits(const Tensor& x) {
  return reinterpret_cast<const uint16_t*>(x.const_data_ptr<at::BFloat16>());
}

/// \param type of the result: float32 or bfloat16
Tensor masked(const Tensor& input, const Mask& mask, at::ScalarType type) {
  const auto x = input.contiguous();
  auto y = at::empty(x.sizes(), x.options().dtype(type));
  const auto* from = x.const_data_ptr<float>();
  const auto threshold = mask.threshold();
  const auto scale = mask.scale();
  if (type == at::kFloat) {
    auto* to = y.mutable_data_ptr<float>();
    for_ranges(x.numel(), [&](int64_t begin, int64_t end) {
      cpu_kernels().dropout(from, to, begin, end, mask.key, threshold, scale);
    });
  } else {
    auto* to = bits(y);
    for_ranges(x.numel(), [&](int64_t begin, int64_t end) {
      cpu_kernels().dropout_bf16(from, to, begin, end, mask.key, threshold, scale);
    });
  }
  return y;
}

Tensor masked_sum(const Tensor& residual_input, const Tensor& input, const Mask& mask) {
  const auto residual = residual_input.contiguous(), x = input.contiguous();
  auto y = at::empty_like(residual);
  const auto* r = residual.const_data_ptr<float>();
  auto* to = y.mutable_data_ptr<float>();
  const auto threshold = mask.threshold();
  const auto scale = mask.scale();
  if (x.scalar_type() == at::kFloat) {
    const auto* from = x.const_data_ptr<float>();
    for_ranges(x.numel(), [&](int64_t begin, int64_t end) {
      cpu_kernels().dropout_add(r, from, to, begin, end, mask.key, threshold, scale);
    });
  } else {
    const auto* from = bits(x);
    for_ranges(x.numel(), [&](int64_t begin, int64_t end) {
      cpu_kernels().dropout_add_bf16(r, from, to, begin, end, mask.key, threshold, scale);
    });
  }
  return y;
}

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

struct Dropout : torch::autograd::Function<Dropout> {
  static Tensor forward(AutogradContext* context, const Tensor& x, const Mask& mask) {
    mask.save(context);
    return masked(x, mask, at::kFloat);
  }

  static variable_list backward(AutogradContext* context, variable_list gradients) {
    return {masked(gradients[0], Mask::saved(context), at::kFloat), Tensor()};
  }
};

struct DropoutAdd : torch::autograd::Function<DropoutAdd> {
  static Tensor forward(AutogradContext* context, const Tensor& residual, const Tensor& x, const Mask& mask) {
    mask.save(context);
    context->saved_data["type"] = static_cast<int64_t>(x.scalar_type());
    return masked_sum(residual, x, mask);
  }

  static variable_list backward(AutogradContext* context, variable_list gradients) {
    const auto type = static_cast<at::ScalarType>(context->saved_data["type"].toInt());
    return {gradients[0], masked(gradients[0], Mask::saved(context), type), Tensor()};
  }
};

bool has_kernel(const Tensor& x, bool may_be_bf16) {
  return x.is_cpu() && (x.scalar_type() == at::kFloat || (may_be_bf16 && x.scalar_type() == at::kBFloat16));
}

}  // namespace

Tensor seeded_dropout(const Tensor& x, double p, bool is_training) {
  if (!is_training || p == 0.0) return x;
  if (has_kernel(x, /*may_be_bf16=*/false)) return Dropout::apply(x, Mask{draw_key(), p});
  const auto draws = x.is_cpu() ? at::empty_like(x).uniform_(0.0, 1.0, cpu_generator()) : at::rand_like(x);
  return x * (draws >= p).to(x.scalar_type()) / (1.0 - p);
}

Tensor dropout_add(const Tensor& residual, const Tensor& x, double p, bool is_training) {
  const bool drops = is_training && p > 0.0;
  if (drops && has_kernel(residual, false) && has_kernel(x, true))
    return DropoutAdd::apply(residual, x, Mask{draw_key(), p});
  return residual + seeded_dropout(x, p, is_training);
}

}  // namespace gloss
