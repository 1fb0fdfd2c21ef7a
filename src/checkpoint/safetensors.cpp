#include "checkpoint/safetensors.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
#include <vector>

#include "checkpoint/safetensors_header.h"
#include "core/error.h"
#include "core/file.h"

namespace gloss {
namespace {

constexpr size_t kLengthSize = 8;

std::string header_length_bytes(uint64_t length) {
  std::string bytes(kLengthSize, '\0');
  for (auto& byte : bytes) {
    byte = static_cast<char>(length & 0xff);
    length >>= 8;
  }
  return bytes;
}

/// A file opened for reading whose header is checked; the stream stands at the first byte of data.
struct OpenFile {
  std::ifstream stream;
  SafetensorsHeader header;
};

OpenFile open_safetensors(const std::filesystem::path& path) {
  const auto file = path.string();
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error))
    throw CheckpointError(file + ": no such file; check the path of the model directory");
  OpenFile open{.stream = std::ifstream(path, std::ios::binary), .header = {}};
  const auto size = std::filesystem::file_size(path, error);
  if (!open.stream || error)
    throw CheckpointError(file + ": cannot be read (" + std::strerror(errno) + "); check its permissions");

  std::array<unsigned char, kLengthSize> length_bytes{};
  if (size < kLengthSize || !open.stream.read(reinterpret_cast<char*>(length_bytes.data()), kLengthSize))
    throw_damaged(file, "has " + std::to_string(size) + " bytes, too few for a header");
  uint64_t length = 0;
  for (size_t i = kLengthSize; i-- > 0;) length = length << 8 | length_bytes[i];
  if (length > kLargestHeader || length > size - kLengthSize)
    throw_damaged(
        file, "claims a header of " + std::to_string(length) + " bytes in a file of " + std::to_string(size));
  std::string text(length, '\0');
  if (!open.stream.read(text.data(), static_cast<std::streamsize>(length)))
    throw_damaged(file, "ends inside its header");
  open.header = parse_safetensors_header(text, static_cast<int64_t>(size - kLengthSize - length), file);
  return open;
}

}  // namespace

void write_safetensors(const std::filesystem::path& file, const NamedTensors& tensors, Metadata metadata) {
  // Large types first keeps every tensor aligned to its type, as other readers expect.
  std::vector<const NamedTensors::value_type*> order;
  for (const auto& item : tensors) order.push_back(&item);
  std::stable_sort(order.begin(), order.end(), [](const auto* left, const auto* right) {
    return left->second.element_size() > right->second.element_size();
  });

  metadata[kFormatKey] = std::to_string(kFormatVersion);
  nlohmann::json header{{"__metadata__", metadata}};
  int64_t offset = 0;
  for (const auto* item : order) {
    const auto& [name, tensor] = *item;
    const auto end = offset + static_cast<int64_t>(tensor.nbytes());
    header[name] = {{"dtype", safetensors_type_name(tensor.scalar_type())},
                    {"shape", tensor.sizes().vec()},
                    {"data_offsets", {offset, end}}};
    offset = end;
  }
  auto text = header.dump();
  text.resize((text.size() + kLengthSize - 1) / kLengthSize * kLengthSize, ' ');

  AtomicFile output(file.string());
  output.write(header_length_bytes(text.size()));
  output.write(text);
  for (const auto* item : order) {
    const auto plain = item->second.detach().cpu().contiguous();
    output.write({static_cast<const char*>(plain.const_data_ptr()), plain.nbytes()});
  }
  output.commit();
}

SafetensorsFile read_safetensors(const std::filesystem::path& path) {
  auto open = open_safetensors(path);
  SafetensorsFile result;
  for (const auto& entry : open.header.entries) {
    auto tensor = at::empty(entry.shape, at::TensorOptions(entry.type));
    auto* data = static_cast<char*>(tensor.mutable_data_ptr());
    const auto size = entry.end - entry.begin;
    if (size > 0 && !open.stream.read(data, size))
      throw_damaged(path.string(), "ends inside tensor '" + printable(entry.name) + "'");
    if (entry.type == at::kBool &&
        std::any_of(data, data + size, [](char byte) { return byte != 0 && byte != 1; }))
      throw_damaged(path.string(),
                    "tensor '" + printable(entry.name) + "' holds a truth value other than 0 and 1");
    result.tensors.emplace(entry.name, std::move(tensor));
  }
  result.metadata = std::move(open.header.metadata);
  return result;
}

Metadata check_safetensors(const std::filesystem::path& path) {
  return open_safetensors(path).header.metadata;
}

}  // namespace gloss
