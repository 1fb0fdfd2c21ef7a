#include "nn/attention_window.h"

#include <array>

#include "core/table.h"
#include "nn/linear.h"

// Luong, Pham, Manning 2015, section 3.2. Positions count from 0, so the centre of step t is t itself.

namespace gloss {
namespace {

Tensor source_positions(int64_t src_len, const Tensor& like) {
  return at::arange(src_len, like.options()).view({1, 1, src_len});
}

/// local-m: p_t = t, the source and target being roughly monotonic. Clipped at the last source word, so that a target
/// longer than its source still sees something.
class MonotonicWindowImpl : public WindowImpl {
 public:
  explicit MonotonicWindowImpl(const WindowSizes& sizes) : half_width_(sizes.half_width) {}

  WindowOutput forward(const Tensor&, const Tensor& positions, const Tensor& lengths,
                       int64_t src_len) override {
    const auto centre = at::minimum(positions, lengths.unsqueeze(1) - 1).unsqueeze(2);  // [batch, tgt_len, 1]
    const auto distance = (source_positions(src_len, positions) - centre).abs();  // [batch, tgt_len, src_len]
    return {.allowed = distance <= half_width_, .factor = {}};
  }

 private:
  int64_t half_width_;
};

/// local-p: p_t = S·sigmoid(v^T tanh(W h_t)) (eq. 9), window floor(p_t) ± D cut at the sentence, softmax inside it, then
/// times exp(-(s - p_t)² / 2σ²) with σ = D/2 (eq. 10). S is each sentence's own length.
class PredictiveWindowImpl : public WindowImpl {
 public:
  explicit PredictiveWindowImpl(const WindowSizes& sizes)
      : W(register_module("W", Linear(sizes.query, sizes.query, /*with_bias=*/false))),
        v(register_module("v", Linear(sizes.query, 1, /*with_bias=*/false))),
        half_width_(sizes.half_width) {}

  WindowOutput forward(const Tensor& query, const Tensor&, const Tensor& lengths, int64_t src_len) override {
    const auto S = lengths.to(query.scalar_type()).view({-1, 1, 1});
    const auto p = S * at::sigmoid(v(at::tanh(W(query))));  // [batch, tgt_len, 1]
    const auto s = source_positions(src_len, query);        // [1, 1, src_len]
    // floor(p) reaches S only when the sigmoid rounds to 1; the last word is the centre then.
    const auto centre = at::minimum(at::floor(p.detach()), S - 1);
    const double sigma = static_cast<double>(half_width_) / 2.0;
    return {.allowed = (s - centre).abs() <= half_width_,
            .factor = at::exp((s - p).square() / (-2.0 * sigma * sigma))};
  }

  Linear W, v;

 private:
  int64_t half_width_;
};

struct WindowEntry {
  const char* name;
  std::shared_ptr<WindowImpl> (*make)(const WindowSizes&);
};

template <class Window>
std::shared_ptr<WindowImpl> make(const WindowSizes& sizes) {
  return std::make_shared<Window>(sizes);
}

constexpr std::array kWindows{
    WindowEntry{"global", [](const WindowSizes&) -> std::shared_ptr<WindowImpl> { return nullptr; }},
    WindowEntry{"local-m", make<MonotonicWindowImpl>},
    WindowEntry{"local-p", make<PredictiveWindowImpl>},
};

}  // namespace

std::vector<std::string> window_names() { return names_of(kWindows); }

std::shared_ptr<WindowImpl> make_window(const std::string& name, const WindowSizes& sizes) {
  return row_of(kWindows, "attention window", name).make(sizes);
}

}  // namespace gloss
