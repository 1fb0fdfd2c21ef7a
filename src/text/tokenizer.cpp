#include "text/tokenizer.h"

#include <utility>

#include "core/error.h"
#include "core/file.h"
#include "text/sentencepiece_tokenizer.h"
#include "text/word_tokenizer.h"

namespace gloss {

std::shared_ptr<const Tokenizer> parse_tokenizer(std::string bytes, const std::string& name) {
  if (is_word_list(bytes)) return make_word_tokenizer(std::move(bytes), name);
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
