#include "kernels/cpu_kernels.h"

#include <algorithm>

namespace gloss {

extern const CpuKernels kCpuKernels_baseline;
extern const CpuKernels kCpuKernels_avx2;
extern const CpuKernels kCpuKernels_avx512;

int64_t AttentionProblem::scratch() const {
  const auto d = whole_tiles(width), rows = std::max(queries, keys);
  // queries and gradients of contexts straight and turned, keys and values, two of energies, a result
  return 2 * (queries + whole_tiles(queries) + keys) * d + 2 * keys * whole_tiles(queries) + rows * d;
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
