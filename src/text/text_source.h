#pragma once

#include <functional>
#include <string>
#include <vector>

namespace gloss {

/// One pass over text: sets the next line, or returns false at the end.
using LineStream = std::function<bool(std::string&)>;

/// Text that can be read from the start as often as wanted, without being held in memory.
struct TextSource {
  std::string name;                  ///< for messages
  std::function<LineStream()> open;  ///< begins a pass
};

/// Lines in memory.
TextSource text_from_lines(std::vector<std::string> lines, std::string name = "text");

/// First `a`, then `b`.
TextSource concatenate(TextSource a, TextSource b);

}  // namespace gloss
