#include "core/file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "core/error.h"
#include "core/text.h"

namespace gloss {
namespace {

constexpr size_t kBufferSize = size_t{1} << 16;
constexpr mode_t kFileMode = 0666;  // the umask takes away from it
constexpr mode_t kPermissions = 0777;
constexpr std::string_view kTemporarySuffix = ".tmp-";

[[noreturn]] void fail(const std::string& path, const std::string& what) {
  throw OutputError(path + ": " + what + ": " + std::strerror(errno));
}

/// Leads to the open file, whether it has a name or not.
std::string link_to(int descriptor) { return "/proc/self/fd/" + std::to_string(descriptor); }

std::string directory_of(const std::string& path) {
  const auto parent = std::filesystem::path(path).parent_path();
  return parent.empty() ? "." : parent.string();
}

/// Says which folder is missing, if that is why no file can be made there.
[[noreturn]] void fail_to_make(const std::string& path) {
  if (errno != ENOENT) fail(path, "cannot be made");
  throw OutputError(path + ": cannot be made: there is no such folder; make the folder " +
                    directory_of(path) + " first");
}

/// A file without a name in the folder, or -1 where that cannot be had or could not get a name later.
int open_nameless(const std::string& folder) {
  const int descriptor = ::open(folder.c_str(), O_WRONLY | O_TMPFILE | O_CLOEXEC, kFileMode);
  if (descriptor < 0 || ::access(link_to(descriptor).c_str(), F_OK) == 0) return descriptor;
  ::close(descriptor);  // no /proc here
  return -1;
}

}  // namespace

bool write_all(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(descriptor, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return false;
    bytes.remove_prefix(static_cast<size_t>(count));
  }
  return true;
}

void sync_directory(const std::string& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return;
  ::fsync(descriptor);
  ::close(descriptor);
}

bool is_atomic_leftover(std::string_view name) {
  const auto begin = name.rfind(kTemporarySuffix);
  return begin != std::string_view::npos &&
         whole_number<uint64_t>(name.substr(begin + kTemporarySuffix.size())).has_value();
}

AtomicFile::AtomicFile(const std::string& path, Durability durability)
    : path_(path),
      temporary_(path + std::string(kTemporarySuffix) + std::to_string(::getpid())),
      durability_(durability) {
  struct stat old {};
  const bool exists = ::stat(path.c_str(), &old) == 0;
  if (exists && S_ISDIR(old.st_mode)) throw OutputError(path + ": is a folder; name a file");
  // A name that cannot be is found now, not after hours of work.
  struct stat ignored {};
  if (::lstat(temporary_.c_str(), &ignored) != 0 && errno != ENOENT) fail(path_, "cannot be made");
  descriptor_ = open_nameless(directory_of(path));
  if (descriptor_ < 0) {
    descriptor_ = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, kFileMode);
    if (descriptor_ < 0) fail_to_make(path_);
    is_named_ = true;
  }
  // What replaces a private file stays private. A file system without modes refuses, and loses nothing by it.
  if (exists && S_ISREG(old.st_mode)) ::fchmod(descriptor_, old.st_mode & kPermissions);
}

AtomicFile::~AtomicFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
  if (is_named_) ::unlink(temporary_.c_str());
}

void AtomicFile::write(std::string_view bytes) {
  buffer_.append(bytes);
  if (buffer_.size() >= kBufferSize) flush();
}

void AtomicFile::flush() {
  if (!write_all(descriptor_, buffer_)) fail(path_, "cannot be written");
  buffer_.clear();
}

/// Only rename() replaces a file, and it needs a name to begin with.
void AtomicFile::give_name() {
  if (is_named_) return;
  ::unlink(temporary_.c_str());  // of a program that had our number and was ended in this place
  is_named_ = true;
  const auto nameless = link_to(descriptor_);
  if (::linkat(AT_FDCWD, nameless.c_str(), AT_FDCWD, temporary_.c_str(), AT_SYMLINK_FOLLOW) == 0) return;
  // A file system without links: the bytes are copied.
  std::error_code error;
  std::filesystem::copy_file(nameless, temporary_, error);
  const int copy = error ? -1 : ::open(temporary_.c_str(), O_WRONLY | O_CLOEXEC);
  if (copy < 0) throw OutputError(path_ + ": cannot be put in place: " + error.message());
  ::close(descriptor_);
  descriptor_ = copy;
}

