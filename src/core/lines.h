#pragma once

#include <string>

namespace gloss {

/// Makes text that a model wrote fit for one line of a file: LF, CR and NUL become spaces, and what is not UTF-8
/// becomes U+FFFD. With `tabs_too`, tabs become spaces as well (for fields that tabs separate).
std::string one_line(std::string text, bool tabs_too = false);

}  // namespace gloss
