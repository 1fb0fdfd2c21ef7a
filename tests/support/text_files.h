#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/file.h"
#include "core/text.h"
#include "text/text_source.h"

namespace gloss::testing {

/// Files one after the other. Missing ones are DataErrors by name when their turn comes.
inline TextSource text_from_files(const std::vector<std::string>& files) {
  auto open = [files]() -> LineStream {
    auto reader = std::make_shared<std::unique_ptr<LineReader>>();
    return [files, reader, index = size_t{0}](std::string& line) mutable {
      while (true) {
        if (*reader && (*reader)->next(line)) return true;
        if (index == files.size()) return false;
        *reader = std::make_unique<LineReader>(files[index++]);
      }
    };
  };
  return {join(files), std::move(open)};
}

}  // namespace gloss::testing
