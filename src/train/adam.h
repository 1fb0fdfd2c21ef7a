#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "checkpoint/safetensors.h"
#include "torch.h"

namespace gloss {

struct AdamOptions {
  double beta1 = 0.9;
  double beta2 = 0.98;
  double epsilon = 1e-9;
  double weight_decay = 0.0;
};

/// Adam (Kingma and Ba 2015) with decoupled weight decay (Loshchilov and Hutter 2019), all parameters in one fused
/// pass:  m = β1 m + (1-β1) g;  v = β2 v + (1-β2) g²;  θ -= η λ θ + η m̂ / (sqrt(v̂) + ε).
/// Its state is tensors by name, so that a checkpoint stores them beside the weights.
class Adam {
 public:
  using Parameters = std::vector<std::pair<std::string, Tensor>>;

  /// \param parameters leaf tensors, each under the name it has in the model
  Adam(const Parameters& parameters, const AdamOptions& options);

  /// One update from the gradients that the parameters hold; one without a gradient stays as it is.
  void step(double learning_rate);

  /// Frees the gradients: the next backward pass writes new ones instead of adding to zeros.
  void clear_gradients();

  /// Norm of the gradient of all parameters together, after which it is scaled to at most `limit` (0: never). A norm
  /// that is not finite is returned and nothing is scaled.
  double clip_gradients(double limit);

  /// Those that the last backward pass made.
  std::vector<Tensor> gradients() const;

  /// The state by name: "<parameter>.mean", "<parameter>.square" and "updates". Shares memory with the optimizer.
  NamedTensors state() const;

  /// Takes over a state that state() gave. Throws CheckpointError that lists every missing or misshapen tensor.
  void load_state(const NamedTensors& saved);

 private:
  AdamOptions options_;
  std::vector<std::string> names_;
  std::vector<Tensor> parameters_;
  std::vector<Tensor> means_;    // m, shaped as the parameters
  std::vector<Tensor> squares_;  // v
  Tensor updates_;               // float scalar, updates made; shared by all parameters
};

}  // namespace gloss
