#include "kernels/bf16_loss.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "kernels/bf16_blocks.h"
#include "kernels/cpu_kernels.h"

namespace gloss {
namespace {

// Rows whose probabilities are kept for the gradient of the weights: the more, the fewer passes over that gradient.
constexpr int64_t kGroup = 256;
// Classes that the gradient of the hidden states sums over in one product.
constexpr int64_t kSumBlocks = 8;

/// Probabilities of a group of rows in the layout of a packed matrix [rows, classes]. Blocks lie a little apart, so that
/// their beginnings don't fall on the same lines of the cache.
struct GroupProbabilities {
  explicit GroupProbabilities(int64_t blocks) : data(static_cast<size_t>(blocks * kStride)) {}

  static constexpr int64_t kStride = kGroup * kBlock + 2 * kBlock;
  uint16_t* block(int64_t j) { return data.data() + j * kStride; }
  std::vector<uint16_t> data;
};

class LossOfRows {
 public:
  LossOfRows(const Tensor& hidden, const Tensor& weight, const Tensor& bias, const Tensor& target,
             double smoothing, double scale, bool with_gradient)
      : rows_(hidden.size(0)),
        width_(hidden.size(1)),
        classes_(weight.size(0)),
        smoothing_(smoothing),
        scale_(scale),
        with_gradient_(with_gradient),
        hidden_(hidden.to(at::kBFloat16).contiguous()),
        weight_(weight.contiguous()),
        target_(target.contiguous()),
        targets_(target_.const_data_ptr<int64_t>()),
        to_logits_(pack_transposed(weight_)),
        bias_(at::constant_pad_nd(bias, {0, to_logits_.n - classes_})),
        weight_sum_(weight_.to(at::kBFloat16).sum(0, /*keepdim=*/false, at::kFloat).to(at::kDouble)),
        bias_sum_(bias.sum(at::kDouble).item<double>()),
        sums_(at::empty({2, rows_}, at::kDouble)) {
    if (with_gradient) {
      to_hidden_ = pack(weight_);
      dhidden_ = at::empty({rows_, width_}, at::kFloat);
      dweight_ = at::empty({blocks(), width_, kBlock}, at::kFloat);
      dbias_ = at::zeros({to_logits_.n}, at::kFloat);
      factors_ = at::zeros({kGroup}, at::kFloat);
    }
  }

  OutputLoss compute() {
    GroupProbabilities probabilities(with_gradient_ ? blocks() : 0);
    for (int64_t begin = 0; begin < rows_; begin += kGroup) {
      const auto end = std::min(begin + kGroup, rows_);
      at::parallel_for(0, (end - begin + kBlock - 1) / kBlock, 1, [&](int64_t first, int64_t last) {
        const BlockProducts products;
        Scratch scratch(*this);
        for (auto i = first; i < last; ++i)
          row_block(begin + i * kBlock, std::min(begin + (i + 1) * kBlock, end), i, scratch, probabilities);
      });
      if (with_gradient_) add_weight_gradient(begin, end, probabilities);
    }
    const auto totals = sums_.sum(1);
    OutputLoss result{.loss = totals[0], .nll = totals[1], .dhidden = {}, .dweight = {}, .dbias = {}};
    if (with_gradient_) finish(result);
    return result;
  }

 private:
  struct Scratch {
    explicit Scratch(const LossOfRows& of)
        : hidden(static_cast<size_t>(kBlock * of.width_)),
          logits(static_cast<size_t>(kBlock * of.to_logits_.n)),
          product(static_cast<size_t>(kBlock * std::max(kBlock, of.width_))) {}
    std::vector<at::BFloat16> hidden;  // [64, width], for a block that isn't full
    std::vector<uint16_t> logits;      // [64, classes], later probabilities
    std::vector<float> product;        // [64, 64], later [64, width]
  };

  int64_t blocks() const { return to_logits_.n / kBlock; }

