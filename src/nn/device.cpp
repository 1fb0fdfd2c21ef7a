#include "nn/device.h"

#include <ATen/detail/CUDAHooksInterface.h>
#include <dlfcn.h>

#include <filesystem>

#include "core/error.h"
#include "core/text.h"

namespace gloss {
namespace {

bool has_driver() {
  return std::filesystem::exists("/proc/driver/nvidia/version") || std::filesystem::exists("/dev/dxg");
}

/// Why the CUDA libraries could not be opened; empty when they are loaded.
std::string load_cuda_libraries() {
  static const std::string failure = [] {
    for (const char* name : {"libtorch_cuda.so", "libtorch_cuda_linalg.so"}) {
      if (dlopen(name, RTLD_NOW | RTLD_GLOBAL) == nullptr && std::string_view(name) == "libtorch_cuda.so")
        return std::string(dlerror());
    }
    return std::string();
  }();
  return failure;
}

/// Number of usable devices; `why` says what is missing when there is none.
int64_t cuda_devices(std::string& why) {
  if (const auto failure = load_cuda_libraries(); !failure.empty()) {
    why = "LibTorch's CUDA part cannot be loaded (" + failure + "); scripts/setup.sh --cuda brings it";
    return 0;
  }
  try {
    const auto count = at::globalContext().hasCUDA() ? at::detail::getCUDAHooks().deviceCount() : 0;
    if (count == 0) why = "LibTorch finds no CUDA device";
    return count;
  } catch (const c10::Error& error) {
    why = error.what_without_backtrace();
    return 0;
  }
}

}  // namespace

at::Device select_device(const std::string& name) {
  if (name == "cpu") return at::Device(at::kCPU);
  std::string why;
  if (name == "auto") {
    if (has_driver() && cuda_devices(why) > 0) return at::Device(at::kCUDA, 0);
    return at::Device(at::kCPU);
  }
  std::optional<int64_t> index;
  if (name == "cuda") index = 0;
  if (name.starts_with("cuda:")) index = whole_number<int64_t>(name.substr(5));
  if (!index || *index < 0)
    throw UsageError("--device: unknown device '" + name + "'; choose auto, cpu, cuda or cuda:N");
  const auto count = cuda_devices(why);
  if (count == 0) throw UsageError("--device " + name + ": " + why + "; use --device cpu");
  if (*index >= count)
    throw UsageError("--device " + name + ": there are " + std::to_string(count) +
                     " CUDA devices, counted from 0");
  return at::Device(at::kCUDA, static_cast<at::DeviceIndex>(*index));
}

std::string describe_cuda() {
  if (!has_driver()) return "no NVIDIA driver; CPU only";
  std::string why;
  const auto count = cuda_devices(why);
  return count > 0 ? std::to_string(count) + " CUDA device(s)" : why;
}

}  // namespace gloss
