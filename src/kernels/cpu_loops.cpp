// Compiled several times with different instruction sets (CMakeLists.txt). Everything but the table is local to the
// file, or the linker could pick a copy that this machine cannot run.

#include <cmath>

#include "kernels/attention_loops.h"
#include "kernels/bf16_block_loops.h"
#include "kernels/cpu_kernels.h"
#include "kernels/cpu_math.h"
#include "kernels/lanes.h"

namespace gloss {
namespace {

inline float sigmoid(float x) { return 1.0F / (1.0F + fast_exp(-x)); }

inline float fast_tanh(float x) { return 1.0F - 2.0F / (1.0F + fast_exp(2.0F * x)); }

// A counter-based generator: the decision at i depends on (key, i) alone, so the gradient makes the same mask again
// and nothing is stored. Two rounds of a 32-bit finaliser, keyed in between.
inline uint32_t random_bits(uint32_t i, uint32_t low, uint32_t high) {
  uint32_t x = i + low;
  x ^= x >> 16;
  x *= 0x7feb352dU;
  x ^= x >> 15;
  x *= 0x846ca68bU;
  x ^= x >> 16;
  x += high;
  x ^= x >> 17;
  x *= 0xed5ad4bbU;
  x ^= x >> 11;
  x *= 0xac4c1b51U;
  x ^= x >> 15;
  return x;
}

template <class To>
void dropout(const float* x, To* y, int64_t begin, int64_t end, uint64_t key, uint32_t threshold,
             float scale) {
  const auto low = static_cast<uint32_t>(key);
  const auto high = static_cast<uint32_t>(key >> 32);
  for (int64_t i = begin; i < end; ++i) {
    const float factor = random_bits(static_cast<uint32_t>(i), low, high) < threshold ? scale : 0.0F;
    store(y + i, x[i] * factor);
  }
}

template <class From>
void dropout_add(const float* residual, const From* x, float* y, int64_t begin, int64_t end, uint64_t key,
                 uint32_t threshold, float scale) {
  const auto low = static_cast<uint32_t>(key);
  const auto high = static_cast<uint32_t>(key >> 32);
  for (int64_t i = begin; i < end; ++i) {
    const float factor = random_bits(static_cast<uint32_t>(i), low, high) < threshold ? scale : 0.0F;
    y[i] = residual[i] + to_float(x[i]) * factor;
  }
}

void additive_energy(const float* q, const float* K, const float* v, float* e, int64_t tgt, int64_t src,
                     int64_t k) {
  for (int64_t t = 0; t < tgt; ++t) {
    for (int64_t s = 0; s < src; ++s) {
      const float* query = q + t * k;
      const float* key = K + s * k;
      float sum = 0.0F;
      for (int64_t i = 0; i < k; ++i) sum += v[i] * fast_tanh(query[i] + key[i]);
      e[t * src + s] = sum;
    }
  }
}

void additive_energy_backward(const float* __restrict q, const float* __restrict K, const float* __restrict v,
                              const float* __restrict de, float* __restrict dq, float* __restrict dK,
                              float* __restrict dv, int64_t tgt, int64_t src, int64_t k) {
  for (int64_t t = 0; t < tgt; ++t) {
    for (int64_t s = 0; s < src; ++s) {
      const float g = de[t * src + s];
      if (g == 0.0F) continue;  // padding
      const float* query = q + t * k;
      const float* key = K + s * k;
      float* __restrict query_gradient = dq + t * k;
      float* __restrict key_gradient = dK + s * k;
      float* __restrict v_gradient = dv;
      for (int64_t i = 0; i < k; ++i) {
        const float y = fast_tanh(query[i] + key[i]);
        const float d = g * v[i] * (1.0F - y * y);
        v_gradient[i] += g * y;
        query_gradient[i] += d;
        key_gradient[i] += d;
      }
    }
  }
}

void softmax_loss(float* logits, const float* bias, int64_t classes, int64_t target, float smoothing,
                  float scale, bool with_gradient, double* loss, double* nll) {
  const int64_t whole = classes - classes % kTile;
  Lanes tops = Lanes{} + (logits[0] + bias[0]), totals{};
  for (int64_t i = 0; i < whole; i += kTile) {
    const auto x = lanes_of(logits + i) + lanes_of(bias + i);
    store_lanes(logits + i, x);
    tops = tops < x ? x : tops;
    totals += x;
  }
  float largest = tops[0], rest = 0.0F;
  for (int64_t lane = 1; lane < kTile; ++lane) largest = largest < tops[lane] ? tops[lane] : largest;
  for (int64_t i = whole; i < classes; ++i) {
    logits[i] += bias[i];
    largest = largest < logits[i] ? logits[i] : largest;
    rest += logits[i];
  }
  const float total = sum_of(totals, rest), target_logit = logits[target];
  Lanes sums{};
  for (int64_t i = 0; i < whole; i += kTile) {
    const auto p = exp_of_lanes(lanes_of(logits + i) - largest);
    if (with_gradient) store_lanes(logits + i, p);
    sums += p;
  }
  rest = 0.0F;
  for (int64_t i = whole; i < classes; ++i) {
    const float p = fast_exp(logits[i] - largest);
    if (with_gradient) logits[i] = p;
    rest += p;
  }
  const float sum = sum_of(sums, rest);
  const double log_sum = static_cast<double>(largest) + std::log(static_cast<double>(sum));
  *nll = log_sum - target_logit;
  const double uniform = log_sum - static_cast<double>(total) / static_cast<double>(classes);
  *loss = (1.0 - smoothing) * *nll + smoothing * uniform;
  if (!with_gradient) return;
  const float factor = scale / sum;
  const float constant = scale * smoothing / static_cast<float>(classes);
  for (int64_t i = 0; i < classes; ++i) logits[i] = logits[i] * factor - constant;
  logits[target] -= scale * (1.0F - smoothing);
}

void softmax_loss_bf16(uint16_t* logits, const float* bias, int64_t classes, int64_t target, float smoothing,
                       float scale, bool with_gradient, double* loss, double* nll, float* scratch) {
  for (int64_t i = 0; i < classes; ++i) scratch[i] = to_float(logits[i]);
  softmax_loss(scratch, bias, classes, target, smoothing, scale, with_gradient, loss, nll);
  if (!with_gradient) return;
  for (int64_t i = 0; i < classes; ++i) store(logits + i, scratch[i]);
}

template <class T>
void layer_norm(const CpuKernels::NormProblem& problem, const float* x, const float* weight,
                const float* bias, T* y, float* statistics) {
  const auto d = problem.width;
  const auto scale = 1.0F / static_cast<float>(d);
  for (int64_t row = 0; row < problem.rows; ++row, x += d, y += d, statistics += 2) {
    Lanes sum{}, squares{};
    for (int64_t i = 0; i < d; i += kTile) sum += lanes_of(x + i);
    const float mean = sum_of(sum) * scale;
    for (int64_t i = 0; i < d; i += kTile) {
      const auto centred = lanes_of(x + i) - mean;
      squares += centred * centred;
    }
    const float inverse = 1.0F / std::sqrt(sum_of(squares) * scale + problem.epsilon);
    statistics[0] = mean;
    statistics[1] = inverse;
    for (int64_t i = 0; i < d; i += kTile)
      store_rounded(y + i, (lanes_of(x + i) - mean) * inverse * lanes_of(weight + i) + lanes_of(bias + i));
  }
}

// With n = (x - mean)/√… and g = dy·w:  dx = (g - mean(g) - n·mean(g·n))/√…
template <class T>
void layer_norm_backward(const CpuKernels::NormProblem& problem, const T* dy, const float* x,
                         const float* weight, const float* statistics, float* dx, float* sums) {
  const auto d = problem.width;
  const auto scale = 1.0F / static_cast<float>(d);
  for (int64_t row = 0; row < problem.rows; ++row, dy += d, x += d, dx += d, statistics += 2) {
    const float mean = statistics[0], inverse = statistics[1];
    Lanes sum{}, product{};
    for (int64_t i = 0; i < d; i += kTile) {
      const auto dy_lanes = lanes_of(dy + i);
      const auto n = (lanes_of(x + i) - mean) * inverse;
      const auto g = dy_lanes * lanes_of(weight + i);
      sum += g;
      product += g * n;
      store_lanes(sums + i, lanes_of(sums + i) + dy_lanes * n);
      store_lanes(sums + d + i, lanes_of(sums + d + i) + dy_lanes);
    }
    const float mean_g = sum_of(sum) * scale, mean_product = sum_of(product) * scale;
    for (int64_t i = 0; i < d; i += kTile) {
      const auto n = (lanes_of(x + i) - mean) * inverse;
      store_lanes(dx + i, (lanes_of(dy + i) * lanes_of(weight + i) - mean_g - n * mean_product) * inverse);
    }
  }
}

// __restrict: with so many pointers the compiler doesn't look whether they overlap, and makes no vectors.
void gru(const float* __restrict x, const float* __restrict h, const float* __restrict s,
         float* __restrict next, float* __restrict gates, int64_t n, int64_t d) {
  for (int64_t row = 0; row < n; ++row, x += 3 * d, h += 3 * d, s += d, next += d, gates += 3 * d) {
    for (int64_t i = 0; i < d; ++i) {
      const float r = sigmoid(x[i] + h[i]);
      const float z = sigmoid(x[d + i] + h[d + i]);
      const float c = fast_tanh(x[2 * d + i] + r * h[2 * d + i]);
      gates[i] = r;
      gates[d + i] = z;
      gates[2 * d + i] = c;
      next[i] = c + z * (s[i] - c);
    }
  }
}

void gru_backward(const float* __restrict gates, const float* __restrict h, const float* __restrict s,
                  const float* __restrict dnext, float* __restrict dx, float* __restrict dh,
                  float* __restrict ds, int64_t n, int64_t d) {
  for (int64_t row = 0; row < n;
       ++row, gates += 3 * d, h += 3 * d, s += d, dnext += d, dx += 3 * d, dh += 3 * d, ds += d) {
    for (int64_t i = 0; i < d; ++i) {
      const float r = gates[i];
      const float z = gates[d + i];
      const float c = gates[2 * d + i];
      const float g = dnext[i];
      const float dc = g * (1.0F - z) * (1.0F - c * c);
      const float dz = g * (s[i] - c) * z * (1.0F - z);
      const float dr = dc * h[2 * d + i] * r * (1.0F - r);
      dx[i] = dr;
      dx[d + i] = dz;
      dx[2 * d + i] = dc;
      dh[i] = dr;
      dh[d + i] = dz;
      dh[2 * d + i] = dc * r;
      ds[i] = g * z;
    }
  }
}

void lstm(const float* __restrict a, const float* __restrict c, float* __restrict next_h,
          float* __restrict next_c, float* __restrict gates, int64_t n, int64_t d) {
  for (int64_t row = 0; row < n; ++row, a += 4 * d, c += d, next_h += d, next_c += d, gates += 4 * d) {
    for (int64_t k = 0; k < d; ++k) {
      const float i = sigmoid(a[k]);
      const float f = sigmoid(a[d + k]);
      const float g = fast_tanh(a[2 * d + k]);
      const float o = sigmoid(a[3 * d + k]);
      gates[k] = i;
      gates[d + k] = f;
      gates[2 * d + k] = g;
      gates[3 * d + k] = o;
      const float cell = f * c[k] + i * g;
      next_c[k] = cell;
      next_h[k] = o * fast_tanh(cell);
    }
  }
}

void lstm_backward(const float* __restrict gates, const float* __restrict c, const float* __restrict next_c,
                   const float* __restrict dh, const float* __restrict dc_next, float* __restrict da,
                   float* __restrict dc, int64_t n, int64_t d) {
  for (int64_t row = 0; row < n;
       ++row, gates += 4 * d, c += d, next_c += d, dh += d, dc_next += d, da += 4 * d, dc += d) {
    for (int64_t k = 0; k < d; ++k) {
      const float i = gates[k];
      const float f = gates[d + k];
      const float g = gates[2 * d + k];
      const float o = gates[3 * d + k];
      const float y = fast_tanh(next_c[k]);
      const float cell = dc_next[k] + dh[k] * o * (1.0F - y * y);
      da[k] = cell * g * i * (1.0F - i);
      da[d + k] = cell * c[k] * f * (1.0F - f);
      da[2 * d + k] = cell * i * (1.0F - g * g);
      da[3 * d + k] = dh[k] * y * o * (1.0F - o);
      dc[k] = cell * f;
    }
  }
}

}  // namespace

#define GLOSS_NAME(isa) kCpuKernels_##isa
#define GLOSS_TABLE(isa) GLOSS_NAME(isa)
#define GLOSS_TEXT(isa) #isa
#define GLOSS_QUOTE(isa) GLOSS_TEXT(isa)

extern const CpuKernels GLOSS_TABLE(GLOSS_ISA);
const CpuKernels GLOSS_TABLE(GLOSS_ISA){
    .name = GLOSS_QUOTE(GLOSS_ISA),
    .dropout = dropout<float>,
    .dropout_bf16 = dropout<uint16_t>,
    .dropout_add = dropout_add<float>,
    .dropout_add_bf16 = dropout_add<uint16_t>,
    .attention = attention<float>,
    .attention_bf16 = attention<uint16_t>,
    .attention_backward = attention_backward<float>,
    .attention_backward_bf16 = attention_backward<uint16_t>,
    .additive_energy = additive_energy,
    .additive_energy_backward = additive_energy_backward,
    .softmax_loss = softmax_loss,
    .softmax_loss_bf16 = softmax_loss_bf16,
    .layer_norm = layer_norm<float>,
    .layer_norm_bf16 = layer_norm<uint16_t>,
    .layer_norm_backward = layer_norm_backward<float>,
    .layer_norm_backward_bf16 = layer_norm_backward<uint16_t>,
    .pack_rows = pack_rows<float>,
    .pack_rows_bf16 = pack_rows<uint16_t>,
    .pack_columns = pack_columns<float>,
    .pack_columns_bf16 = pack_columns<uint16_t>,
    .transpose_block = transpose_block,
    .store_block = store_block<float>,
    .store_block_bf16 = store_block<uint16_t>,
    .logits_block = logits_block,
    .softmax_pair = softmax_pair,
    .add_pair_sums = add_pair_sums,
    .gru = gru,
    .gru_backward = gru_backward,
    .lstm = lstm,
    .lstm_backward = lstm_backward,
};

}  // namespace gloss
