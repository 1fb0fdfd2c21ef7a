#pragma once

#include <string>
#include <vector>

#include "torch.h"

namespace gloss {

/// Number types of the matrix products: float32, bf16, fp16. Weights, norms, softmax and the loss are float32 in each.
std::vector<std::string> precision_names();

/// Throws UsageError where the device has no units for it: bf16 needs a CPU with AVX-512 BF16 or AMX, or a GPU; fp16 a
/// GPU.
void check_precision(const std::string& name, const at::Device& device);

/// While it lives, this thread's products are computed in the given precision (LibTorch's autocast, whose casts
/// of the weights live as long, so it must not outlive a change of them; on a CPU bf16 layers cast at each call,
/// kernels/bf16_linear.h).
class PrecisionGuard {
 public:
  PrecisionGuard(const std::string& name, const at::Device& device);
  ~PrecisionGuard();
  PrecisionGuard(const PrecisionGuard&) = delete;
  PrecisionGuard& operator=(const PrecisionGuard&) = delete;

 private:
  at::DeviceType device_;
  bool was_enabled_;
  at::ScalarType former_type_;
};

/// The number type of products with x in the precision of this moment.
at::ScalarType product_type(const Tensor& x);

}  // namespace gloss