  /// 64 rows of hidden states; zeros from `end` on.
  const at::BFloat16* block_of_hidden(int64_t begin, int64_t end, Scratch& scratch) const {
    const auto* from = hidden_.const_data_ptr<at::BFloat16>() + begin * width_;
    if (end - begin == kBlock) return from;
    std::fill(scratch.hidden.begin(), scratch.hidden.end(), at::BFloat16(0));
    std::copy(from, from + (end - begin) * width_, scratch.hidden.begin());
    return scratch.hidden.data();
  }

  /// Logits, their softmax, the losses and the gradient of the hidden states of up to 64 rows.
  void row_block(int64_t begin, int64_t end, int64_t place, Scratch& scratch,
                 GroupProbabilities& probabilities) {
    const auto& kernels = cpu_kernels();
    const auto n = end - begin, all = to_logits_.n;
    const auto* hidden = block_of_hidden(begin, end, scratch);
    float largest[kBlock][kTile];
    std::fill_n(&largest[0][0], kBlock * kTile, kNoLogit);
    double target_logit[kBlock] = {};
    for (int64_t j = 0; j < blocks(); ++j) {
      block_product(kBlock, width_, hidden, width_, to_logits_.block(j), scratch.product.data(), kBlock,
                    false);
      const auto* bias = bias_.const_data_ptr<float>() + j * kBlock;
      kernels.logits_block(scratch.product.data(), bias, std::min(kBlock, classes_ - j * kBlock), kBlock,
                           scratch.logits.data() + j * kBlock, all, &largest[0][0]);
      for (int64_t i = 0; i < n; ++i) {
        const auto y = targets_[begin + i];
        if (y / kBlock == j)
          target_logit[i] = static_cast<double>(scratch.product[i * kBlock + y % kBlock] + bias[y % kBlock]);
      }
    }
    float factors[kBlock] = {};
    for (int64_t i = 0; i < kBlock; i += 2) {
      double sums[2];
      float tops[2];
      for (int64_t k = 0; k < 2; ++k)
        tops[k] = i + k < n ? *std::max_element(largest[i + k], largest[i + k] + kTile) : -kNoLogit;
      kernels.softmax_pair(scratch.logits.data() + i * all, scratch.logits.data() + (i + 1) * all, all, tops,
                           sums,
                           with_gradient_ ? probabilities.block(0) + (place * kBlock + i) * kBlock : nullptr,
                           GroupProbabilities::kStride);
      for (int64_t k = 0; k < 2 && i + k < n; ++k) {
        factors[i + k] = static_cast<float>(scale_ / sums[k]);
        note_loss(begin + i + k, static_cast<double>(tops[k]) + std::log(sums[k]), target_logit[i + k]);
      }
    }
    if (!with_gradient_) return;
    std::copy_n(factors, kBlock, factors_.mutable_data_ptr<float>() + place * kBlock);
    hidden_gradient(begin, end, factors, scratch);
  }

  void note_loss(int64_t row, double log_sum, double target_logit) {
    const auto* h = hidden_.const_data_ptr<at::BFloat16>() + row * width_;
    const auto* w = weight_sum_.const_data_ptr<double>();
    double logit_sum = bias_sum_;
    for (int64_t i = 0; i < width_; ++i) logit_sum += static_cast<double>(h[i]) * w[i];
    const double nll = log_sum - target_logit;
    auto* sums = sums_.mutable_data_ptr<double>();
    sums[row] = (1.0 - smoothing_) * nll + smoothing_ * (log_sum - logit_sum / static_cast<double>(classes_));
    sums[rows_ + row] = nll;
  }

  // scale·(p·W - ε/V·ΣW - (1-ε)·W_y) for each row; p·W comes out of the product times the softmax's denominator.
  void hidden_gradient(int64_t begin, int64_t end, const float* factors, Scratch& scratch) {
    auto* product = scratch.product.data();
    const auto* p = reinterpret_cast<const at::BFloat16*>(scratch.logits.data());
    for (int64_t j = 0; j < blocks(); j += kSumBlocks) {
      const auto k = std::min(kSumBlocks, blocks() - j) * kBlock;
      for (int64_t column = 0; column < width_; column += kBlock)
        block_product(kBlock, k, p + j * kBlock, to_logits_.n, to_hidden_.block(column / kBlock, j * kBlock),
                      product + column, width_, j > 0);
    }
    const auto* sum = weight_sum_.const_data_ptr<double>();
    for (auto row = begin; row < end; ++row) {
      auto* to = dhidden_.mutable_data_ptr<float>() + row * width_;
      const auto* from = product + (row - begin) * width_;
      const auto* y = weight_.const_data_ptr<float>() + targets_[row] * width_;
      for (int64_t i = 0; i < width_; ++i)
        to[i] = factors[row - begin] * from[i] - constant_part() * static_cast<float>(sum[i]) -
                target_part() * y[i];
    }
  }

