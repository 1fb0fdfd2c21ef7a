#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "torch.h"

namespace gloss {

using NamedTensors = std::map<std::string, Tensor>;
using Metadata = std::map<std::string, std::string>;

/// The newest file layout this program writes and reads; stored as metadata "gloss-format".
inline constexpr int64_t kFormatVersion = 1;
inline constexpr const char* kFormatKey = "gloss-format";

struct SafetensorsFile {
  NamedTensors tensors;
  Metadata metadata;
};

/// Writes tensors in the open safetensors format (8 bytes header length, JSON header, raw little-endian data), under
/// the final name only when whole. Types: F64 F32 F16 BF16 I64 I32 U8 BOOL. Tensors on a GPU are copied one by one.
/// Throws OutputError.
void write_safetensors(const std::filesystem::path& file, const NamedTensors& tensors,
                       Metadata metadata = {});

/// Reads a file into CPU tensors of their own. Nothing in it is believed: lengths, names, types, shapes and offsets
/// are checked against each other and the file's size before memory is asked for.
/// Throws CheckpointError that names the file and the fault.
SafetensorsFile read_safetensors(const std::filesystem::path& file);

/// The same checks without reading the tensors: is the file whole? Throws CheckpointError.
Metadata check_safetensors(const std::filesystem::path& file);

}  // namespace gloss
