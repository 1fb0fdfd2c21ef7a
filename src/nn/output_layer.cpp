#include "nn/output_layer.h"

#include <algorithm>

#include "core/special_tokens.h"
#include "kernels/softmax_loss.h"

namespace gloss {
namespace {

// Rows of logits that exist at a time. Few enough to stay small beside the model, many enough for full-speed products.
int64_t chunk_rows(int64_t vocabulary) {
  return std::clamp<int64_t>((int64_t{10} << 20) / vocabulary, 64, 4096);
}

struct Loss : torch::autograd::Function<Loss> {
  /// \return {loss / normalizer, Σ -log p(target) in float64}; all gradients are made here, in one pass over the chunks.
  static torch::autograd::variable_list forward(torch::autograd::AutogradContext* context,
                                                const Tensor& hidden, const Tensor& weight,
                                                const Tensor& bias, const Tensor& target, double smoothing,
                                                double normalizer, bool with_gradient) {
    const auto rows = hidden.size(0);
    const auto chunk = std::min(rows, chunk_rows(weight.size(0)));
    auto buffer = at::empty({chunk, weight.size(0)}, hidden.options());
    Tensor dh, dW, db;
    if (with_gradient) {
      dh = at::empty_like(hidden);
      dW = at::zeros_like(weight);
      db = at::zeros_like(bias);
    }
    auto loss = at::zeros({}, hidden.options().dtype(at::kDouble));
    auto nll = at::zeros_like(loss);
    for (int64_t begin = 0; begin < rows; begin += chunk) {
      const auto n = std::min(chunk, rows - begin);
      auto logits = buffer.narrow(0, 0, n);
      const auto h = hidden.narrow(0, begin, n);
      at::mm_out(logits, h, weight.t());
      const auto sums =
          softmax_loss_(logits, bias, target.narrow(0, begin, n), smoothing, 1.0 / normalizer, with_gradient);
      loss += sums.loss;
      nll += sums.nll;
      if (!with_gradient) continue;
      auto dh_chunk = dh.narrow(0, begin, n);
      at::mm_out(dh_chunk, logits, weight);
      dW.addmm_(logits.t(), h);
      db.add_(logits.sum(0));
    }
    if (with_gradient) context->save_for_backward({dh, dW, db});
    context->mark_non_differentiable({nll});
    return {(loss / normalizer).to(hidden.scalar_type()), nll};
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

Tensor OutputLayerImpl::logits(const Tensor& hidden) { return at::linear(hidden, weight, bias); }

LossSums OutputLayerImpl::loss(const Tensor& hidden, const Tensor& target, double smoothing,
                               double normalizer) {
  const auto rows = real_rows(hidden, target);
  const bool with_gradient = at::GradMode::is_enabled() && (hidden.requires_grad() || weight.requires_grad());
  const auto sums = Loss::apply(rows.hidden, weight, bias, rows.target, smoothing, normalizer, with_gradient);
  return {.loss = sums[0], .nll = sums[1]};
}

Candidates OutputLayerImpl::best(const Tensor& hidden, int64_t k) {
  const auto scores = logits(hidden);
  auto [values, ids] = at::topk(scores, std::min(k, scores.size(-1)), -1);
  return {.ids = ids, .log_probability = values - at::logsumexp(scores, -1, /*keepdim=*/true)};
}

Tensor OutputLayerImpl::log_probability(const Tensor& hidden, const Tensor& target) {
  const auto rows = real_rows(hidden, target);
  auto result = at::zeros({target.numel()}, hidden.options());
  const auto chunk = chunk_rows(weight.size(0));
  for (int64_t begin = 0; begin < rows.index.size(0); begin += chunk) {
    const auto n = std::min(chunk, rows.index.size(0) - begin);
    const auto log_p = at::log_softmax(logits(rows.hidden.narrow(0, begin, n)), -1);
    result.index_copy_(0, rows.index.narrow(0, begin, n),
                       log_p.gather(1, rows.target.narrow(0, begin, n).unsqueeze(1)).squeeze(1));
  }
  return result.view(target.sizes());
}

}  // namespace gloss