  float constant_part() const {
    return static_cast<float>(scale_ * smoothing_ / static_cast<double>(classes_));
  }
  float target_part() const { return static_cast<float>(scale_ * (1.0 - smoothing_)); }

  // The part that goes through products, turned: [block, width, 64 classes].
  void add_weight_gradient(int64_t begin, int64_t end, GroupProbabilities& probabilities) {
    const auto n = whole_blocks(end - begin);
    // Each row times scale / its softmax's denominator, as columns.
    const auto factors = factors_.narrow(0, 0, end - begin).unsqueeze(1);
    const auto scaled =
        at::constant_pad_nd(hidden_.narrow(0, begin, end - begin) * factors, {0, 0, 0, n - (end - begin)})
            .t()
            .to(at::kBFloat16)
            .contiguous();
    const auto* columns = scaled.const_data_ptr<at::BFloat16>();
    at::parallel_for(0, blocks(), 8, [&](int64_t first, int64_t last) {
      const BlockProducts products;
      for (auto j = first; j < last; ++j) {
        const auto* p = probabilities.block(j);
        block_product(width_, n, columns, n, reinterpret_cast<const at::BFloat16*>(p),
                      dweight_.mutable_data_ptr<float>() + j * width_ * kBlock, kBlock, begin > 0);
        cpu_kernels().add_pair_sums(reinterpret_cast<const uint32_t*>(p), factors_.const_data_ptr<float>(),
                                    n / 2, dbias_.mutable_data_ptr<float>() + j * kBlock);
      }
    });
  }

  void finish(OutputLoss& result) {
    const auto hidden = hidden_.to(at::kFloat);
    result.dhidden = dhidden_;
    if (rows_ == 0) dweight_.zero_();
    result.dweight = dweight_.transpose(1, 2).reshape({-1, width_}).narrow(0, 0, classes_);
    result.dweight.sub_(hidden.sum(0), constant_part());
    result.dweight.index_add_(0, target_, hidden, -target_part());
    result.dbias = dbias_.narrow(0, 0, classes_).sub_(constant_part() * static_cast<float>(rows_));
    result.dbias.index_add_(0, target_, at::ones({rows_}), -target_part());
  }

  int64_t rows_, width_, classes_;
  double smoothing_, scale_;
  bool with_gradient_;
  Tensor hidden_;  // [rows, width] bfloat16
  Tensor weight_;  // [classes, width]
  Tensor target_;
  const int64_t* targets_;
  PackedMatrix to_logits_;  // [width, classes]
  PackedMatrix to_hidden_;  // [classes, width]
  Tensor bias_;             // [classes filled up]
  Tensor weight_sum_;       // [width] float64, over the classes
  double bias_sum_;
  Tensor sums_;     // [2, rows] float64: losses, -log p
  Tensor dhidden_;  // [rows, width]
  Tensor dweight_;  // [blocks, width, 64]
  Tensor dbias_;    // [classes filled up]
  Tensor factors_;  // [group] scale / softmax's denominator
};

}  // namespace

bool has_bf16_output_loss(const Tensor& hidden) {
  return hidden.is_cpu() && has_bf16_blocks() && hidden.size(-1) % kBlock == 0;
}

OutputLoss bf16_output_loss(const Tensor& hidden, const Tensor& weight, const Tensor& bias,
                            const Tensor& target, double smoothing, double scale, bool with_gradient) {
  return LossOfRows(hidden, weight, bias, target, smoothing, scale, with_gradient).compute();
}

}  // namespace gloss
