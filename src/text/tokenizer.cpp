#include "text/tokenizer.h"

#include <algorithm>
#include <utility>

#include "core/error.h"
#include "core/file.h"
#include "core/unicode.h"
#include "text/sentencepiece_tokenizer.h"
#include "text/word_tokenizer.h"

namespace gloss {
namespace {

/// Text may be meant as a word list; SentencePiece's models are full of control characters.
bool is_text(std::string_view bytes) {
  const auto is_control = [](char c) {
    return static_cast<unsigned char>(c) < 0x20 && c != '\t' && c != '\n' && c != '\r';
  };
  return valid_utf8(bytes) && std::ranges::none_of(bytes, is_control);
}

}  // namespace

std::shared_ptr<const Tokenizer> parse_tokenizer(std::string bytes, const std::string& name) {
  if (bytes.starts_with(kByteOrderMark)) bytes.erase(0, kByteOrderMark.size());
  if (is_word_list(bytes) || is_text(bytes)) return make_word_tokenizer(std::move(bytes), name);
  return make_sentencepiece_tokenizer(std::move(bytes), name);
}

std::shared_ptr<const Tokenizer> load_tokenizer(const std::filesystem::path& file) {
  std::string bytes;
  try {
    bytes = read_file(file.string());
  } catch (const DataError& error) {
    throw CheckpointError(error.what());
  }
  return parse_tokenizer(std::move(bytes), file.string());
}

}  // namespace gloss
