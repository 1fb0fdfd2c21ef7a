#pragma once

#include "core/error.h"
#include "nn/precision.h"

/// Whether this machine computes in bf16; the tests of it pass by where it does not.
inline bool has_bf16() {
  try {
    gloss::check_precision("bf16", at::kCPU);
    return true;
  } catch (const gloss::UsageError&) {
    return false;
  }
}
