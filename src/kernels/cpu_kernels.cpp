#include "kernels/cpu_kernels.h"

namespace gloss {

extern const CpuKernels kCpuKernels_baseline;
extern const CpuKernels kCpuKernels_avx2;
extern const CpuKernels kCpuKernels_avx512;

int64_t AttentionProblem::scratch() const {
  const auto q = queries, k = keys, d = whole_tiles(width);
  // query, its context or gradients, key and value straight and turned, energies twice and once turned
  return 3 * q * d + 4 * k * d + 2 * width * whole_tiles(k) + (2 * q + whole_tiles(q)) * whole_tiles(k);
}

std::vector<const CpuKernels*> available_cpu_kernels() {
  std::vector<const CpuKernels*> kernels{&kCpuKernels_baseline};
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) kernels.push_back(&kCpuKernels_avx2);
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
    kernels.push_back(&kCpuKernels_avx512);
  return kernels;
}

const CpuKernels& cpu_kernels() {
  static const CpuKernels& best = *available_cpu_kernels().back();
  return best;
}

}  // namespace gloss
