#include "text/sentencepiece_tokenizer.h"

#include <sentencepiece_processor.h>

#include <algorithm>
#include <exception>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <utility>

#include "core/error.h"
#include "core/random.h"
#include "core/special_tokens.h"

namespace gloss {
namespace {

void check(const sentencepiece::util::Status& status) {
  if (!status.ok()) throw std::runtime_error("SentencePiece: " + status.ToString());
}

class SentencePieceTokenizer final : public Tokenizer {
 public:
  SentencePieceTokenizer(std::string bytes, const std::string& name) : bytes_(std::move(bytes)) {
    const auto status = processor_.LoadFromSerializedProto(bytes_);
    if (!status.ok())
      throw CheckpointError(name + ": is neither a SentencePiece model nor a word list (" +
                            status.ToString() + "); copy it again, or name another file");
    if (processor_.pad_id() != kPad || processor_.unk_id() != kUnk || processor_.bos_id() != kBos ||
        processor_.eos_id() != kEos)
      throw CheckpointError(
          name + ": special ids are pad " + std::to_string(processor_.pad_id()) + ", unk " +
          std::to_string(processor_.unk_id()) + ", bos " + std::to_string(processor_.bos_id()) + ", eos " +
          std::to_string(processor_.eos_id()) +
          ", but gloss needs 0, 1, 2, 3; train the model with --pad_id=0 --unk_id=1 --bos_id=2 "
          "--eos_id=3 (spm_train), or let gloss train one");
  }

  std::vector<int32_t> encode(std::string_view line) const override {
    std::vector<int> ids;
    check(processor_.Encode(line, &ids));
    return ordinary(ids);
  }

  std::vector<Piece> encode_with_offsets(std::string_view line) const override {
    sentencepiece::ImmutableSentencePieceText text;
    check(processor_.Encode(line, text.mutable_proto()));
    return pieces_of(text, line.size());
  }

  std::vector<int32_t> sample(std::string_view line, double alpha, uint64_t seed) const override {
    // SentencePiece keeps one generator a thread, seeded when the thread first draws: only a new thread makes the
    // draw depend on the seed alone.
    static std::mutex one_seed_at_a_time;
    const std::lock_guard lock(one_seed_at_a_time);
    std::vector<int> ids;
    std::exception_ptr failure;
    std::thread([&] {
      try {
        sentencepiece::SetRandomGeneratorSeed(static_cast<unsigned int>(mix(seed, 0) >> 33));
        check(processor_.SampleEncode(line, /*nbest_size=*/-1, static_cast<float>(alpha), &ids));
      } catch (...) {
        failure = std::current_exception();
      }
    }).join();
    if (failure) std::rethrow_exception(failure);
    return ordinary(ids);
  }

  std::string decode(std::span<const int32_t> ids) const override {
    std::string text;
    check(processor_.Decode(without_specials(ids), &text));
    return text;
  }

  std::vector<Piece> decode_with_offsets(std::span<const int32_t> ids) const override {
    sentencepiece::ImmutableSentencePieceText text;
    check(processor_.Decode(without_specials(ids), text.mutable_proto()));
    auto written = pieces_of(text, text.text().size());
    if (written.size() == ids.size()) return written;
    std::vector<Piece> all;
    size_t next = 0;
    for (const int32_t id : ids) {
      const size_t at = next < written.size() ? written[next].begin : text.text().size();
      all.push_back(is_special(id) ? Piece{id, piece(id), at, at} : written.at(next++));
    }
    return all;
  }

  int32_t size() const override { return processor_.GetPieceSize(); }
  std::string piece(int32_t id) const override {
    check_range(id);
    return processor_.IdToPiece(id);
  }
  std::string extension() const override { return "spm"; }
  const std::string& serialized() const override { return bytes_; }

 private:
  void check_range(int32_t id) const {
    if (id < 0 || id >= size())
      throw std::out_of_range("piece id " + std::to_string(id) + " is not below " + std::to_string(size()));
  }

  std::vector<int> without_specials(std::span<const int32_t> ids) const {
    std::vector<int> kept;
    for (const int32_t id : ids) {
      check_range(id);
      if (!is_special(id)) kept.push_back(id);
    }
    return kept;
  }

  static std::vector<int32_t> ordinary(const std::vector<int>& ids) {
    std::vector<int32_t> result(ids.begin(), ids.end());
    for (int32_t& id : result)
      if (is_special(id)) id = kUnk;
    return result;
  }

  std::vector<Piece> pieces_of(const sentencepiece::ImmutableSentencePieceText& text, size_t size) const {
    std::vector<Piece> pieces;
    for (const auto& part : text.pieces()) {
      const int32_t id = static_cast<int32_t>(part.id());
      pieces.push_back({is_special(id) ? kUnk : id, part.piece(), std::min<size_t>(part.begin(), size),
                        std::min<size_t>(part.end(), size)});
    }
    // SentencePiece gives the bytes of a character to the last of its byte pieces.
    for (size_t i = pieces.size(); i-- > 1;) {
      Piece& part = pieces[i - 1];
      const Piece& behind = pieces[i];
      if (part.begin == part.end && behind.begin == part.end && processor_.IsByte(part.id) &&
          processor_.IsByte(behind.id))
        part.end = behind.end;
    }
    return pieces;
  }

  std::string bytes_;
  sentencepiece::SentencePieceProcessor processor_;
};

}  // namespace

std::shared_ptr<const Tokenizer> make_sentencepiece_tokenizer(std::string bytes, const std::string& name) {
  return std::make_shared<SentencePieceTokenizer>(std::move(bytes), name);
}

}  // namespace gloss
