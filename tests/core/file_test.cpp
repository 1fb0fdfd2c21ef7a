#include "core/file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zlib.h>

#include <csignal>
#include <filesystem>
#include <thread>
#include <vector>

#include "core/error.h"
#include "core/text_file.h"
#include "support/catch.h"
#include "support/files.h"

using namespace gloss;
using gloss::testing::bytes_of_file;
using gloss::testing::TemporaryFolder;
using namespace std::string_literals;

namespace {

std::vector<std::string> lines_of(const std::string& path) {
  LineReader reader(path);
  std::vector<std::string> lines;
  for (std::string line; reader.next(line);) lines.push_back(line);
  return lines;
}

std::string gzip(const std::string& bytes, const TemporaryFolder& folder) {
  const auto path = folder / "packed";
  gzFile file = gzopen(path.c_str(), "wb");
  gzwrite(file, bytes.data(), static_cast<unsigned>(bytes.size()));
  gzclose(file);
  return bytes_of_file(path);
}

}  // namespace

TEST_CASE("lines end at a line feed only", "[core][file][unit]") {
  const TemporaryFolder folder;
  const auto path = folder.write("a", "a\u2028b\u2029c\u0085d\ve\ff\x1cg\r\nh\0i\tj\nk\rl\n"s);
  CHECK(lines_of(path) == std::vector<std::string>{"a\u2028b\u2029c\u0085d\ve\ff\x1cg", "h\0i\tj"s, "k\rl"});
}

TEST_CASE("one carriage return before the line feed is dropped, not two", "[core][file][unit]") {
  const TemporaryFolder folder;
  CHECK(lines_of(folder.write("a", "x\r\r\n\r\ny\r")) == std::vector<std::string>{"x\r", "", "y"});
}

TEST_CASE("the last line needs no line feed, and an empty file has no line", "[core][file][unit]") {
  const TemporaryFolder folder;
  CHECK(lines_of(folder.write("a", "x\ny")) == std::vector<std::string>{"x", "y"});
  CHECK(lines_of(folder.write("b", "x\ny\n")) == std::vector<std::string>{"x", "y"});
  CHECK(lines_of(folder.write("c", "")).empty());
  CHECK(lines_of(folder.write("d", "\n\n")) == std::vector<std::string>{"", ""});
}

TEST_CASE("a byte order mark is dropped at the start of the file only", "[core][file][unit]") {
  const TemporaryFolder folder;
  CHECK(lines_of(folder.write("a", "\uFEFFx\n\uFEFFy\n")) == std::vector<std::string>{"x", "\uFEFFy"});
}

TEST_CASE("the reader counts lines from one", "[core][file][unit]") {
  const TemporaryFolder folder;
  LineReader reader(folder.write("a", "x\ny\n"));
  std::string line;
  CHECK(reader.number() == 0);
  reader.next(line);
  CHECK(reader.number() == 1);
  reader.next(line);
  CHECK_FALSE(reader.next(line));
  CHECK(reader.number() == 2);
  CHECK(count_lines(folder / "a") == 2);
}

TEST_CASE("lines longer than every buffer arrive whole", "[core][file][property]") {
  const TemporaryFolder folder;
  std::vector<std::string> expected;
  std::string bytes;
  for (size_t size : {0, 1, 65535, 65536, 65537, 300000, 3, 200000}) {
    expected.push_back(std::string(size, static_cast<char>('a' + expected.size())));
    bytes += expected.back() + "\n";
  }
  CHECK(lines_of(folder.write("a", bytes)) == expected);
  CHECK(lines_of(folder.write("b", gzip(bytes, folder))) == expected);
}

TEST_CASE("gzip is told by content, whatever the name", "[core][file][unit]") {
  const TemporaryFolder folder;
  CHECK(lines_of(folder.write("packed.txt", gzip("\uFEFFx\r\ny\n", folder))) ==
        std::vector<std::string>{"x", "y"});
  CHECK(lines_of(folder.write("plain.gz", "x\n")) == std::vector<std::string>{"x"});
  CHECK(lines_of(folder.write("one_byte", "\x1f")) == std::vector<std::string>{"\x1f"});
}

