#include "nn/embedding.h"

#include <cmath>

#include "core/special_tokens.h"

namespace gloss {

Tensor make_embedding(int64_t vocabulary, int64_t width) {
  auto weight = at::empty({vocabulary, width});
  torch::nn::init::normal_(weight, 0.0, 1.0 / std::sqrt(static_cast<double>(width)));
  weight[kPad].zero_();
  return weight.set_requires_grad(true);
}

Tensor embed(const Tensor& weight, const Tensor& ids) {
  return at::embedding(weight, ids, kPad) * std::sqrt(static_cast<double>(weight.size(1)));
}

}  // namespace gloss
