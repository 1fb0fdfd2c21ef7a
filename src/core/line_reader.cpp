#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>
#include <vector>

#include "core/error.h"
#include "core/file.h"
#include "core/text_file.h"
#include "core/unicode.h"

namespace gloss {
namespace {

constexpr size_t kChunk = size_t{1} << 16;

/// zlib's streaming inflater; a file may hold several gzip members one after the other.
class Inflater {
 public:
  Inflater() {
    constexpr int kGzipOnly = 15 + 16;
    if (inflateInit2(&stream_, kGzipOnly) != Z_OK) throw DataError("zlib cannot start");
  }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;
  ~Inflater() { inflateEnd(&stream_); }

  void append(std::vector<char>& input, size_t size, std::string& output, const std::string& name) {
    stream_.next_in = reinterpret_cast<Bytef*>(input.data());
    stream_.avail_in = static_cast<uInt>(size);
    std::vector<char> block(kChunk);
    while (true) {
      if (at_member_end_) {
        if (stream_.avail_in == 0) return;
        inflateReset(&stream_);
        at_member_end_ = false;
      }
      stream_.next_out = reinterpret_cast<Bytef*>(block.data());
      stream_.avail_out = static_cast<uInt>(block.size());
      const int status = inflate(&stream_, Z_NO_FLUSH);
      output.append(block.data(), block.size() - stream_.avail_out);
      if (status == Z_STREAM_END)
        at_member_end_ = true;
      else if (status != Z_OK && status != Z_BUF_ERROR)
        throw DataError(name + ": damaged gzip data; pack the file again");
      else if (stream_.avail_out != 0)
        return;  // all input used
    }
  }
  bool complete() const { return at_member_end_; }

 private:
  z_stream stream_{};
  bool at_member_end_ = false;
};

/// What is no text, though it would pass for one: told by its first bytes.
struct Foreign {
  std::string_view begin;
  const char* what;
};
constexpr std::array kForeign{Foreign{{"\xFD\x37zXZ\0", 6}, "packed by xz; unpack it, or pack it with gzip"},
                              Foreign{"BZh91AY&SY", "packed by bzip2; unpack it, or pack it with gzip"},
                              Foreign{"\x28\xB5\x2F\xFD", "packed by zstd; unpack it, or pack it with gzip"},
                              Foreign{"PK\x03\x04", "a zip archive; unpack it"},
                              Foreign{"\xFF\xFE", "UTF-16; convert it to UTF-8"},
                              Foreign{"\xFE\xFF", "UTF-16; convert it to UTF-8"}};
constexpr std::string_view kGzip = "\x1f\x8b";

/// A file or stdin, unpacked.
class TextSource {
 public:
  explicit TextSource(const std::string& path) : chunk_(kChunk) {
    name = input_name(path);
    owned_ = !is_stdin(path);
    descriptor_ = owned_ ? ::open(path.c_str(), O_RDONLY | O_CLOEXEC) : STDIN_FILENO;
    if (descriptor_ < 0) fail();
    struct stat info {};
    if (fstat(descriptor_, &info) == 0 && S_ISDIR(info.st_mode)) {
      if (owned_) ::close(descriptor_);
      throw DataError(name + ": is a folder; name a file");
    }
  }
  TextSource(const TextSource&) = delete;
  TextSource& operator=(const TextSource&) = delete;
  ~TextSource() {
    if (owned_) ::close(descriptor_);
  }

  /// True when next() can answer from the buffer.
  bool ready() {
    if (at_end_) return true;
    if (searched_ < begin_) searched_ = begin_;
    const size_t end = text_.find('\n', searched_);
    searched_ = end == std::string::npos ? text_.size() : end;
    return end != std::string::npos;
  }

  bool next(std::string& line) {
    while (!ready()) fill();
    if (begin_ == text_.size()) return false;  // at the end
    const size_t end = std::min(text_.find('\n', searched_), text_.size());
    std::string_view view(text_.data() + begin_, end - begin_);
    begin_ = std::min(end + 1, text_.size());
    searched_ = begin_;
    if (number == 0 && view.starts_with(kByteOrderMark)) view.remove_prefix(kByteOrderMark.size());
    if (view.ends_with('\r')) view.remove_suffix(1);
    line.assign(view);
    ++number;
    return true;
  }

