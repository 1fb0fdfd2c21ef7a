#pragma once

#include <cstdint>

#include "torch.h"

namespace gloss {

struct LossSums {
  Tensor
      loss;  ///< scalar: sum over real target tokens of the smoothed cross entropy, divided by `normalizer`; differentiable
  Tensor nll;  ///< scalar double: plain sum of -log p(target), for perplexity; not differentiable
};

struct Candidates {
  Tensor ids;              ///< [..., k] int64, best first
  Tensor log_probability;  ///< [..., k] float
};

/// Hidden states to words: softmax(W h + b). W may be the target embedding itself (tied, Press and Wolf 2017).
class OutputLayerImpl : public torch::nn::Module {
 public:
  /// \param tied_weight the target embedding [vocabulary, input_size], or undefined for a matrix of its own
  OutputLayerImpl(int64_t input_size, int64_t vocabulary, Tensor tied_weight = {});

  /// [..., input_size] → [..., vocabulary]
  Tensor logits(const Tensor& hidden);

  /// Label-smoothed cross entropy over real tokens (target != kPad):
  ///   (1-ε)·(-log p_y) + ε/V·Σ_k(-log p_k), uniform over all V classes.
  /// Works in chunks of rows and computes the gradient in the forward pass: [tokens, vocabulary] never exists.
  /// \param hidden [..., input_size]  \param target [...] int64
  /// \param normalizer what the sum is divided by: real target tokens of the whole update, all micro-batches together
  LossSums loss(const Tensor& hidden, const Tensor& target, double smoothing, double normalizer);

  /// The k best words of each row and their log-probabilities (k is cut to the vocabulary).
  Candidates best(const Tensor& hidden, int64_t k);

  /// log p of given words, row by row. \param target [...] int64 → [...] float (0 at kPad)
  Tensor log_probability(const Tensor& hidden, const Tensor& target);

  Tensor weight;  ///< [vocabulary, input_size]; registered as "weight" only when not tied
  Tensor bias;    ///< [vocabulary]
};
TORCH_MODULE(OutputLayer);

}  // namespace gloss