TEST_CASE("gzip members one after the other are read as one file", "[core][file][unit]") {
  const TemporaryFolder folder;
  const auto bytes = gzip("x\n", folder) + gzip("y\n", folder);
  CHECK(lines_of(folder.write("a.gz", bytes)) == std::vector<std::string>{"x", "y"});
}

TEST_CASE("a whole text is read as it is, but unpacked", "[core][file][unit]") {
  const TemporaryFolder folder;
  const auto text = "\uFEFFx\r\ny\rz\0 \n"s + std::string(200000, 'a');
  CHECK(read_text(folder.write("a", text)) == text);
  CHECK(read_text(folder.write("b", gzip(text, folder))) == text);
  CHECK(read_text(folder.write("c", "")).empty());
  CHECK_THROWS_AS(read_text(folder / "absent"), DataError);
}

TEST_CASE("cut or damaged gzip data is an error that names the file", "[core][file][unit]") {
  const TemporaryFolder folder;
  std::string text;
  for (int i = 0; i < 2000; ++i) text += std::to_string(i * 7919) + "\n";
  auto bytes = gzip(text, folder);
  const auto cut = folder.write("cut.gz", bytes.substr(0, bytes.size() - 9));
  CHECK_THROWS_AS(lines_of(cut), DataError);
  CHECK_THROWS_WITH(lines_of(cut), Catch::Contains("cut.gz"));
  CHECK_THROWS_AS(lines_of(folder.write("head.gz", bytes.substr(0, 5))), DataError);
  bytes[bytes.size() / 2] = static_cast<char>(~bytes[bytes.size() / 2]);
  CHECK_THROWS_AS(lines_of(folder.write("bad.gz", bytes)), DataError);
}

TEST_CASE("files of other packers and of UTF-16 are refused, and what only begins like them is text",
          "[core][file][unit]") {
  const TemporaryFolder folder;
  const std::pair<std::string, std::string> foreign[]{{std::string("\xFD\x37zXZ\0\0\x04", 8), "xz"},
                                                      {"BZh91AY&SY\x01\x02", "bzip2"},
                                                      {"\x28\xB5\x2F\xFD\x04", "zstd"},
                                                      {"PK\x03\x04\x14", "zip"},
                                                      {std::string("\xFF\xFEx\0\n\0", 6), "UTF-16"},
                                                      {std::string("\xFE\xFF\0x\0\n", 6), "UTF-16"}};
  for (const auto& [bytes, what] : foreign) {
    const auto file = folder.write("foreign", bytes);
    CHECK_THROWS_AS(lines_of(file), DataError);
    CHECK_THROWS_WITH(lines_of(file), Catch::Contains("foreign") && Catch::Contains(what));
  }
  for (const std::string text : {"B", "BZ", "BZh9", "PK", "\x28", "BZip\n", "PKW\n"}) {
    INFO(text);
    CHECK(lines_of(folder.write("text", text)).front() == text.substr(0, text.find('\n')));
  }
}

TEST_CASE("a missing file and a folder are errors by name", "[core][file][unit]") {
  const TemporaryFolder folder;
  CHECK_THROWS_AS(LineReader(folder / "nowhere.txt"), DataError);
  CHECK_THROWS_WITH(LineReader(folder / "nowhere.txt"), Catch::Contains("nowhere.txt"));
  CHECK_THROWS_AS(LineReader(folder.path()), DataError);
  CHECK_THROWS_WITH(read_file(folder / "nowhere.txt"), Catch::Contains("nowhere.txt"));
}

TEST_CASE("a pipe's lines can be waited for and come before its end", "[core][file][unit]") {
  int ends[2];
  REQUIRE(::pipe(ends) == 0);
  LineReader reader("/dev/fd/" + std::to_string(ends[0]));
  std::string line;
  CHECK_FALSE(reader.wait(std::chrono::milliseconds(5)));
  REQUIRE(::write(ends[1], "one\ntw", 6) == 6);
  REQUIRE(reader.wait(std::chrono::milliseconds(1000)));
  REQUIRE(reader.next(line));
  CHECK(line == "one");
  CHECK_FALSE(reader.wait(std::chrono::milliseconds(5)));
  ::close(ends[1]);
  CHECK(reader.wait(std::chrono::milliseconds(1000)));
  REQUIRE(reader.next(line));
  CHECK(line == "tw");
  CHECK_FALSE(reader.next(line));
  ::close(ends[0]);
}

