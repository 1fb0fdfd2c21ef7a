#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "checkpoint/safetensors.h"
#include "train/adam.h"

namespace gloss {

/// Exponentially smoothed weights, which translate better than those of any single update:
///   s ← s + (1 - β_t)(θ - s),  β_t = min(β, (1 + t)/(10 + t))
/// so that the first updates, far from any good, are soon forgotten. They are what is validated and kept for
/// translation; training goes on from the plain ones.
class SmoothedWeights {
 public:
  /// \param decay β; 0: no smoothing, everything below does nothing
  SmoothedWeights(const Adam::Parameters& parameters, double decay);

  /// After each update. \param updates made so far
  void follow(int64_t updates);

  /// While it lives, the model has the smoothed weights.
  class Use {
   public:
    explicit Use(SmoothedWeights& weights) : weights_(weights) { weights_.swap(); }
    ~Use() { weights_.swap(); }
    Use(const Use&) = delete;
    Use& operator=(const Use&) = delete;

   private:
    SmoothedWeights& weights_;
  };

  /// "<parameter>.smoothed", to be saved beside the optimizer's state.
  NamedTensors state() const;
  /// Takes them out of what was saved. Without them the smoothing starts anew from the weights of this moment.
  void load_state(NamedTensors& saved);

 private:
  void swap();

  double decay_;
  std::vector<std::string> names_;
  std::vector<Tensor> parameters_;
  std::vector<Tensor> smoothed_;
};

}  // namespace gloss
