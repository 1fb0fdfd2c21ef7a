#pragma once

#include <string>
#include <vector>

#include "nn/linear.h"
#include "torch.h"

namespace gloss {

/// Names of the table in feed_forward.cpp.
std::vector<std::string> activation_names();

/// Position-wise feed-forward network:  W_2 f(W_1 x + b_1) + b_2  with f = relu (Vaswani et al. 2017, eq. 2) or gelu, or
/// the gated  W_2 (silu(W_1 x) ∘ V x)  (swiglu, Shazeer 2020; with biases here, W_1 and V as one matrix).
class FeedForwardImpl : public torch::nn::Module {
 public:
  /// \param dropout of the activation, between the two products
  FeedForwardImpl(int64_t width, int64_t hidden, const std::string& activation, double dropout);

  Tensor forward(const Tensor& x);  ///< [..., width] → [..., width]

 private:
  Tensor (*activate_)(const Tensor&);
  double dropout_;
  Linear inner_{nullptr}, outer_{nullptr};
};
TORCH_MODULE(FeedForward);

}  // namespace gloss
