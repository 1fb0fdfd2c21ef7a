#include "run_gloss.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <stdexcept>
#include <thread>

namespace gloss {

GlossProcess::GlossProcess(const std::vector<std::string>& arguments) {
  int pipe_ends[2];
  if (pipe2(pipe_ends, O_CLOEXEC) != 0) throw std::runtime_error("no pipe");
  std::vector<std::string> words{GLOSS_BINARY};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> argv;
  for (auto& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  const auto out = folder_.file("out"), err = folder_.file("err");
  pid_ = fork();
  if (pid_ < 0) throw std::runtime_error("no process");
  if (pid_ == 0) {
    dup2(pipe_ends[0], STDIN_FILENO);
    dup2(open(out.c_str(), O_WRONLY | O_CREAT, 0600), STDOUT_FILENO);
    dup2(open(err.c_str(), O_WRONLY | O_CREAT, 0600), STDERR_FILENO);
    setenv("OMP_WAIT_POLICY", "passive", 1);  // spares the restart
    execv(argv[0], argv.data());
    _exit(127);
  }
  close(pipe_ends[0]);
  input_ = pipe_ends[1];
}

GlossProcess::~GlossProcess() {
  if (pid_ > 0) {
    kill(pid_, SIGKILL);
    finish();
  }
}

void GlossProcess::write(const std::string& text) {
  signal(SIGPIPE, SIG_IGN);  // a program that ends before it has read all is no fault of the test
  for (size_t done = 0; done < text.size();) {
    const auto count = ::write(input_, text.data() + done, text.size() - done);
    if (count < 0) return;
    done += static_cast<size_t>(count);
  }
}

void GlossProcess::close_input() {
  if (input_ >= 0) close(input_);
  input_ = -1;
}

void GlossProcess::send(int signal) const { kill(pid_, signal); }

std::string GlossProcess::out() const { return bytes_of_file(folder_.path() / "out"); }
std::string GlossProcess::err() const { return bytes_of_file(folder_.path() / "err"); }

bool GlossProcess::wait_for_lines(size_t count, std::chrono::milliseconds limit) const {
  const auto deadline = std::chrono::steady_clock::now() + limit;
  while (std::chrono::steady_clock::now() < deadline) {
    const auto text = out();
    if (static_cast<size_t>(std::count(text.begin(), text.end(), '\n')) >= count) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return false;
}

Outcome GlossProcess::finish() {
  close_input();
  int status = 0;
  waitpid(pid_, &status, 0);
  pid_ = -1;
  const int code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return {code, out(), err()};
}

Outcome run_gloss(const std::vector<std::string>& arguments, const std::string& input) {
  GlossProcess process(arguments);
  process.write(input);
  return process.finish();
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  size_t begin = 0;
  for (size_t end; (end = text.find('\n', begin)) != std::string::npos; begin = end + 1)
    lines.push_back(text.substr(begin, end - begin));
  if (begin != text.size()) throw std::runtime_error("last line without a line end: " + text.substr(begin));
  return lines;
}

bool holds(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace gloss
