#pragma once

#include <string>
#include <string_view>

namespace gloss {

/// SHA-256 as 64 lower-case hexadecimal digits.
std::string sha256_hex(std::string_view bytes);

}  // namespace gloss
