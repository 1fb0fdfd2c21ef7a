#include "text/text_source.h"

#include <memory>
#include <utility>

namespace gloss {

TextSource text_from_lines(std::vector<std::string> lines, std::string name) {
  auto shared = std::make_shared<const std::vector<std::string>>(std::move(lines));
  auto open = [shared]() -> LineStream {
    return [shared, index = size_t{0}](std::string& line) mutable {
      if (index == shared->size()) return false;
      line = (*shared)[index++];
      return true;
    };
  };
  return {std::move(name), std::move(open)};
}

TextSource concatenate(TextSource a, TextSource b) {
  std::string name = a.name + ", " + b.name;
  auto open = [a = std::move(a), b = std::move(b)]() -> LineStream {
    return [stream = a.open(), b, in_first = true](std::string& line) mutable {
      if (stream(line)) return true;
      if (!in_first) return false;
      in_first = false;
      stream = b.open();
      return stream(line);
    };
  };
  return {std::move(name), std::move(open)};
}

}  // namespace gloss
