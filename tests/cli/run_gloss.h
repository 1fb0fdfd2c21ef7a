#pragma once

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

namespace gloss {

/// A folder of its own, removed at the end.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  std::filesystem::path path() const { return path_; }
  std::string file(const std::string& name) const { return (path_ / name).string(); }
  /// Writes a file and returns its path.
  std::string write(const std::string& name, const std::string& text) const;

 private:
  std::filesystem::path path_;
};

struct Outcome {
  int code = 0;  ///< exit code; 128 + signal when a signal ended it
  std::string out;
  std::string err;
};

/// A running gloss. Its stdin is a pipe, its stdout and stderr go to files that can be read meanwhile.
class GlossProcess {
 public:
  explicit GlossProcess(const std::vector<std::string>& arguments);
  ~GlossProcess();
  GlossProcess(const GlossProcess&) = delete;
  GlossProcess& operator=(const GlossProcess&) = delete;

  void write(const std::string& text);
  void close_input();
  void send(int signal) const;

  /// Waits until stdout holds `count` lines; false when that takes longer than `limit`.
  bool wait_for_lines(size_t count, std::chrono::milliseconds limit) const;
  std::string out() const;
  std::string err() const;

  /// Closes the input and waits for the end.
  Outcome finish();

 private:
  TemporaryFolder folder_;
  pid_t pid_ = -1;
  int input_ = -1;
};

/// Runs gloss to its end with `input` as stdin.
Outcome run_gloss(const std::vector<std::string>& arguments, const std::string& input = "");

std::string read_text(const std::filesystem::path& file);

/// Lines of a text in which every line, the last too, must end in LF; throws otherwise.
std::vector<std::string> lines_of(const std::string& text);

/// Does the text hold this part?
bool holds(const std::string& text, const std::string& part);

/// A file of tests/cases.
std::string case_file(const std::string& name);

}  // namespace gloss
