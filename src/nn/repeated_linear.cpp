#include "nn/repeated_linear.h"

#include <optional>
#include <utility>
#include <vector>

#include "kernels/bf16_linear.h"
#include "nn/linear.h"
#include "nn/precision.h"

namespace gloss {
namespace {

using torch::autograd::variable_list;

/// x W^T for a W of each sentence. (On a GPU autocast answers in its own type.)
Tensor sentence_products(const Tensor& x, const Tensor& weight) {
  return at::matmul(x, weight.transpose(1, 2)).to(x.scalar_type());
}

/// The weight, laid out for its products, and what the steps leave for its gradient: their inputs and the gradients of
/// their outputs, in the order in which the backward pass comes by.
class LinearRun : public SharedInputs {
 public:
  LinearRun(const Tensor& weight, const Tensor& bias)
      : type_(weight.scalar_type()), is_per_sentence_(weight.dim() == 3), weight_(weight), bias_(bias) {
    if (is_per_sentence_) return;
    const auto products = product_type(weight);
    if (weight.is_cpu() && products == at::kBFloat16 && has_bf16_blocks()) {
      const auto rows = weight.contiguous();
      blocks_ = {.forwards = pack_transposed(rows), .backwards = pack(rows)};
    } else {
      weight_ = weight.to(products);
    }
  }

  Tensor output(const Tensor& x) const {
    if (is_per_sentence_) return sentence_products(x, weight_);
    if (blocks_) return bf16_product(x, blocks_->forwards, weight_.size(0), bias_, x.scalar_type());
    const auto products = weight_.scalar_type();
    return at::linear(x.to(products), weight_, bias_.defined() ? bias_.to(products) : bias_)
        .to(x.scalar_type());
  }

  Tensor step_back(const Tensor& x, const Tensor& dy, StepNeeds needs) {
    if (needs.shared) {
      inputs_.push_back(x.detach());
      gradients_.push_back(dy);
    }
    if (!needs.input) return {};
    if (blocks_) return bf16_product(dy, blocks_->backwards, weight_.size(1), {}, dy.scalar_type());
    return at::matmul(dy.to(weight_.scalar_type()), weight_).to(dy.scalar_type());
  }

  variable_list gradients() override {
    const auto inputs = std::exchange(inputs_, {}), gradients = std::exchange(gradients_, {});
    variable_list result(bias_.defined() ? 2 : 1);
    if (inputs.empty()) return result;
    const int64_t axis = is_per_sentence_ ? 1 : 0;
    const auto dy = at::cat(gradients, axis).to(type_), x = at::cat(inputs, axis).to(type_);
    if (blocks_) {
      result[0] = bf16_weight_gradient(pack(dy), weight_.size(0), x);
    } else {
      const auto products = weight_.scalar_type();
      result[0] = at::matmul(dy.to(products).transpose(-2, -1), x.to(products)).to(type_);
    }
    if (bias_.defined()) result[1] = dy.sum(0);
    return result;
  }

 private:
  struct Blocks {
    PackedMatrix forwards, backwards;
  };
  at::ScalarType type_;  // of the weight and its gradient
  bool is_per_sentence_;
  Tensor weight_;  // in the type of the products, unless these are made by blocks
  Tensor bias_;
  std::optional<Blocks> blocks_;
  std::vector<Tensor> inputs_, gradients_;
};

using OneStep = SharedStep<LinearRun>;

}  // namespace

RepeatedLinear::RepeatedLinear(const Tensor& weight, const Tensor& bias) : weight_(weight), bias_(bias) {
  if (!at::GradMode::is_enabled() || !weight.requires_grad()) return;
  run_ = c10::make_intrusive<LinearRun>(weight.detach(), bias.defined() ? bias.detach() : bias);
  std::vector<Tensor> inputs{weight};
  if (bias.defined()) inputs.push_back(bias);
  anchor_ = anchor(inputs, run_);
}

Tensor RepeatedLinear::operator()(const Tensor& x) const {
  const bool is_per_sentence = weight_.dim() == 3;
  if (!run_) return is_per_sentence ? sentence_products(x, weight_) : linear(x, weight_, bias_);
  if (is_per_sentence || x.dim() == 2) return OneStep::apply(x, anchor_, run_);
  auto sizes = x.sizes().vec();
  sizes.back() = weight_.size(0);
  return OneStep::apply(x.reshape({-1, x.size(-1)}), anchor_, run_).view(sizes);
}

}  // namespace gloss
