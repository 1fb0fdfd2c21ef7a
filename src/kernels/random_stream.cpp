#include "kernels/random_stream.h"

#include <ATen/CPUGeneratorImpl.h>

#include <mutex>
#include <utility>

namespace gloss {
namespace {

thread_local at::Generator own_generator;

}  // namespace

at::Generator cpu_generator() {
  return own_generator.defined() ? own_generator : at::detail::getDefaultCPUGenerator();
}

RandomStream::RandomStream(uint64_t seed)
    : former_(std::exchange(own_generator, at::detail::createCPUGenerator(seed))) {}

RandomStream::~RandomStream() { own_generator = std::move(former_); }

uint64_t draw_key() {
  auto generator = cpu_generator();
  const std::lock_guard lock(generator.mutex());
  return at::check_generator<at::CPUGeneratorImpl>(generator)->random64();
}

}  // namespace gloss
