#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gloss {

/// One piece of a line and the bytes of the raw line that it stands for.
struct Piece {
  int32_t id;
  std::string text;  ///< surface form as the vocabulary spells it ("▁house")
  size_t
      begin;  ///< byte offsets into the raw line, end exclusive; begin == end where nothing of the line stands
  size_t end;  ///< for the piece (an inserted space marker)
};

/// Lines to pieces and back. Thread-safe after loading. No id is ever kPad, kBos or kEos in what encode returns.
class Tokenizer {
 public:
  virtual ~Tokenizer() = default;

  /// Ids without bos and eos. A line of white space gives an empty list.
  virtual std::vector<int32_t> encode(std::string_view line) const = 0;

  /// The same pieces with their text and their bytes in the raw line.
  virtual std::vector<Piece> encode_with_offsets(std::string_view line) const = 0;

  /// One segmentation drawn from the model's distribution (subword regularisation); `alpha` sharpens it.
  /// Word-level vocabularies have one segmentation only and return that.
  virtual std::vector<int32_t> sample(std::string_view line, double alpha, uint64_t seed) const = 0;

  /// Text of a hypothesis; special ids are left out. May hold any character the model can spell, a line feed too
  /// (byte pieces): writers of line-oriented files pass it through one_line() (core/lines.h).
  virtual std::string decode(std::span<const int32_t> ids) const = 0;

  /// The same, piece by piece, with the bytes of decode()'s result that each piece wrote.
  virtual std::vector<Piece> decode_with_offsets(std::span<const int32_t> ids) const = 0;

  virtual int32_t size() const = 0;
  virtual std::string piece(int32_t id) const = 0;

  /// File name for a model directory: "spm" or "vocab".
  virtual std::string extension() const = 0;

  /// The bytes of the file, exactly as load_tokenizer() read them (but for a byte order mark) or training made them
  /// (their SHA-256 is in the checkpoint).
  virtual const std::string& serialized() const = 0;
};

/// Loads a SentencePiece model or a word list (told apart by content). Throws CheckpointError.
std::shared_ptr<const Tokenizer> load_tokenizer(const std::filesystem::path& file);

/// The same from bytes in memory; `name` stands in messages.
std::shared_ptr<const Tokenizer> parse_tokenizer(std::string bytes, const std::string& name);

}  // namespace gloss
