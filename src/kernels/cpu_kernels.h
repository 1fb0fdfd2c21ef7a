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

/// Stands for the logit of a class that doesn't exist.
inline constexpr float kNoLogit = -1e30F;

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
  /// \param statistics [2, whole_tiles(queries)] out: for each query the largest energy and one over the softmax's
  /// denominator, from which the gradient makes the weights anew
  template <class T>
  using Attention = void (*)(const AttentionProblem& problem, Rows<const T> query, Rows<const T> key,
                             Rows<const T> value, Rows<T> context, float* statistics, float* scratch);
  Attention<float> attention;
  Attention<uint16_t> attention_bf16;

  /// Its gradients, written (not added).
  template <class T>
  using AttentionBackward = void (*)(const AttentionProblem& problem, Rows<const T> query, Rows<const T> key,
                                     Rows<const T> value, Rows<const T> dcontext, const float* statistics,
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

  struct NormProblem {
    int64_t rows, width;  ///< width a multiple of kTile
    float epsilon;
  };
  /// Layer norm. \param statistics [rows, 2] out: mean and 1/√(variance + ε)
  template <class T>
  using LayerNorm = void (*)(const NormProblem& problem, const float* x, const float* weight,
                             const float* bias, T* y, float* statistics);
  LayerNorm<float> layer_norm;
  LayerNorm<uint16_t> layer_norm_bf16;
  /// \param dx out  \param sums [2, width] those of weight and bias, added
  template <class T>
  using LayerNormBackward = void (*)(const NormProblem& problem, const T* dy, const float* x,
                                     const float* weight, const float* statistics, float* dx, float* sums);
  LayerNormBackward<float> layer_norm_backward;
  LayerNormBackward<uint16_t> layer_norm_backward_bf16;

  /// A block of 64 columns of a packed matrix (bf16_blocks.h): \p k rows of \p n real columns each, filled up with zeros
  /// to \p whole_k rows of 64. \param out [whole_k / 2, 64] pairs
  template <class T>
  using PackRows = void (*)(const T* rows, int64_t stride, int64_t k, int64_t n, int64_t whole_k,
                            uint32_t* out);
  PackRows<float> pack_rows;
  PackRows<uint16_t> pack_rows_bf16;
  /// The same from the transposed matrix: n rows of k values each.
  PackRows<float> pack_columns;
  PackRows<uint16_t> pack_columns_bf16;

  /// Turns a block of a packed matrix into rows again, but those of the transposed matrix. \param pairs [n, 64], n a
  /// multiple of kTile  \param out [columns, n] at distance stride; columns <= 64
  void (*transpose_block)(const uint32_t* pairs, int64_t n, int64_t columns, uint32_t* out, int64_t stride);

  /// products + bias for the first \p real of 64 columns. \param products [rows, 64]
  template <class T>
  using StoreBlock = void (*)(const float* products, const float* bias, int64_t rows, int64_t real, T* out,
                              int64_t stride);
  StoreBlock<float> store_block;
  StoreBlock<uint16_t> store_block_bf16;

  /// products + bias in bfloat16, kNoLogit from column \p real on; the largest of each row in lanes.
  /// \param products [rows, 64]  \param logits [rows, 64] at distance stride  \param largest [rows, kTile] in and out
  void (*logits_block)(const float* products, const float* bias, int64_t real, int64_t rows, uint16_t* logits,
                       int64_t stride, float* largest);
  /// Two rows of logits become e^(x - top) and their sums. \param pairs if not null, takes them side by side too, 64
  /// columns to a block; blocks are block_stride values apart
  void (*softmax_pair)(uint16_t* first, uint16_t* second, int64_t n, const float* tops, double* sums,
                       uint16_t* pairs, int64_t block_stride);
  /// sums_c += Σ_i factors_2i·(first of pair i, c) + factors_2i+1·(second of it). \param pairs [n, 64]
  void (*add_pair_sums)(const uint32_t* pairs, const float* factors, int64_t n, float* sums);

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
