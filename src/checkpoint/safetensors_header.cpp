#include "checkpoint/safetensors_header.h"

#include <algorithm>
#include <array>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "core/error.h"
#include "core/text.h"

namespace gloss {
namespace {

using nlohmann::json;

constexpr std::array<std::pair<const char*, at::ScalarType>, 8> kTypes{{{"F64", at::kDouble},
                                                                        {"F32", at::kFloat},
                                                                        {"F16", at::kHalf},
                                                                        {"BF16", at::kBFloat16},
                                                                        {"I64", at::kLong},
                                                                        {"I32", at::kInt},
                                                                        {"U8", at::kByte},
                                                                        {"BOOL", at::kBool}}};
constexpr size_t kMostAxes = 64;

/// The JSON library keeps the last of two equal keys in silence, and a deep nest costs memory: both are refused here.
json parse_json(std::string_view text, const std::string& file) {
  std::vector<std::set<std::string>> keys;
  const auto check = [&](int depth, json::parse_event_t event, json& value) {
    if (depth > 4) throw_damaged(file, "its header is nested too deeply");
    if (event == json::parse_event_t::object_start) keys.emplace_back();
    if (event == json::parse_event_t::object_end) keys.pop_back();
    if (event == json::parse_event_t::key && !keys.back().insert(value.get<std::string>()).second)
      throw_damaged(file, "its header has '" + printable(value.get<std::string>()) + "' twice");
    return true;
  };
  try {
    return json::parse(text, check);
  } catch (const json::exception& error) {
    throw_damaged(file, "its header is not JSON (" + printable(error.what()) + ")");
  }
}

Metadata read_metadata(const json& object, const std::string& file) {
  if (!object.is_object()) throw_damaged(file, "its __metadata__ is not an object");
  Metadata metadata;
  for (const auto& [key, value] : object.items()) {
    if (!value.is_string()) throw_damaged(file, "its metadata '" + printable(key) + "' is not text");
    metadata.emplace(key, value.get<std::string>());
  }
  return metadata;
}

void check_version(const Metadata& metadata, const std::string& file) {
  const auto found = metadata.find(kFormatKey);
  if (found == metadata.end()) return;  // written by another program: the checks that follow decide
  const auto& text = found->second;
  const auto version = whole_number<int64_t>(text);
  if (!version || *version < 1)
    throw_damaged(file, "its gloss-format is '" + printable(text) + "', not a version number");
  if (*version > kFormatVersion)
    throw CheckpointError(file + ": has format version " + text + ", this gloss reads up to version " +
                          std::to_string(kFormatVersion) +
                          "; update gloss or save the model with an older one");
}

int64_t read_count(const json& value, const std::string& what, const std::string& file) {
  if (!value.is_number_unsigned() ||
      value.get<uint64_t>() > static_cast<uint64_t>(std::numeric_limits<int64_t>::max()))
    throw_damaged(file, what + " is not a whole number in range");
  return value.get<int64_t>();
}

/// Bytes of a tensor. Axes of size 0 are counted as 1 for the overflow check, so that strides cannot overflow either.
int64_t byte_size(const TensorEntry& entry, const std::string& tensor, const std::string& file) {
  auto size = static_cast<int64_t>(c10::elementSize(entry.type));
  bool is_empty = false;
  for (const auto extent : entry.shape) {
    is_empty |= extent == 0;
    if (__builtin_mul_overflow(size, std::max<int64_t>(extent, 1), &size))
      throw_damaged(file, tensor + " has a shape too large for any memory");
  }
  return is_empty ? 0 : size;
}

TensorEntry read_entry(const std::string& name, const json& value, int64_t data_size,
                       const std::string& file) {
  const auto tensor = "tensor '" + printable(name) + "'";
  if (!value.is_object() || value.size() != 3 || !value.contains("dtype") || !value.contains("shape") ||
      !value.contains("data_offsets"))
    throw_damaged(file, tensor + " is not described by dtype, shape and data_offsets");
  TensorEntry entry{.name = name, .type = at::kFloat, .shape = {}, .begin = 0, .end = 0};

  const auto& type = value["dtype"];
  const auto* found = std::find_if(kTypes.begin(), kTypes.end(), [&](const auto& known) {
    return type.is_string() && type == known.first;
  });
  if (found == kTypes.end())
    throw_damaged(file, tensor + " has the type " + printable(type.dump(-1, ' ', true)) +
                            ", which gloss does not read");
  entry.type = found->second;

  const auto& shape = value["shape"];
  if (!shape.is_array() || shape.size() > kMostAxes) throw_damaged(file, tensor + " has no valid shape");
  for (const auto& extent : shape)
    entry.shape.push_back(read_count(extent, tensor + ": an extent of its shape", file));

  const auto& offsets = value["data_offsets"];
  if (!offsets.is_array() || offsets.size() != 2)
    throw_damaged(file, tensor + " has no pair of data_offsets");
  entry.begin = read_count(offsets[0], tensor + ": its first offset", file);
  entry.end = read_count(offsets[1], tensor + ": its second offset", file);
  if (entry.begin > entry.end || entry.end > data_size)
    throw_damaged(file, tensor + " has the offsets " + std::to_string(entry.begin) + " to " +
                            std::to_string(entry.end) + ", but the file has " + std::to_string(data_size) +
                            " bytes of data");
  const auto needed = byte_size(entry, tensor, file);
  if (needed != entry.end - entry.begin)
    throw_damaged(file, tensor + " needs " + std::to_string(needed) + " bytes, but its offsets span " +
                            std::to_string(entry.end - entry.begin));
  return entry;
}

}  // namespace

std::string safetensors_type_name(at::ScalarType type) {
  for (const auto& [name, known] : kTypes)
    if (known == type) return name;
  throw UsageError(std::string("tensors of type ") + c10::toString(type) +
                   " cannot be saved; convert them to float32");
}

std::string printable(const std::string& text) {
  constexpr size_t kMost = 100;
  const auto shown = json(text).dump(-1, ' ', true, json::error_handler_t::replace);
  const auto inner = shown.substr(1, shown.size() - 2);
  return inner.size() > kMost ? inner.substr(0, kMost) + "..." : inner;
}

void throw_damaged(const std::string& file, const std::string& fault) {
  throw CheckpointError(
      file + ": " + fault +
      "; the file is damaged or not a safetensors file, restore it or use an earlier checkpoint");
}

SafetensorsHeader parse_safetensors_header(std::string_view text, int64_t data_size,
                                           const std::string& file) {
  const auto object = parse_json(text, file);
  if (!object.is_object()) throw_damaged(file, "its header is not a JSON object");
  SafetensorsHeader header;
  if (const auto found = object.find("__metadata__"); found != object.end())
    header.metadata = read_metadata(*found, file);
  check_version(header.metadata, file);
  for (const auto& [name, value] : object.items())
    if (name != "__metadata__") header.entries.push_back(read_entry(name, value, data_size, file));

  std::sort(header.entries.begin(), header.entries.end(),
            [](const TensorEntry& left, const TensorEntry& right) {
              return std::pair(left.begin, left.end) < std::pair(right.begin, right.end);
            });
  int64_t expected = 0;
  for (const auto& entry : header.entries) {
    if (entry.begin != expected)
      throw_damaged(file, "tensor '" + printable(entry.name) + "' begins at byte " +
                              std::to_string(entry.begin) + " of the data, " +
                              (entry.begin < expected ? "inside another" : "after a gap") + " (expected " +
                              std::to_string(expected) + ")");
    expected = entry.end;
  }
  if (expected != data_size)
    throw_damaged(file, std::to_string(data_size - expected) + " bytes at its end belong to no tensor");
  return header;
}

}  // namespace gloss
