#include "checkpoint/attention_metadata.h"

#include "core/error.h"
#include "core/text.h"

namespace gloss {
namespace {

constexpr auto kLayer = "alignment_layer";
constexpr auto kHead = "alignment_head";
constexpr auto kShift = "alignment_shift";

/// 0 where it is not there.
int64_t number(const Metadata& metadata, const std::string& key, const std::string& file) {
  const auto found = metadata.find(key);
  if (found == metadata.end()) return 0;
  const auto value = whole_number<int64_t>(found->second);
  if (!value || *value < 0)
    throw CheckpointError(file + ": its metadata has " + key + " '" + found->second +
                          "', which is no number");
  return *value;
}

}  // namespace

Metadata attention_metadata(const AttentionChoice& choice) {
  return {{kLayer, std::to_string(choice.layer)},
          {kHead, std::to_string(choice.head)},
          {kShift, std::to_string(static_cast<int>(choice.shift))}};
}

AttentionChoice read_attention_metadata(const Metadata& metadata, const AttentionCounts& counts,
                                        const std::string& file) {
  const auto shift = number(metadata, kShift, file);
  const AttentionChoice choice{
      .layer = number(metadata, kLayer, file), .head = number(metadata, kHead, file), .shift = shift != 0};
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
