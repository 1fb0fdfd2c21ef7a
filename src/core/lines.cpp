#include "core/lines.h"

#include "core/unicode.h"

namespace gloss {

std::string one_line(std::string text, bool tabs_too) {
  for (char& c : text)
    if (c == '\n' || c == '\r' || c == '\0' || (tabs_too && c == '\t')) c = ' ';
  return valid_utf8(text) ? text : replace_invalid_utf8(text);
}

}  // namespace gloss
