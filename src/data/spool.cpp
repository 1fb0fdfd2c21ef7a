#include "data/spool.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "core/error.h"
#include "core/file.h"

namespace gloss {
namespace {

constexpr size_t kBufferSize = size_t{1} << 20;

std::string folder() {
  const char* chosen = std::getenv("TMPDIR");
  return chosen != nullptr && *chosen != '\0' ? chosen : "/tmp";
}

[[noreturn]] void fail(const std::string& what) {
  throw OutputError(folder() + ": " + what + ": " + std::strerror(errno) +
                    "; choose another folder for temporary files with TMPDIR");
}

}  // namespace

Spool::Spool() {
  std::string name = folder() + "/gloss-XXXXXX";
  descriptor_ = ::mkostemp(name.data(), O_CLOEXEC);
  if (descriptor_ < 0) fail("no temporary file can be made");
  ::unlink(name.c_str());
}

Spool::Spool(Spool&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)),
      size_(other.size_),
      buffer_(std::move(other.buffer_)) {}

Spool& Spool::operator=(Spool&& other) noexcept {
  std::swap(descriptor_, other.descriptor_);
  std::swap(size_, other.size_);
  std::swap(buffer_, other.buffer_);
  return *this;
}

Spool::~Spool() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

uint64_t Spool::append(std::string_view bytes) {
  const uint64_t offset = size_;
  buffer_.append(bytes);
  size_ += bytes.size();
  if (buffer_.size() >= kBufferSize) flush();
  return offset;
}

void Spool::flush() {
  if (!write_all(descriptor_, buffer_)) fail("a temporary file cannot be written");
  buffer_.clear();
}

void Spool::read(uint64_t offset, void* bytes, size_t size) const {
  char* to = static_cast<char*>(bytes);
  while (size > 0) {
    const ssize_t count = ::pread(descriptor_, to, size, static_cast<off_t>(offset));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) fail("a temporary file cannot be read");
    to += count;
    size -= static_cast<size_t>(count);
    offset += static_cast<uint64_t>(count);
  }
}

std::string Spool::path() const { return "/proc/self/fd/" + std::to_string(descriptor_); }

}  // namespace gloss
