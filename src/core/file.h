#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace gloss {

/// Does the name of an input stand for standard input: "", "-" or /dev/stdin?
bool is_stdin(const std::string& path);

/// Does the name of an output stand for standard output: "" or "-"?
bool is_stdout(const std::string& path);

/// What messages call an input: its path, or "stdin".
std::string input_name(const std::string& path);

/// Reads lines of a file or of stdin. Gzip is recognised by its first bytes, not by the name.
///
/// A line ends at LF only; one CR before it is dropped, and a byte order mark at the start of the file. All else
/// (NUL, tabs, U+2028, U+0085) stays in the line. The last line needs no LF.
/// Throws DataError, naming the file, when it cannot be read, its gzip data is damaged or cut, or it begins like a file
/// of another packer or of UTF-16.
class LineReader {
 public:
  explicit LineReader(const std::string& path);
  LineReader(LineReader&&) noexcept;
  LineReader& operator=(LineReader&&) noexcept;
  ~LineReader();

  /// False at the end of the file.
  bool next(std::string& line);

  /// Waits until next() would not block: a whole line is there, or the end of the file. False when `limit` is up.
  bool wait(std::chrono::milliseconds limit);

  /// 1-based number of the line that next() gave last; 0 before the first.
  int64_t number() const;

  /// For messages: input_name() of the path.
  const std::string& name() const;

 private:
  class Source;
  std::unique_ptr<Source> source_;
};

/// Number of lines as LineReader counts them.
int64_t count_lines(const std::string& path);

enum class Durability {
  kSynced,   ///< on the disk when commit() returns: whole even after a power cut
  kRenamed,  ///< whole as long as the system runs; for files that are many and soon made again
};

/// A file that appears under its name only when it is whole. Until commit() it has no name, and nothing is left of it
/// when the program ends before; where the file system cannot do that, it is called PATH.tmp-<pid> meanwhile, which the
/// destructor removes. A file that it replaces leaves it its permissions. Throws OutputError naming the path.
class AtomicFile {
 public:
  explicit AtomicFile(const std::string& path, Durability durability = Durability::kSynced);
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;
  ~AtomicFile();

  void write(std::string_view bytes);
  void commit();

 private:
  void flush();
  void give_name();

  std::string path_;
  std::string temporary_;
  Durability durability_;
  bool is_named_ = false;  // temporary_ exists
  std::string buffer_;
  int descriptor_ = -1;
};

/// Is this the name of a file (without its folder) that an interrupted AtomicFile left behind?
bool is_atomic_leftover(std::string_view name);

/// Results: stdout, a file or a device. A regular file appears under its name only after close().
/// A closed pipe ends the program by SIGPIPE, as usual. Throws OutputError.
class OutputStream {
 public:
  explicit OutputStream(const std::string& path);
  OutputStream(const OutputStream&) = delete;
  OutputStream& operator=(const OutputStream&) = delete;
  ~OutputStream();

  void write(std::string_view bytes);
  void flush();

  /// Must be called: reports the last failed write, and puts a regular file in its place.
  void close();

 private:
  std::string name_;
  std::unique_ptr<AtomicFile> file_;  // set for a regular file
  std::string buffer_;
  int descriptor_ = -1;
  bool owned_ = false;
};

/// Whole file as bytes, as it is (no gzip, no CR handling). Throws DataError.
std::string read_file(const std::string& path);

/// Atomic, durable. Throws OutputError.
void write_file(const std::string& path, std::string_view bytes);

/// Writes all bytes to a descriptor, however many calls that takes. False: failed, and errno says why.
[[nodiscard]] bool write_all(int descriptor, std::string_view bytes);

/// Makes renames in the folder durable. Some file systems refuse to sync a folder: then nothing more can be done.
void sync_directory(const std::string& path);

/// Holds a folder for this process until destroyed; the system lets go of it if the process dies.
/// Throws OutputError when another process holds it, or the folder cannot be opened.
class DirectoryLock {
 public:
  explicit DirectoryLock(const std::string& path);
  DirectoryLock(const DirectoryLock&) = delete;
  DirectoryLock& operator=(const DirectoryLock&) = delete;
  ~DirectoryLock();

 private:
  int file_;
};

/// Makes the folder with its parents and tries to write a file in it. Throws OutputError.
void check_writable_directory(const std::string& path);

}  // namespace gloss
