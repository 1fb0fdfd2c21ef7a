#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "checkpoint/safetensors.h"

namespace gloss {

/// One tensor as the header of a file describes it.
struct TensorEntry {
  std::string name;
  at::ScalarType type;
  std::vector<int64_t> shape;
  int64_t begin;  ///< bytes from the start of the data, end exclusive
  int64_t end;
};

struct SafetensorsHeader {
  std::vector<TensorEntry> entries;  ///< in the order of their data, which they fill without gap or overlap
  Metadata metadata;
};

/// Name in the format ("F32"). Throws UsageError for a type it does not have.
std::string safetensors_type_name(at::ScalarType type);

/// Largest header accepted, as in the format's own reader: 100 MB.
inline constexpr uint64_t kLargestHeader = 100'000'000;

/// Reads and checks the JSON part. \param data_size bytes that follow it
/// Throws CheckpointError; `file` stands in the message.
SafetensorsHeader parse_safetensors_header(std::string_view json, int64_t data_size, const std::string& file);

/// Text from a file made fit for a message: control characters escaped, cut at 100 bytes.
std::string printable(const std::string& text);

/// The error for a damaged file, with the way to mend it.
[[noreturn]] void throw_damaged(const std::string& file, const std::string& fault);

}  // namespace gloss
