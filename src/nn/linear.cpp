#include "nn/linear.h"

#include "kernels/bf16_linear.h"
#include "nn/precision.h"

namespace gloss {

LinearImpl::LinearImpl(int64_t in, int64_t out, bool with_bias)
    : weight(register_parameter("weight", at::empty({out, in}))) {
  torch::nn::init::xavier_uniform_(weight);
  if (with_bias) bias = register_parameter("bias", at::zeros({out}));
}

Tensor LinearImpl::forward(const Tensor& x) { return linear(x, weight, bias); }

Tensor linear(const Tensor& x, const Tensor& weight, const Tensor& bias) {
  if (x.is_cpu() && product_type(x) == at::kBFloat16) return bf16_linear(x, weight, bias);
  return at::linear(x, weight, bias);
}

}  // namespace gloss
