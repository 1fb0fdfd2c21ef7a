#include "nn/precision.h"

#include <ATen/autocast_mode.h>

#include <array>
#include <utility>

#include "core/error.h"
#include "core/table.h"

namespace gloss {
namespace {

struct Precision {
  const char* name;
  at::ScalarType type;
  bool needs_loss_scale;  // small gradients would be 0
  const char* needs;      // what a CPU must have
  bool (*on_cpu)();
};

constexpr std::array kPrecisions{
    Precision{"float32", at::kFloat, false, "", [] { return true; }},
    Precision{"bf16", at::kBFloat16, false, "a CPU with AVX-512 BF16 or AMX units",
              [] { return __builtin_cpu_supports("avx512bf16") != 0; }},
    Precision{"fp16", at::kHalf, true, "a GPU", [] { return false; }},
};

const Precision& precision_of(const std::string& name) { return row_of(kPrecisions, "precision", name); }

thread_local auto cpu_products = at::kFloat;

}  // namespace

std::vector<std::string> precision_names() { return names_of(kPrecisions); }

at::ScalarType precision_type(const std::string& name) { return precision_of(name).type; }

bool needs_loss_scale(const std::string& name) { return precision_of(name).needs_loss_scale; }

void check_precision(const std::string& name, const at::Device& device) {
  const auto& precision = precision_of(name);
  if (device.is_cpu() && !precision.on_cpu())
    throw UsageError("--precision " + name + ": needs " + precision.needs +
                     ", which this machine does not offer; take float32");
}

PrecisionGuard::PrecisionGuard(const std::string& name, const at::Device& device) : device_(device.type()) {
  const auto type = precision_of(name).type;
  if (device.is_cpu()) {
    former_type_ = std::exchange(cpu_products, type);
    return;
  }
  was_enabled_ = at::autocast::is_autocast_enabled(device_);
  former_type_ = at::autocast::get_autocast_dtype(device_);
  at::autocast::increment_nesting();
  at::autocast::set_autocast_enabled(device_, type != at::kFloat);
  if (type != at::kFloat) at::autocast::set_autocast_dtype(device_, type);
}

PrecisionGuard::~PrecisionGuard() {
  if (device_ == at::kCPU) {
    cpu_products = former_type_;
    return;
  }
  if (at::autocast::decrement_nesting() == 0) at::autocast::clear_cache();
  at::autocast::set_autocast_dtype(device_, former_type_);
  at::autocast::set_autocast_enabled(device_, was_enabled_);
}

at::ScalarType product_type(const Tensor& x) {
  const auto device = x.device().type();
  if (device == at::kCPU) return cpu_products == at::kFloat ? x.scalar_type() : cpu_products;
  return at::autocast::is_autocast_enabled(device) ? at::autocast::get_autocast_dtype(device)
                                                   : x.scalar_type();
}

Tensor in_full(const Tensor& x) { return x.scalar_type() == at::kDouble ? x : x.to(at::kFloat); }

Tensor for_products(const Tensor& x) { return x.is_cpu() ? x.to(product_type(x)) : x; }

}  // namespace gloss