TEST_CASE("written bytes are read back as they were", "[core][file][property]") {
  const TemporaryFolder folder;
  const std::string bytes = "a\r\n\0\xff"s + std::string(300000, 'x');
  write_file(folder / "a", bytes);
  CHECK(read_file(folder / "a") == bytes);
  write_file(folder / "a", "short");
  CHECK(read_file(folder / "a") == "short");
  write_file(folder / "empty", "");
  CHECK(read_file(folder / "empty").empty());
  CHECK(folder.entries() == 2);
}

TEST_CASE("an atomic file that is not committed leaves nothing and keeps the old one",
          "[core][file][property]") {
  const TemporaryFolder folder;
  write_file(folder / "a", "old");
  {
    AtomicFile file(folder / "a");
    file.write(std::string(200000, 'x'));
    CHECK(read_file(folder / "a") == "old");
  }
  CHECK(read_file(folder / "a") == "old");
  CHECK(folder.entries() == 1);
}

TEST_CASE("before its commit an atomic file is not in the folder under any name", "[core][file][property]") {
  const TemporaryFolder folder;
  const int nameless = ::open(folder.path().c_str(), O_WRONLY | O_TMPFILE, 0666);
  const bool can_be_nameless = nameless >= 0;
  if (can_be_nameless) ::close(nameless);
  const auto durability = GENERATE(Durability::kSynced, Durability::kRenamed);
  AtomicFile file(folder / "a", durability);
  file.write(std::string(200000, 'x'));
  CHECK(folder.entries() == (can_be_nameless ? 0 : 1));
  CHECK_FALSE(std::filesystem::exists(folder / "a"));
  file.commit();
  CHECK(folder.entries() == 1);
  CHECK(bytes_of_file(folder / "a") == std::string(200000, 'x'));
}

TEST_CASE("a program that is killed while it writes leaves the folder as it was", "[core][file][property]") {
  const TemporaryFolder folder;
  folder.write("a", "old");
  const pid_t child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    AtomicFile file(folder / "a");
    file.write(std::string(200000, 'x'));
    ::raise(SIGKILL);
  }
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  REQUIRE(WIFSIGNALED(status));
  CHECK(bytes_of_file(folder / "a") == "old");
  for (const auto& entry : std::filesystem::directory_iterator(folder.path())) {
    const auto name = entry.path().filename().string();
    CHECK((name == "a" || is_atomic_leftover(name)));  // a leftover: on file systems without nameless files
  }
}

TEST_CASE("the mode of a written file is what the umask leaves", "[core][file][unit]") {
  const TemporaryFolder folder;
  const auto [mask, mode] = GENERATE(table<mode_t, mode_t>({{0022, 0644}, {0027, 0640}, {0077, 0600}}));
  const auto before = ::umask(mask);
  write_file(folder / "a", "x");
  ::umask(before);
  struct stat info {};
  REQUIRE(::stat((folder / "a").c_str(), &info) == 0);
  CHECK((info.st_mode & 07777) == mode);
}

TEST_CASE("a file that is replaced leaves its permissions to the new one", "[core][file][unit]") {
  const TemporaryFolder folder;
  const mode_t mode = GENERATE(0600, 0640, 0444, 0755);
  const auto durability = GENERATE(Durability::kSynced, Durability::kRenamed);
  folder.write("a", "old");
  REQUIRE(::chmod((folder / "a").c_str(), mode) == 0);
  AtomicFile file(folder / "a", durability);
  file.write("new");
  file.commit();
  struct stat info {};
  REQUIRE(::stat((folder / "a").c_str(), &info) == 0);
  CHECK((info.st_mode & 07777) == mode);
  CHECK(bytes_of_file(folder / "a") == "new");
}

