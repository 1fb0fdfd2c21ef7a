#include "nn/output_layer.h"

#include <algorithm>

#include "core/special_tokens.h"
#include "kernels/bf16_loss.h"
#include "kernels/softmax_loss.h"
#include "nn/linear.h"
#include "nn/precision.h"

namespace gloss {
namespace {

// Rows of logits that exist at a time: many enough for full-speed products, and at most 30 MiB.
int64_t block_rows(const Tensor& weight, at::ScalarType type) {
  const auto row = weight.size(0) * static_cast<int64_t>(c10::elementSize(type));
  const auto rows = std::clamp<int64_t>((int64_t{30} << 20) / row, 64, 4096);
  return rows >= 256 ? rows / 256 * 256 : rows;
}

// Of these so many at a time between the product and the softmax, so that they are still in the cache.
constexpr int64_t kCachedLogits = 5 << 19;

/// out = a·b
void product(const Tensor& out, const Tensor& a, const Tensor& b) {
  auto result = out;
  at::mm_out(result, a, b);
}

/// out += a^T·b, summed over the blocks in the type of `out`
void add_product(const Tensor& out, const Tensor& a, const Tensor& b) {
  if (out.scalar_type() == a.scalar_type()) {
    out.addmm_(a.t(), b);
  } else {
    out.add_(at::mm(a.t(), b));
  }
}

struct Loss : torch::autograd::Function<Loss> {
  /// \return {loss / normalizer, Σ -log p(target) in float64}; all gradients are made here, in one pass over the blocks.
  static torch::autograd::variable_list forward(torch::autograd::AutogradContext* context,
                                                const Tensor& hidden, const Tensor& weight,
                                                const Tensor& bias, const Tensor& target, double smoothing,
                                                double normalizer, bool with_gradient) {
    const auto type = product_type(hidden);
    if (type == at::kBFloat16 && has_bf16_output_loss(hidden)) {
      const auto result =
          bf16_output_loss(hidden, weight, bias, target, smoothing, 1.0 / normalizer, with_gradient);
      if (with_gradient)
        context->save_for_backward({result.dhidden.to(hidden.scalar_type()), result.dweight, result.dbias});
      context->mark_non_differentiable({result.nll});
      return {(result.loss / normalizer).to(weight.scalar_type()), result.nll};
    }
    const auto h = hidden.to(type), W = weight.to(type);  // no copies in float32
    const auto rows = hidden.size(0);
    const auto block = std::min(rows, block_rows(weight, type));
    const auto cached = std::min(block, std::max<int64_t>(kCachedLogits / weight.size(0) / 16 * 16, 16));
    auto buffer = at::empty({block, weight.size(0)}, h.options());
    Tensor dh, dW, db, ones;
    if (with_gradient) {
      dh = at::empty_like(h);
      dW = at::zeros_like(weight);
      db = at::zeros({1, bias.size(0)}, bias.options());
      ones = at::ones({block, 1}, h.options());
    }
    auto loss = at::zeros({}, hidden.options().dtype(at::kDouble));
    auto nll = at::zeros_like(loss);
    for (int64_t begin = 0; begin < rows; begin += block) {
      const auto n = std::min(block, rows - begin);
      for (int64_t i = 0; i < n; i += cached) {
        auto logits = buffer.narrow(0, i, std::min(cached, n - i));
        product(logits, h.narrow(0, begin + i, logits.size(0)), W.t());
        const auto sums = softmax_loss_(logits, bias, target.narrow(0, begin + i, logits.size(0)), smoothing,
                                        1.0 / normalizer, with_gradient);
        loss += sums.loss;
        nll += sums.nll;
      }
      if (!with_gradient) continue;
      const auto gradient = buffer.narrow(0, 0, n);
      product(dh.narrow(0, begin, n), gradient, W);
      add_product(dW, gradient, h.narrow(0, begin, n));
      add_product(db, ones.narrow(0, 0, n), gradient);  // the sum over rows, as fast as a product
    }
    if (with_gradient) context->save_for_backward({dh.to(hidden.scalar_type()), dW, db.squeeze(0)});
    context->mark_non_differentiable({nll});
    return {(loss / normalizer).to(weight.scalar_type()), nll};
  }

  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 torch::autograd::variable_list gradients) {
    const auto saved = context->get_saved_variables();
    const auto& g = gradients[0];
    return {saved[0] * g, saved[1] * g, saved[2] * g, Tensor(), Tensor(), Tensor(), Tensor()};
  }
};

struct Rows {
  Tensor hidden;  ///< [real, input_size]
  Tensor target;  ///< [real]
  Tensor index;   ///< [real] row numbers before padding was left out
};

Rows real_rows(const Tensor& hidden, const Tensor& target) {
  const auto flat = target.reshape({-1});
  const auto index = flat.ne(kPad).nonzero().squeeze(1);
  return {hidden.reshape({flat.size(0), -1}).index_select(0, index), flat.index_select(0, index), index};
}

}  // namespace

OutputLayerImpl::OutputLayerImpl(int64_t input_size, int64_t vocabulary, Tensor tied_weight)
    : weight(std::move(tied_weight)), bias(register_parameter("bias", at::zeros({vocabulary}))) {
  if (weight.defined()) return;
  weight = register_parameter("weight", at::empty({vocabulary, input_size}));
  torch::nn::init::xavier_uniform_(weight);
}

Tensor OutputLayerImpl::logits(const Tensor& hidden) { return linear(hidden, weight, bias); }

LossSums OutputLayerImpl::loss(const Tensor& hidden, const Tensor& target, double smoothing,
                               double normalizer) {
  const auto rows = real_rows(hidden, target);
  const bool with_gradient = at::GradMode::is_enabled() && (hidden.requires_grad() || weight.requires_grad());
  const auto sums = Loss::apply(rows.hidden, weight, bias, rows.target, smoothing, normalizer, with_gradient);
  return {.loss = sums[0], .nll = sums[1]};
}

Candidates OutputLayerImpl::best(const Tensor& hidden, int64_t k) {
  const auto scores = logits(hidden).to(weight.scalar_type());
  auto [values, ids] = at::topk(scores, std::min(k, scores.size(-1)), -1);
  return {.ids = ids, .log_probability = values - at::logsumexp(scores, -1, /*keepdim=*/true)};
}

Tensor OutputLayerImpl::log_probability(const Tensor& hidden, const Tensor& target) {
  const auto rows = real_rows(hidden, target);
  auto result = at::zeros({target.numel()}, weight.options().requires_grad(false));
  const auto block = block_rows(weight, weight.scalar_type());
  for (int64_t begin = 0; begin < rows.index.size(0); begin += block) {
    const auto n = std::min(block, rows.index.size(0) - begin);
    const auto log_p = at::log_softmax(logits(rows.hidden.narrow(0, begin, n)).to(weight.scalar_type()), -1);
    result.index_copy_(0, rows.index.narrow(0, begin, n),
                       log_p.gather(1, rows.target.narrow(0, begin, n).unsqueeze(1)).squeeze(1));
  }
  return result.view(target.sizes());
}

}  // namespace gloss
