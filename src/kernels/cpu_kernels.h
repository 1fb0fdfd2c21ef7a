#pragma once

#include <cstdint>
#include <vector>

namespace gloss {

/// The inner loops that stock operators do slowly, in float32, as plain functions over memory. One table for each
/// instruction set of this machine; each has a LibTorch formulation beside its wrapper, which tests compare with.
struct CpuKernels {
  const char* name;

  /// y_i = keep(key, i) ? scale·x_i : 0 for i in [begin, end); P(keep) = threshold / 2³².
  void (*dropout)(const float* x, float* y, int64_t begin, int64_t end, uint64_t key, uint32_t threshold,
                  float scale);

  /// One sentence of e_ts = Σ_k v_k tanh(q_tk + K_sk).  q [tgt, k], K [src, k], e [tgt, src].
  void (*additive_energy)(const float* q, const float* K, const float* v, float* e, int64_t tgt, int64_t src,
                          int64_t k);
  /// Its gradients, added to dq, dK, dv.
  void (*additive_energy_backward)(const float* q, const float* K, const float* v, const float* de, float* dq,
                                   float* dK, float* dv, int64_t tgt, int64_t src, int64_t k);

  /// One row of label-smoothed cross entropy of logits + bias. Replaces the logits by scale·∂loss/∂logits if
  /// `with_gradient`, else by logits + bias.
  /// \return smoothed loss in `loss`, -log p(target) in `nll`
  void (*softmax_loss)(float* logits, const float* bias, int64_t classes, int64_t target, float smoothing,
                       float scale, bool with_gradient, double* loss, double* nll);

  /// GRU gates of n rows of width d: x and h are the two products [n, 3d] (reset, update, new), s the old state
  /// [n, d]; writes the new state and the gate values [n, 3d] that the gradient needs.
  void (*gru)(const float* x, const float* h, const float* s, float* next, float* gates, int64_t n,
              int64_t d);
  void (*gru_backward)(const float* gates, const float* h, const float* s, const float* dnext, float* dx,
                       float* dh, float* ds, int64_t n, int64_t d);

  /// LSTM gates: a the summed products [n, 4d] (input, forget, cell, output), c the old cell [n, d].
  void (*lstm)(const float* a, const float* c, float* next_h, float* next_c, float* gates, int64_t n,
               int64_t d);
  void (*lstm_backward)(const float* gates, const float* c, const float* next_c, const float* dh,
                        const float* dc_next, float* da, float* dc, int64_t n, int64_t d);
};

/// Those that this machine can run, best last.
std::vector<const CpuKernels*> available_cpu_kernels();

/// The best of them.
const CpuKernels& cpu_kernels();

}  // namespace gloss
