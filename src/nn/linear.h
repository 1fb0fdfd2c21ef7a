#pragma once

#include "torch.h"

namespace gloss {

/// y = x W^T + b. LibTorch's own Linear without the headers of all its other layers, and with Glorot's uniform
/// initialisation.
class LinearImpl : public torch::nn::Module {
 public:
  LinearImpl(int64_t in, int64_t out, bool with_bias = true);
  /// [..., in] → [..., out]; a product in the precision of the moment (precision.h). Answers in the number type of x on a
  /// CPU, in that of the products on a GPU.
  Tensor forward(const Tensor& x);

  Tensor weight;  ///< [out, in]
  Tensor bias;    ///< [out], undefined without
};
TORCH_MODULE(Linear);

/// The same for a weight that lies elsewhere. \param bias [out], or undefined
Tensor linear(const Tensor& x, const Tensor& weight, const Tensor& bias);

}  // namespace gloss
