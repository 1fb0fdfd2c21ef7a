#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace gloss {

/// A nameless file in $TMPDIR (or /tmp) for data that must not grow in memory; the system frees it when the program
/// ends, however it ends. Appending is not thread-safe, reading is. Throws OutputError (disk full).
class Spool {
 public:
  Spool();
  Spool(Spool&& other) noexcept;
  Spool& operator=(Spool&& other) noexcept;
  ~Spool();

  /// Where the bytes will lie.
  uint64_t append(std::string_view bytes);

  /// To be called once between the last append() and the first read().
  void flush();

  void read(uint64_t offset, void* bytes, size_t size) const;

  /// A path that opens the file for reading from its start, while this object lives.
  std::string path() const;

 private:
  int descriptor_ = -1;
  uint64_t size_ = 0;
  std::string buffer_;
};

}  // namespace gloss
