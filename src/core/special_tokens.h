#pragma once

#include <cstdint>

namespace gloss {

/// Ids that every vocabulary of gloss shares, whatever trained it. They are looked up by id, never by parsing text:
/// a literal "</s>" in a user's line is ordinary characters.
inline constexpr int32_t kPad = 0;
inline constexpr int32_t kUnk = 1;
inline constexpr int32_t kBos = 2;
inline constexpr int32_t kEos = 3;

}  // namespace gloss
