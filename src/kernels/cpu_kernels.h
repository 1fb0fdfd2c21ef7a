#pragma once

#include <cstdint>
#include <vector>

namespace gloss {

/// A matrix within a larger tensor. `T` is float, or uint16_t for bfloat16.
template <class T>
struct Rows {
  T* data;
  int64_t stride;  ///< from row to row
};

/// Columns that the attention loops take at a time: rows of scratch memory are filled up to a multiple of it.
inline constexpr int64_t kTile = 16;
// Static: cpu_loops.cpp is compiled for several instruction sets, and each must keep its own copy.
static inline int64_t whole_tiles(int64_t n) { return (n + kTile - 1) / kTile * kTile; }

/// One head of one sentence: softmax(QKᵀ·scale)V over the keys that each query may see.
struct AttentionProblem {
  int64_t queries, keys, width;
  const bool*
      allowed;  ///< [queries, keys] by allowed_stride (0: one row for all queries), or null: every key
  int64_t allowed_stride;
  bool causal;  ///< query i of n sees key j of m where j - m <= i - n
  float scale;

  /// Floats of scratch memory that attention and its gradient need.
  int64_t scratch() const;
};

/// The inner loops that stock operators do slowly, in float32 (some with bfloat16 at one end, as its
/// bits), as plain functions over memory. One table for each
/// instruction set of this machine; each has a LibTorch formulation beside its wrapper, which tests compare with.
struct CpuKernels {
  const char* name;

  /// y_i = keep(key, i) ? scale·x_i : 0 for i in [begin, end); P(keep) = threshold / 2³².
  void (*dropout)(const float* x, float* y, int64_t begin, int64_t end, uint64_t key, uint32_t threshold,
                  float scale);
  /// The same to bfloat16, rounded to nearest.
  void (*dropout_bf16)(const float* x, uint16_t* y, int64_t begin, int64_t end, uint64_t key,
                       uint32_t threshold, float scale);
  /// y_i = residual_i + (keep(key, i) ? scale·x_i : 0), for x in either number type.
  void (*dropout_add)(const float* residual, const float* x, float* y, int64_t begin, int64_t end,
                      uint64_t key, uint32_t threshold, float scale);
  void (*dropout_add_bf16)(const float* residual, const uint16_t* x, float* y, int64_t begin, int64_t end,
                           uint64_t key, uint32_t threshold, float scale);

  /// One head of attention. A query that may see no key gets zeros.
  /// \param log_sums [queries] out: log of the softmax's denominator, from which the gradient makes it anew
  template <class T>
  using Attention = void (*)(const AttentionProblem& problem, Rows<const T> query, Rows<const T> key,
                             Rows<const T> value, Rows<T> context, float* log_sums, float* scratch);
  Attention<float> attention;
  Attention<uint16_t> attention_bf16;

  /// Its gradients, written (not added).
  template <class T>
  using AttentionBackward = void (*)(const AttentionProblem& problem, Rows<const T> query, Rows<const T> key,
                                     Rows<const T> value, Rows<const T> dcontext, const float* log_sums,
                                     Rows<T> dquery, Rows<T> dkey, Rows<T> dvalue, float* scratch);
  AttentionBackward<float> attention_backward;
  AttentionBackward<uint16_t> attention_backward_bf16;

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
  /// The same for logits in bfloat16, computed in float32. \param scratch [classes]
  void (*softmax_loss_bf16)(uint16_t* logits, const float* bias, int64_t classes, int64_t target,
                            float smoothing, float scale, bool with_gradient, double* loss, double* nll,
                            float* scratch);

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
