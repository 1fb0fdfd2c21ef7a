#pragma once

#include "data/batch.h"
#include "torch.h"

namespace gloss {

/// A batch as tensors; all int64.
struct BatchTensors {
  Tensor source;      ///< [batch, src_len] on the device
  Tensor lengths;     ///< [batch] on the CPU, </s> counted
  Tensor target_in;   ///< [batch, tgt_len] on the device; undefined without a target side
  Tensor target_out;  ///< [batch, tgt_len] on the device; undefined without a target side
};

/// The tensors take the batch's memory over where they stay on the CPU; its vectors of ids and source_lengths are
/// empty afterwards.
BatchTensors to_tensors(Batch& batch, const at::Device& device);

}  // namespace gloss