TEST_CASE("a leftover of an earlier program of the same number is no hindrance", "[core][file][unit]") {
  const TemporaryFolder folder;
  const auto name = "a.tmp-" + std::to_string(::getpid());
  folder.write(name, "half");
  CHECK(is_atomic_leftover(name));
  write_file(folder / "a", "whole");
  CHECK(bytes_of_file(folder / "a") == "whole");
  CHECK(folder.entries() == 1);
}

TEST_CASE("only NAME.tmp-NUMBER is a leftover", "[core][file][unit]") {
  CHECK(is_atomic_leftover("model.safetensors.tmp-4711"));
  CHECK(is_atomic_leftover("x.tmp-y.tmp-1"));
  for (const auto* name : {"x", "x.tmp", "x.tmp-", "x.tmp-y", "x.tmp-1y", "x.tmp--1", "x.tmp-1.txt"})
    CHECK_FALSE(is_atomic_leftover(name));
}

TEST_CASE("a name too long for the file system is found before anything is written", "[core][file][unit]") {
  const TemporaryFolder folder;
  CHECK_THROWS_AS(AtomicFile(folder / std::string(300, 'n')), OutputError);
}

TEST_CASE("a file that cannot be made is an output error that names it", "[core][file][unit]") {
  const TemporaryFolder folder;
  CHECK_THROWS_AS(AtomicFile(folder / "no/such/folder/x"), OutputError);
  CHECK_THROWS_WITH(AtomicFile(folder / "no/x"),
                    Catch::StartsWith(folder.file("no/x: ")) &&
                        Catch::EndsWith("; make the folder " + folder.file("no") + " first"));
  CHECK_THROWS_WITH(OutputStream(folder / "no/x"), Catch::Contains("make the folder"));
  CHECK_THROWS_AS(AtomicFile(folder.path()), OutputError);
}

TEST_CASE("writing to a full device is reported at the latest on close", "[core][file][unit]") {
  OutputStream stream("/dev/full");
  stream.write("x\n");
  CHECK_THROWS_AS(stream.close(), OutputError);
  OutputStream other("/dev/full");
  CHECK_THROWS_WITH(other.write(std::string(100000, 'x')),
                    Catch::Contains("/dev/full: cannot be written: No space"));
}

TEST_CASE("results appear under their name only when they are whole", "[core][file][property]") {
  const TemporaryFolder folder;
  {
    OutputStream stream(folder / "out");
    stream.write("x\n");
    stream.flush();
    CHECK_FALSE(std::filesystem::exists(folder / "out"));
  }
  CHECK(folder.entries() == 0);
  OutputStream stream(folder / "out");
  stream.write("x\n");
  stream.close();
  CHECK(read_file(folder / "out") == "x\n");
  CHECK(folder.entries() == 1);
}

TEST_CASE("results written to a link replace the file behind it", "[core][file][unit]") {
  const TemporaryFolder folder;
  write_file(folder / "real", "old");
  std::filesystem::create_symlink("real", folder / "link");
  OutputStream stream(folder / "link");
  stream.write("new");
  stream.close();
  CHECK(read_file(folder / "real") == "new");
  CHECK(std::filesystem::is_symlink(folder / "link"));
}

TEST_CASE("a writable folder is made with its parents and left empty", "[core][file][unit]") {
  const TemporaryFolder folder;
  check_writable_directory(folder / "a/b/c");
  CHECK(std::filesystem::is_directory(folder / "a/b/c"));
  CHECK(std::filesystem::is_empty(folder / "a/b/c"));
}

TEST_CASE("a folder whose path runs through a file is refused by name", "[core][file][unit]") {
  const TemporaryFolder folder;
  folder.write("file", "x");
  CHECK_THROWS_AS(check_writable_directory(folder / "file"), OutputError);
  CHECK_THROWS_AS(check_writable_directory(folder / "file/below"), OutputError);
  CHECK_THROWS_WITH(check_writable_directory(folder / "file/below"), Catch::Contains("file/below"));
  CHECK_THROWS_AS(check_writable_directory("/proc/gloss"), OutputError);
}
