#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "text/tokenizer.h"

namespace gloss {

/// Words between white space, nothing normalised; what is not in the list is kUnk and decodes to "<unk>".
///
/// File: one word a line, UTF-8, line number = id + 1. The first four lines are <pad> <unk> <s> </s>; the same strings
/// further down are ordinary words. Throws CheckpointError naming the line.
std::shared_ptr<const Tokenizer> make_word_tokenizer(std::string bytes, const std::string& name);

/// File content for words in the order of their ids (from 4 up).
std::string word_list(const std::vector<std::string>& words);

/// True when the bytes begin as a word list does.
bool is_word_list(std::string_view bytes);

}  // namespace gloss
