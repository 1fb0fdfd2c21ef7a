#include "text/word_tokenizer.h"

#include <stdexcept>
#include <unordered_map>
#include <utility>

#include "core/error.h"
#include "core/special_tokens.h"
#include "core/text.h"
#include "core/unicode.h"

namespace gloss {
namespace {

/// Splits at LF; a CR before it goes, so that a list edited elsewhere still loads.
std::vector<std::string> split_lines(std::string_view bytes) {
  std::vector<std::string> lines;
  while (!bytes.empty()) {
    const size_t end = bytes.find('\n');
    auto line = bytes.substr(0, end);
    bytes.remove_prefix(end == std::string_view::npos ? bytes.size() : end + 1);
    if (line.ends_with('\r')) line.remove_suffix(1);
    lines.emplace_back(line);
  }
  return lines;
}

/// Throws CheckpointError unless the special tokens stand first.
void check_head(const std::vector<std::string>& lines, const std::string& name) {
  if (lines.empty()) throw CheckpointError(name + ": is empty; name a SentencePiece model or a word list");
  for (size_t i = 0; i < kSpecialTokens.size(); ++i)
    if (i >= lines.size() || lines[i] != kSpecialTokens[i])
      throw CheckpointError(name + ":" + std::to_string(i + 1) + ": is not " +
                            std::string(kSpecialTokens[i]) + "; a word list has the lines " +
                            join(std::vector<std::string>(kSpecialTokens.begin(), kSpecialTokens.end())) +
                            " first, then one word a line");
}

class WordTokenizer final : public Tokenizer {
 public:
  WordTokenizer(std::string bytes, const std::string& name)
      : bytes_(std::move(bytes)), words_(split_lines(bytes_)) {
    check_head(words_, name);
    for (size_t i = kSpecialTokens.size(); i < words_.size(); ++i) {
      const auto where = name + ":" + std::to_string(i + 1) + ": ";
      const auto spans = word_spans(words_[i]);
      if (spans.size() != 1 || spans[0].second - spans[0].first != words_[i].size())
        throw CheckpointError(where + "is not one word; a word list has one word a line");
      if (!ids_.emplace(words_[i], static_cast<int32_t>(i)).second)
        throw CheckpointError(where + "the word '" + words_[i] + "' stands twice");
    }
    if (words_.size() <= kSpecialTokens.size()) throw CheckpointError(name + ": holds no words");
  }

  std::vector<int32_t> encode(std::string_view line) const override {
    std::vector<int32_t> ids;
    for (const auto& [begin, end] : word_spans(line)) ids.push_back(id_of(line.substr(begin, end - begin)));
    return ids;
  }

  std::vector<Piece> encode_with_offsets(std::string_view line) const override {
    std::vector<Piece> pieces;
    for (const auto& [begin, end] : word_spans(line)) {
      std::string word(line.substr(begin, end - begin));
      const int32_t id = id_of(word);
      pieces.push_back({id, std::move(word), begin, end});
    }
    return pieces;
  }

  std::vector<int32_t> sample(std::string_view line, double, uint64_t) const override { return encode(line); }

  std::string decode(std::span<const int32_t> ids) const override {
    std::string text;
    decode_with_offsets(ids, text);
    return text;
  }

  std::vector<Piece> decode_with_offsets(std::span<const int32_t> ids) const override {
    std::string text;
    return decode_with_offsets(ids, text);
  }

  int32_t size() const override { return static_cast<int32_t>(words_.size()); }
  std::string piece(int32_t id) const override { return word(id); }
  std::string extension() const override { return "vocab"; }
  const std::string& serialized() const override { return bytes_; }

 private:
  int32_t id_of(std::string_view text) const {
    const auto found = ids_.find(std::string(text));
    return found == ids_.end() ? kUnk : found->second;
  }

  const std::string& word(int32_t id) const {
    if (id < 0 || id >= size())
      throw std::out_of_range("word id " + std::to_string(id) + " is not below " + std::to_string(size()));
    return words_[static_cast<size_t>(id)];
  }

  std::vector<Piece> decode_with_offsets(std::span<const int32_t> ids, std::string& text) const {
    std::vector<Piece> pieces;
    for (const int32_t id : ids) {
      const std::string& entry = word(id);
      if (is_special(id)) {
        pieces.push_back({id, entry, text.size(), text.size()});
        continue;
      }
      if (!text.empty()) text += ' ';
      pieces.push_back({id, entry, text.size(), text.size() + entry.size()});
      text += entry;
    }
    return pieces;
  }

  std::string bytes_;
  std::vector<std::string> words_;
  std::unordered_map<std::string, int32_t> ids_;
};

}  // namespace

bool is_word_list(std::string_view bytes) {
  for (const auto special : kSpecialTokens) {
    if (!bytes.starts_with(special)) return false;
    bytes.remove_prefix(special.size());
    if (bytes.starts_with('\r')) bytes.remove_prefix(1);
    if (!bytes.starts_with('\n')) return false;
    bytes.remove_prefix(1);
  }
  return true;
}

std::string word_list(const std::vector<std::string>& words) {
  std::string bytes;
  for (const auto special : kSpecialTokens) (bytes += special) += '\n';
  for (const auto& word : words) (bytes += word) += '\n';
  return bytes;
}

std::shared_ptr<const Tokenizer> make_word_tokenizer(std::string bytes, const std::string& name) {
  return std::make_shared<WordTokenizer>(std::move(bytes), name);
}

}  // namespace gloss