void AtomicFile::commit() {
  flush();
  give_name();
  if (durability_ == Durability::kSynced && ::fsync(descriptor_) != 0 && errno != EINVAL)
    fail(path_, "cannot be written");
  const int closed = ::close(descriptor_);
  descriptor_ = -1;
  if (closed != 0) fail(path_, "cannot be written");
  if (::rename(temporary_.c_str(), path_.c_str()) != 0) fail(path_, "cannot be put in place");
  is_named_ = false;
  if (durability_ == Durability::kSynced) sync_directory(directory_of(path_));
}

bool is_stdout(const std::string& path) { return path.empty() || path == "-"; }

OutputStream::OutputStream(const std::string& path) : name_(path) {
  if (is_stdout(path)) {
    name_ = "stdout";
    descriptor_ = STDOUT_FILENO;
    return;
  }
  struct stat info {};
  const bool exists = ::stat(path.c_str(), &info) == 0;
  if (!exists || S_ISREG(info.st_mode)) {
    // A link keeps pointing where it did: the file behind it is replaced.
    std::error_code ignored;
    const auto target = exists ? std::filesystem::canonical(path, ignored).string() : path;
    file_ = std::make_unique<AtomicFile>(target.empty() ? path : target);
    return;
  }
  if (S_ISDIR(info.st_mode)) throw OutputError(path + ": is a folder; name a file");
  descriptor_ = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
  if (descriptor_ < 0) fail(name_, "cannot be opened");
  owned_ = true;
}

OutputStream::~OutputStream() {
  if (owned_ && descriptor_ >= 0) ::close(descriptor_);
}

void OutputStream::write(std::string_view bytes) {
  if (file_) {
    file_->write(bytes);
    return;
  }
  buffer_.append(bytes);
  if (buffer_.size() >= kBufferSize) flush();
}

void OutputStream::flush() {
  if (file_) return;  // nobody sees it before close()
  const std::string bytes = std::move(buffer_);
  buffer_.clear();
  if (!write_all(descriptor_, bytes)) fail(name_, "cannot be written");
}

void OutputStream::close() {
  if (file_) {
    file_->commit();
    file_.reset();
    return;
  }
  if (descriptor_ < 0) return;
  flush();
  const int descriptor = descriptor_;
  descriptor_ = -1;
  if (owned_ && ::close(descriptor) != 0) fail(name_, "cannot be written");
}

std::string read_file(const std::string& path) {
  errno = 0;
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) throw DataError(path + ": is a folder; name a file");
  std::ifstream file(path, std::ios::binary);
  std::ostringstream bytes;
  if (!file) throw DataError(path + ": cannot be read: " + std::strerror(errno) + "; check the path");
  if (file.peek() != std::ifstream::traits_type::eof()) bytes << file.rdbuf();
  if (file.bad() || bytes.bad()) throw DataError(path + ": cannot be read: " + std::strerror(errno));
  return std::move(bytes).str();
}

void write_file(const std::string& path, std::string_view bytes) {
  AtomicFile file(path);
  file.write(bytes);
  file.commit();
}

DirectoryLock::DirectoryLock(const std::string& path)
    : file_(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
  if (file_ < 0) fail(path, "cannot be opened");
  if (::flock(file_, LOCK_EX | LOCK_NB) == 0) return;
  ::close(file_);
  throw OutputError(path + ": is in use by another gloss; wait for it or choose another folder");
}

DirectoryLock::~DirectoryLock() { ::close(file_); }

void check_writable_directory(const std::string& path) {
  std::error_code error;
  const std::filesystem::path folder = path.empty() ? "." : path;
  std::filesystem::create_directories(folder, error);
  if (error || !std::filesystem::is_directory(folder))
    throw OutputError(path +
                      ": cannot be made: " + (error ? error.message() : "a file of that name is in the way") +
                      "; choose another folder");
  // Only trying tells: access() answers yes to root whatever the file system says.
  const auto probe = (folder / (".gloss-probe-" + std::to_string(::getpid()))).string();
  const int descriptor = ::open(probe.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, kFileMode);
  if (descriptor < 0) fail(path, "cannot be written to");
  ::close(descriptor);
  ::unlink(probe.c_str());
}

}  // namespace gloss
