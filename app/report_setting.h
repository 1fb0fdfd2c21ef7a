#pragma once

#include <cstdint>

namespace gloss {

/// How and where a report is made.
struct ReportSetting {
  int64_t seed = 1;
  int64_t threads = 1;
  bool for_terminal = false;
};

}  // namespace gloss
