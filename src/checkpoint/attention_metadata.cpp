#include "checkpoint/attention_metadata.h"

#include <charconv>

#include "core/error.h"

namespace gloss {
namespace {

constexpr auto kLayer = "alignment_layer";
constexpr auto kHead = "alignment_head";
constexpr auto kShift = "alignment_shift";

int64_t number(const Metadata& metadata, const std::string& key, int64_t without, const std::string& file) {
  const auto found = metadata.find(key);
  if (found == metadata.end()) return without;
  const auto& text = found->second;
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 0)
    throw CheckpointError(file + ": its metadata has " + key + " '" + text + "', which is no number");
  return value;
}

}  // namespace

Metadata attention_metadata(const AttentionChoice& choice) {
  return {{kLayer, std::to_string(choice.layer)},
          {kHead, std::to_string(choice.head)},
          {kShift, std::to_string(static_cast<int>(choice.shift))}};
}

AttentionChoice read_attention_metadata(const Metadata& metadata, const AttentionChoice& otherwise,
                                        const AttentionCounts& counts, const std::string& file) {
  const auto shift = number(metadata, kShift, static_cast<int64_t>(otherwise.shift), file);
  const AttentionChoice choice{.layer = number(metadata, kLayer, otherwise.layer, file),
                               .head = number(metadata, kHead, otherwise.head, file),
                               .shift = shift != 0};
  if (shift > 1)
    throw CheckpointError(file + ": its metadata has " + kShift + " '" + std::to_string(shift) +
                          "', which should be 0 or 1");
  try {
    check_attention(choice, counts);
  } catch (const UsageError& error) {
    throw CheckpointError(file + ": its metadata does not fit the model: " + error.what());
  }
  return choice;
}

}  // namespace gloss
