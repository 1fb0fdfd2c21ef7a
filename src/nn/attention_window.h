#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "torch.h"

namespace gloss {

struct WindowSizes {
  int64_t query;       ///< width of the decoder state
  int64_t half_width;  ///< D of Luong et al.: the window is [p - D, p + D]
};

/// Where the attention may look, and how strongly.
struct WindowOutput {
  Tensor allowed;  ///< [batch, tgt_len, src_len] bool, undefined = everywhere
  Tensor factor;   ///< [batch, tgt_len, src_len], multiplies the softmax weights, undefined = 1
};

class WindowImpl : public torch::nn::Module {
 public:
  /// \param query     [batch, tgt_len, query]
  /// \param positions [batch, tgt_len] int64, number of the target step, from 0
  /// \param lengths   [batch] int64, true source lengths (never the padded one), on query's device
  virtual WindowOutput forward(const Tensor& query, const Tensor& positions, const Tensor& lengths,
                               int64_t src_len) = 0;
};

std::vector<std::string> window_names();

/// nullptr for "global", which restricts nothing. Throws UsageError for an unknown name.
std::shared_ptr<WindowImpl> make_window(const std::string& name, const WindowSizes& sizes);

}  // namespace gloss
