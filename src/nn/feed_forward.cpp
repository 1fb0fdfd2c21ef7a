#include "nn/feed_forward.h"

#include <array>

#include "core/table.h"
#include "kernels/dropout.h"

namespace gloss {
namespace {

struct Activation {
  const char* name;
  int64_t inputs;  // of the first product's values, how many make one
  Tensor (*apply)(const Tensor&);
};

constexpr std::array kActivations{
    Activation{"relu", 1, [](const Tensor& x) { return at::relu(x); }},
    Activation{"gelu", 1, [](const Tensor& x) { return at::gelu(x); }},
    Activation{"swiglu", 2,
               [](const Tensor& x) {
                 const auto halves = x.chunk(2, -1);
                 return at::silu(halves[0]) * halves[1];
               }},
};

const Activation& activation_of(const std::string& name) { return row_of(kActivations, "activation", name); }

}  // namespace

std::vector<std::string> activation_names() { return names_of(kActivations); }

FeedForwardImpl::FeedForwardImpl(int64_t width, int64_t hidden, const std::string& activation, double dropout)
    : activate_(activation_of(activation).apply),
      dropout_(dropout),
      inner_(register_module("inner", Linear(width, activation_of(activation).inputs * hidden))),
      outer_(register_module("outer", Linear(hidden, width))) {}

Tensor FeedForwardImpl::forward(const Tensor& x) {
  return outer_(seeded_dropout(activate_(inner_(x)), dropout_, is_training()));
}

}  // namespace gloss
