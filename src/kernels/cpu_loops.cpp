// Compiled several times with different instruction sets (CMakeLists.txt). Everything but the table is local to the
// file, or the linker could pick a copy that this machine cannot run.

#include <cmath>

#include "kernels/attention_loops.h"
#include "kernels/cpu_kernels.h"
#include "kernels/cpu_math.h"

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

void additive_energy_backward(const float* q, const float* K, const float* v, const float* de, float* dq,
                              float* dK, float* dv, int64_t tgt, int64_t src, int64_t k) {
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
  // The maximum in lanes: as one running value the compiler may not make vectors of it, because of NaN.
  constexpr int64_t kLanes = 32;
  float lanes[kLanes];
  for (auto& lane : lanes) lane = logits[0] + bias[0];
  float total = 0.0F;
  const int64_t whole = classes - classes % kLanes;
  for (int64_t i = 0; i < whole; i += kLanes) {
    for (int64_t j = 0; j < kLanes; ++j) {
      const float x = logits[i + j] + bias[i + j];
      logits[i + j] = x;
      lanes[j] = lanes[j] < x ? x : lanes[j];
      total += x;
    }
  }
  float largest = lanes[0];
  for (const float lane : lanes) largest = largest < lane ? lane : largest;
  for (int64_t i = whole; i < classes; ++i) {
    const float x = logits[i] + bias[i];
    logits[i] = x;
    largest = largest < x ? x : largest;
    total += x;
  }
  const float target_logit = logits[target];
  float sum = 0.0F;
  if (with_gradient) {
    for (int64_t i = 0; i < classes; ++i) {
      const float p = fast_exp(logits[i] - largest);
      logits[i] = p;
      sum += p;
    }
  } else {
    for (int64_t i = 0; i < classes; ++i) sum += fast_exp(logits[i] - largest);
  }
  const double log_sum = static_cast<double>(largest) + std::log(static_cast<double>(sum));
  *nll = log_sum - target_logit;
  const double uniform = log_sum - static_cast<double>(total) / static_cast<double>(classes);
  *loss = (1.0 - smoothing) * *nll + smoothing * uniform;
  if (!with_gradient) return;
  const float factor = scale / sum;
  const float rest = scale * smoothing / static_cast<float>(classes);
  for (int64_t i = 0; i < classes; ++i) logits[i] = logits[i] * factor - rest;
  logits[target] -= scale * (1.0F - smoothing);
}

void softmax_loss_bf16(uint16_t* logits, const float* bias, int64_t classes, int64_t target, float smoothing,
                       float scale, bool with_gradient, double* loss, double* nll, float* scratch) {
  for (int64_t i = 0; i < classes; ++i) scratch[i] = to_float(logits[i]);
  softmax_loss(scratch, bias, classes, target, smoothing, scale, with_gradient, loss, nll);
  if (!with_gradient) return;
  for (int64_t i = 0; i < classes; ++i) store(logits + i, scratch[i]);
}

void gru(const float* x, const float* h, const float* s, float* next, float* gates, int64_t n, int64_t d) {
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

void gru_backward(const float* gates, const float* h, const float* s, const float* dnext, float* dx,
                  float* dh, float* ds, int64_t n, int64_t d) {
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

void lstm(const float* a, const float* c, float* next_h, float* next_c, float* gates, int64_t n, int64_t d) {
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

void lstm_backward(const float* gates, const float* c, const float* next_c, const float* dh,
                   const float* dc_next, float* da, float* dc, int64_t n, int64_t d) {
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
    .gru = gru,
    .gru_backward = gru_backward,
    .lstm = lstm,
    .lstm_backward = lstm_backward,
};

}  // namespace gloss
