#pragma once

/// The parts of LibTorch that gloss uses, precompiled once for all files (cmake/GlossModule.cmake).

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <torch/autograd.h>
#include <torch/nn/init.h>
#include <torch/nn/module.h>
#include <torch/nn/pimpl.h>
#include <torch/types.h>

namespace gloss {
using at::Tensor;
}
