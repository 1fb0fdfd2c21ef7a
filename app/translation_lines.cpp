#include "translation_lines.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <chrono>
#include <iterator>

#include "core/error.h"
#include "core/unicode.h"

namespace gloss {
namespace {

/// For each piece: does a word of the text begin with it?
std::vector<bool> word_beginnings(const std::vector<Piece>& pieces, const std::string& text) {
  const auto words = word_spans(text);
  std::vector<bool> begins(pieces.size(), false);
  size_t word = 0;
  bool lone_marker = false;  // a space marker that stands for no byte belongs to the word of the next piece
  for (size_t i = 0; i < pieces.size(); ++i) {
    const auto& piece = pieces[i];
    const auto before = word;
    while (word < words.size() && words[word].first < piece.end) ++word;
    const bool begins_word = word != before;
    if (lone_marker && begins_word) {
      begins[i - 1] = true;
    } else {
      begins[i] = begins_word;
    }
    lone_marker = piece.begin == piece.end ||
                  (!begins_word && is_blank({text.data() + piece.begin, piece.end - piece.begin}));
  }
  return begins;
}

}  // namespace

std::vector<std::string> next_chunk(LineReader& reader, size_t limit) {
  using Clock = std::chrono::steady_clock;
  std::vector<std::string> lines;
  std::string line;
  if (!reader.next(line)) return lines;
  const auto deadline = Clock::now() + std::chrono::milliseconds(20);
  do {
    lines.push_back(std::move(line));
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now());
    if (lines.size() >= limit || !reader.wait(std::max(left, std::chrono::milliseconds(0)))) break;
  } while (reader.next(line));
  return lines;
}

std::vector<std::vector<Piece>> cut_pieces(std::vector<Piece> pieces, const std::string& text,
                                           int64_t max_pieces) {
  std::vector<std::vector<Piece>> segments;
  const auto limit = static_cast<size_t>(max_pieces);
  if (max_pieces <= 0 || pieces.size() <= limit) {
    if (!pieces.empty()) segments.push_back(std::move(pieces));
    return segments;
  }
  const auto begins = word_beginnings(pieces, text);
  for (size_t start = 0; start < pieces.size();) {
    auto end = std::min(start + limit, pieces.size());
    if (end < pieces.size()) {
      for (auto cut = end; cut > start + limit / 2; --cut) {
        if (!begins[cut]) continue;
        end = cut;
        break;
      }
    }
    segments.emplace_back(std::make_move_iterator(pieces.begin() + static_cast<std::ptrdiff_t>(start)),
                          std::make_move_iterator(pieces.begin() + static_cast<std::ptrdiff_t>(end)));
    start = end;
  }
  return segments;
}

std::string valid_line(std::string raw, const std::string& place, bool strict) {
  if (valid_utf8(raw)) return raw;
  if (strict)
    throw DataError(place + ": invalid UTF-8; mend the line, or leave out --strict to replace what is wrong");
  spdlog::warn("{}: invalid UTF-8, replaced by U+FFFD", place);
  return replace_invalid_utf8(raw);
}

SourceLine prepare_line(std::string raw, int64_t number, const std::string& input, const Tokenizer& tokenizer,
                        const LinePolicy& policy) {
  const auto place = input + ":" + std::to_string(number);
  raw = valid_line(std::move(raw), place, policy.strict);
  SourceLine line{.number = number, .text = std::move(raw), .segments = {}};
  if (is_blank(line.text)) return line;
  auto pieces = tokenizer.encode_with_offsets(line.text);
  const auto count = pieces.size();
  line.segments = cut_pieces(std::move(pieces), line.text, policy.max_pieces);
  if (line.segments.size() > 1)
    spdlog::warn(
        "{}: {} pieces are more than {} (--max-length, or all that the model can tell apart); translated in "
        "{} parts",
        place, count, policy.max_pieces, line.segments.size());
  return line;
}

}  // namespace gloss
