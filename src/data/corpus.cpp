#include "data/corpus.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <utility>

#include "core/error.h"
#include "core/parallel.h"
#include "core/unicode.h"

namespace gloss {
namespace {

constexpr size_t kChunkPairs = 8192;
constexpr size_t kPiecePairs = 64;  // what a thread takes at a time
constexpr int64_t kFaultsNamed = 5;

std::string_view bytes_of(const std::vector<int32_t>& ids) {
  return {reinterpret_cast<const char*>(ids.data()), ids.size() * sizeof(int32_t)};
}

/// Replaces what is no UTF-8; the first few lines are named, the others counted.
void mend(std::string& line, const std::string& file, int64_t number, CorpusCounts& counts) {
  if (valid_utf8(line)) return;
  line = replace_invalid_utf8(line);
  if (++counts.invalid_utf8 <= kFaultsNamed)
    spdlog::warn("{}:{}: bytes that are not UTF-8, replaced by U+FFFD", file, number);
}

void mend(LinePair& pair, CorpusCounts& counts) {
  mend(pair.source, pair.source_file, pair.file_line, counts);
  mend(pair.target, pair.target_file, pair.file_line, counts);
}

void report_invalid(const CorpusCounts& counts, const std::string& name) {
  if (counts.invalid_utf8 > kFaultsNamed)
    spdlog::warn("{}: {} lines in all held bytes that are not UTF-8", name, counts.invalid_utf8);
}

enum class Fate { kKept, kEmpty, kTooLong };

Fate fate_of(const EncodedPair& pair, int64_t max_length, CorpusCounts& counts) {
  ++counts.pairs;
  const auto longest = static_cast<int64_t>(std::max(pair.source.size(), pair.target.size()));
  if (pair.source.empty() || pair.target.empty()) {
    ++counts.empty;
    return Fate::kEmpty;
  }
  if (longest > max_length) {
    ++counts.too_long;
    return Fate::kTooLong;
  }
  ++counts.kept;
  return Fate::kKept;
}

[[noreturn]] void throw_nothing_left(const ParallelText& text, const CorpusCounts& counts,
                                     int64_t max_length) {
  throw DataError(text.name() + ": no pair is left of " + std::to_string(counts.pairs) + ": " +
                  std::to_string(counts.empty) + " have an empty side, " + std::to_string(counts.too_long) +
                  " are longer than " + std::to_string(max_length) + " pieces; see --max-length");
}

EncodedPair encode(const LinePair& lines, const Tokenizers& tokenizers) {
  return {tokenizers.source->encode(lines.source), tokenizers.target->encode(lines.target), lines.number};
}

std::vector<EncodedPair> encode_chunk(const std::vector<LinePair>& lines, const Tokenizers& tokenizers,
                                      int64_t threads) {
  std::vector<EncodedPair> pairs(lines.size());
  in_parallel(lines.size(), kPiecePairs, threads, [&](size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) pairs[i] = encode(lines[i], tokenizers);
  });
  return pairs;
}

}  // namespace

void EncodedCorpus::append(const EncodedPair& pair) {
  const auto add = [this](std::string_view bytes) {
    sha256_.add(std::to_string(bytes.size()) + ' ');
    sha256_.add(bytes);
    return ids_.append(bytes);
  };
  const uint64_t offset = add({reinterpret_cast<const char*>(&pair.line), sizeof pair.line});
  add(bytes_of(pair.source));
  add(bytes_of(pair.target));
  index_.push_back(
      {offset, static_cast<uint32_t>(pair.source.size()), static_cast<uint32_t>(pair.target.size())});
}

void EncodedCorpus::finish() {
  ids_.flush();
  digest_ = sha256_.hex();
}

EncodedPair EncodedCorpus::pair(size_t i) const {
  const Entry& entry = index_.at(i);
  EncodedPair pair;
  std::vector<int32_t> ids(size_t{entry.source_length} + entry.target_length);
  ids_.read(entry.offset, &pair.line, sizeof pair.line);
  ids_.read(entry.offset + sizeof pair.line, ids.data(), ids.size() * sizeof(int32_t));
  const auto middle = ids.begin() + entry.source_length;
  pair.source.assign(ids.begin(), middle);
  pair.target.assign(middle, ids.end());
  return pair;
}

EncodedCorpus encode_corpus(const ParallelText& text, const Tokenizers& tokenizers, int64_t max_length,
                            int64_t threads) {
  EncodedCorpus corpus;
  CorpusCounts counts;
  std::vector<LinePair> chunk;
  const auto flush = [&] {
    for (const auto& pair : encode_chunk(chunk, tokenizers, threads))
      if (fate_of(pair, max_length, counts) == Fate::kKept) corpus.append(pair);
    chunk.clear();
  };
  text.for_each([&](LinePair& pair) {
    mend(pair, counts);
    chunk.push_back(pair);
    if (chunk.size() == kChunkPairs) flush();
    return true;
  });
  flush();
  corpus.finish();
  report_invalid(counts, text.name());
  spdlog::info("{}: {} of {} pairs kept; left out: {} with an empty side, {} longer than {} pieces",
               text.name(), counts.kept, counts.pairs, counts.empty, counts.too_long, max_length);
  if (counts.kept == 0) throw_nothing_left(text, counts, max_length);
  return corpus;
}

ValidationSet load_validation_set(const ParallelText& text, const Tokenizers& tokenizers,
                                  int64_t max_length) {
  ValidationSet set;
  Sha256 sha256;
  text.for_each([&](LinePair& pair) {
    mend(pair, set.counts);
    set.pairs.push_back(encode(pair, tokenizers));
    set.in_loss.push_back(fate_of(set.pairs.back(), max_length, set.counts) == Fate::kKept);
    for (const auto* line : {&pair.source, &pair.target}) sha256.add(*line + "\n");
    set.source.push_back(pair.source);
    set.target.push_back(pair.target);
    return true;
  });
  report_invalid(set.counts, text.name());
  set.digest = sha256.hex();
  if (set.counts.kept < set.counts.pairs)
    spdlog::info("{}: {} of {} pairs in the loss; left out: {} with an empty side, {} longer than {} pieces",
                 text.name(), set.counts.kept, set.counts.pairs, set.counts.empty, set.counts.too_long,
                 max_length);
  if (set.counts.kept == 0) throw_nothing_left(text, set.counts, max_length);
  return set;
}

}  // namespace gloss