  bool wait(std::chrono::milliseconds limit) {
    const auto deadline = std::chrono::steady_clock::now() + limit;
    while (!ready()) {
      const auto left =
          std::chrono::duration_cast<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
      pollfd wanted{descriptor_, POLLIN, 0};
      const int count = ::poll(&wanted, 1, static_cast<int>(std::max<int64_t>(left.count(), 0)));
      if (count == 0) return false;
      if (count > 0) fill();
    }
    return true;
  }

  /// All that is left, as it is.
  std::string rest() {
    while (!at_end_) fill();
    text_.erase(0, begin_);
    return std::move(text_);
  }

  std::string name;
  int64_t number = 0;

 private:
  [[noreturn]] void fail() const {
    throw DataError(name + ": cannot be read: " + std::strerror(errno) + "; check the path");
  }

  /// One read(), so that a pipe's lines are seen as they come.
  void fill() {
    if (begin_ > kChunk &&
        begin_ * 2 > text_.size()) {  // drop what was handed out, at amortised constant cost
      text_.erase(0, begin_);
      searched_ -= std::min(searched_, begin_);
      begin_ = 0;
    }
    const ssize_t count = ::read(descriptor_, chunk_.data(), chunk_.size());
    if (count < 0) {
      if (errno == EINTR) return;
      fail();
    }
    const size_t size = static_cast<size_t>(count);
    if (!decided_) {
      decide(size);
    } else if (inflater_) {
      inflater_->append(chunk_, size, text_, name);
    } else {
      text_.append(chunk_.data(), size);
    }
    if (size > 0) return;
    at_end_ = true;
    if (inflater_ && !inflater_->complete())
      throw DataError(name + ": gzip data ends too early; the file was cut");
  }

  /// Gzip or plain, as soon as the first bytes tell.
  void decide(size_t size) {
    head_.append(chunk_.data(), size);
    const auto may_become = [&](std::string_view begin) {
      return head_.size() < begin.size() && begin.starts_with(head_);
    };
    if (size > 0 &&
        (may_become(kGzip) || std::any_of(kForeign.begin(), kForeign.end(),
                                          [&](const Foreign& foreign) { return may_become(foreign.begin); })))
      return;
    decided_ = true;
    for (const auto& foreign : kForeign)
      if (head_.starts_with(foreign.begin)) throw DataError(name + ": is " + foreign.what);
    if (head_.starts_with(kGzip)) {
      inflater_ = std::make_unique<Inflater>();
      std::vector<char> bytes(head_.begin(), head_.end());
      inflater_->append(bytes, bytes.size(), text_, name);
    } else {
      text_ = std::move(head_);
    }
    head_.clear();
  }

  int descriptor_ = -1;
  bool owned_ = false;
  bool decided_ = false;
  bool at_end_ = false;
  std::unique_ptr<Inflater> inflater_;
  std::vector<char> chunk_;
  std::string head_;  // the first bytes, until it is clear what they are
  std::string text_;
  size_t begin_ = 0;     // of the next line in text_
  size_t searched_ = 0;  // no LF between begin_ and here
};

}  // namespace

class LineReader::Source : public TextSource {
  using TextSource::TextSource;
};

LineReader::LineReader(const std::string& path) : source_(std::make_unique<Source>(path)) {}
LineReader::LineReader(LineReader&&) noexcept = default;
LineReader& LineReader::operator=(LineReader&&) noexcept = default;
LineReader::~LineReader() = default;
bool LineReader::next(std::string& line) { return source_->next(line); }
bool LineReader::wait(std::chrono::milliseconds limit) { return source_->wait(limit); }
int64_t LineReader::number() const { return source_->number; }
const std::string& LineReader::name() const { return source_->name; }

bool is_stdin(const std::string& path) { return path.empty() || path == "-" || path == "/dev/stdin"; }
std::string input_name(const std::string& path) { return is_stdin(path) ? "stdin" : path; }

std::string read_text(const std::string& path) { return TextSource(path).rest(); }

int64_t count_lines(const std::string& path) {
  LineReader reader(path);
  std::string line;
  while (reader.next(line)) {
  }
  return reader.number();
}

}  // namespace gloss
