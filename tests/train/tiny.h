#pragma once

#include <atomic>
#include <filesystem>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "core/random.h"
#include "core/special_tokens.h"
#include "data/corpus.h"
#include "kernels/dropout.h"
#include "model/seq2seq.h"
#include "support/files.h"
#include "text/train_tokenizer.h"
#include "train/trainer.h"

/// Small things to train: a model of a few hundred weights, a corpus, a vocabulary.
namespace gloss::tiny {

inline constexpr int32_t kVocabulary = 17;

/// Word i is "wi".
class Words : public Tokenizer {
 public:
  std::vector<int32_t> encode(std::string_view) const override { return {}; }
  std::vector<Piece> encode_with_offsets(std::string_view) const override { return {}; }
  std::vector<int32_t> sample(std::string_view, double, uint64_t) const override { return {}; }
  std::string decode(std::span<const int32_t> ids) const override {
    std::string text;
    for (const auto id : ids) text.append(text.empty() ? "" : " ").append(piece(id));
    return text;
  }
  std::vector<Piece> decode_with_offsets(std::span<const int32_t>) const override { return {}; }
  int32_t size() const override { return kVocabulary; }
  std::string piece(int32_t id) const override { return std::string("w").append(std::to_string(id)); }
  std::string extension() const override { return "vocab"; }
  const std::string& serialized() const override { return bytes_; }

 private:
  std::string bytes_ = "seventeen words";
};

inline Tokenizers words() {
  const auto tokenizer = std::make_shared<Words>();
  return {.source = tokenizer, .target = tokenizer, .shared = true};
}

/// The next word hangs on the last one and on the mean of the source:  h_t = tanh(E y_{t-1} + mean_j F x_j).
class Model : public Seq2Seq {
 public:
  explicit Model(double dropout = 0.0, int64_t size = 8)
      : Seq2Seq(OutputLayer(size, kVocabulary)),
        source(register_parameter("source", at::randn({kVocabulary, size}) * 0.3)),
        target(register_parameter("target", at::randn({kVocabulary, size}) * 0.3)),
        dropout_(dropout) {}

  Memory encode(const Tensor& ids, const Tensor& lengths) override {
    if (is_training()) ++encoded;
    const auto mask = ids != kPad;
    const auto words = at::embedding(source, ids) * mask.unsqueeze(-1);
    const auto mean = words.sum(1) / lengths.to(words.scalar_type()).unsqueeze(-1);
    return {
        .mask = mask, .lengths = lengths, .parts = {{"mean", seeded_dropout(mean, dropout_, is_training())}}};
  }

  DecoderState start(const Memory& memory, int64_t beam) override {
    return {{{"none", at::zeros({memory.mask.size(0), beam, 1})}}};
  }

  Step step(const Memory& memory, const Tensor& previous, const DecoderState& state,
            const std::optional<AttentionChoice>&) override {
    auto hidden = at::tanh(at::embedding(target, previous) + memory.parts.at("mean").unsqueeze(1));
    if (is_training() && encoded >= poison_from && encoded < poison_to) hidden = hidden * poison;
    return {.hidden = seeded_dropout(hidden, dropout_, is_training()), .attention = {}, .state = state};
  }

  Tensor source, target;
  std::atomic<int64_t> encoded = 0;  ///< batches seen in training
  int64_t poison_from = 1'000'000;   ///< batches [from, to) give gradients that are not finite
  int64_t poison_to = 1'000'000;
  double poison = std::numeric_limits<double>::quiet_NaN();

 private:
  double dropout_;
};

/// Pairs of 1 to 7 words; each target word follows from the one before and from the source's first word.
inline std::vector<EncodedPair> pairs(int64_t count, uint64_t seed = 1) {
  Random random(seed);
  std::vector<EncodedPair> result;
  for (int64_t line = 0; line < count; ++line) {
    EncodedPair pair{.source = {}, .target = {}, .line = line};
    const auto draw = [&] { return static_cast<int32_t>(4 + random.below(kVocabulary - 4)); };
    for (uint64_t n = 1 + random.below(7); n > 0; --n) pair.source.push_back(draw());
    int32_t word = pair.source.front();
    for (uint64_t n = 1 + random.below(7); n > 0; --n)
      pair.target.push_back(word = 4 + (word * 3 + 1) % (kVocabulary - 4));
    result.push_back(std::move(pair));
  }
  return result;
}

inline EncodedCorpus corpus(int64_t count) {
  EncodedCorpus result;
  for (const auto& pair : pairs(count)) result.append(pair);
  result.finish();
  return result;
}

inline ValidationSet validation(int64_t count) {
  ValidationSet set;
  const Words words;
  for (auto& pair : pairs(count, 2)) {
    set.source.push_back(words.decode(pair.source));
    set.target.push_back(words.decode(pair.target));
    set.pairs.push_back(std::move(pair));
    set.in_loss.push_back(true);
  }
  return set;
}

inline TrainSettings settings(const std::filesystem::path& directory, int64_t updates) {
  TrainSettings result;
  result.train.model = directory.string();
  result.train.updates = updates;
  result.train.warmup = 5;
  result.train.learning_rate = 0.02;
  result.train.report_every = 5;
  result.train.valid_every = 0;
  result.train.save_every = 0;
  result.data.batch_tokens = 64;
  result.progress_bar = false;
  result.stop = [] { return 0; };
  return result;
}

inline std::vector<nlohmann::json> record(const std::filesystem::path& directory) {
  std::ifstream stream(directory / "train.jsonl");
  std::vector<nlohmann::json> lines;
  for (std::string line; std::getline(stream, line);) lines.push_back(nlohmann::json::parse(line));
  return lines;
}

/// The record without what the clock decides.
inline std::vector<nlohmann::json> timeless_record(const std::filesystem::path& directory) {
  auto lines = record(directory);
  for (auto& line : lines)
    for (const auto* key : {"elapsed", "target_tokens_per_second", "source_tokens_per_second", "memory_mib"})
      line.erase(key);
  return lines;
}

inline bool same_weights(const torch::nn::Module& a, const torch::nn::Module& b) {
  const auto left = a.parameters(), right = b.parameters();
  if (left.size() != right.size()) return false;
  for (size_t i = 0; i < left.size(); ++i)
    if (!at::equal(left[i], right[i])) return false;
  return true;
}

}  // namespace gloss::tiny
