#pragma once

#include <sys/types.h>

#include <chrono>
#include <string>
#include <vector>

#include "support/files.h"

namespace gloss {

using testing::bytes_of_file;
using testing::case_file;
using testing::TemporaryFolder;

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

/// Lines of a text in which every line, the last too, must end in LF; throws otherwise.
std::vector<std::string> lines_of(const std::string& text);

/// Does the text hold this part?
bool holds(const std::string& text, const std::string& part);

}  // namespace gloss
