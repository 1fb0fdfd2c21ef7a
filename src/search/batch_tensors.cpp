#include "search/batch_tensors.h"

#include <memory>
#include <utility>

namespace gloss {
namespace {

Tensor take(std::vector<int64_t>& values, at::IntArrayRef shape) {
  auto owner = std::make_shared<std::vector<int64_t>>(std::move(values));
  values.clear();
  auto* data = owner->data();
  return at::from_blob(
      data, shape, [owner = std::move(owner)](void*) mutable { owner.reset(); }, at::kLong);
}

}  // namespace

BatchTensors to_tensors(Batch& batch, const at::Device& device) {
  BatchTensors tensors;
  tensors.source = take(batch.source, {batch.size, batch.source_length}).to(device);
  tensors.lengths = take(batch.source_lengths, {batch.size});
  if (batch.target_length == 0) return tensors;
  tensors.target_in = take(batch.target_in, {batch.size, batch.target_length}).to(device);
  tensors.target_out = take(batch.target_out, {batch.size, batch.target_length}).to(device);
  return tensors;
}

}  // namespace gloss
