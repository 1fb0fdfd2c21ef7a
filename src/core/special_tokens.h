#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace gloss {

/// Ids that every vocabulary of gloss shares, whatever trained it. They are looked up by id, never by parsing text:
/// a literal "</s>" in a user's line is ordinary characters.
inline constexpr int32_t kPad = 0;
inline constexpr int32_t kUnk = 1;
inline constexpr int32_t kBos = 2;
inline constexpr int32_t kEos = 3;

/// How they are spelt; the index is the id.
inline constexpr std::array<std::string_view, 4> kSpecialTokens{"<pad>", "<unk>", "<s>", "</s>"};

/// Marks that stand for no text. <unk> is not one of them: it stands for a word.
constexpr bool is_special(int32_t id) { return id == kPad || id == kBos || id == kEos; }

}  // namespace gloss
