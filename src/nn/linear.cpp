#include "nn/linear.h"

namespace gloss {

LinearImpl::LinearImpl(int64_t in, int64_t out, bool with_bias)
    : weight(register_parameter("weight", at::empty({out, in}))) {
  torch::nn::init::xavier_uniform_(weight);
  if (with_bias) bias = register_parameter("bias", at::zeros({out}));
}

Tensor LinearImpl::forward(const Tensor& x) { return at::linear(x, weight, bias); }

}  // namespace gloss
