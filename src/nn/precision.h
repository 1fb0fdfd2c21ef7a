#pragma once

#include <string>
#include <vector>

#include "torch.h"

namespace gloss {

/// Number types of the matrix products: float32, bf16, fp16. Weights, norms, softmax and the loss are float32 in each.
std::vector<std::string> precision_names();

at::ScalarType precision_type(const std::string& name);

/// Gradients below the precision's range would be 0: training must scale its loss (train/loss_scaler.h).
bool needs_loss_scale(const std::string& name);

/// Throws UsageError where the device has no units for it: bf16 needs a CPU with AVX-512 BF16 or AMX, or a GPU; fp16 a
/// GPU.
void check_precision(const std::string& name, const at::Device& device);

/// While it lives, this thread's layers multiply with their weights in the given precision. On a CPU it is the layers that
/// look at it (linear.h, repeated_linear.h, layer_norm.h, output_layer.h) and cast at each call; on a GPU it is LibTorch's autocast, whose
/// casts of the weights live as long, so it must not outlive a change of them.
class PrecisionGuard {
 public:
  PrecisionGuard(const std::string& name, const at::Device& device);
  ~PrecisionGuard();
  PrecisionGuard(const PrecisionGuard&) = delete;
  PrecisionGuard& operator=(const PrecisionGuard&) = delete;

 private:
  at::DeviceType device_;
  bool was_enabled_ = false;
  at::ScalarType former_type_;
};

/// The number type of products with x in the precision of this moment.
at::ScalarType product_type(const Tensor& x);

/// x in float32 if it is rounded more than that.
Tensor in_full(const Tensor& x);

/// x for layers that multiply it: on a CPU in the number type of products, which saves each of them a cast and makes them
/// answer in it too. (GPUs cast by themselves.)
Tensor for_products(const Tensor& x);

}  // namespace gloss
