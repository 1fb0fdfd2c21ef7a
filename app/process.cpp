#include "process.h"

#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <fcntl.h>
#include <sched.h>
#include <spdlog/spdlog.h>
#include <torch/version.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <filesystem>

#include "nn/device.h"

namespace gloss {
namespace {

/// Cores that this process may use, which a container or taskset may have cut down.
int64_t available_cores() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) == 0) return std::max(1, CPU_COUNT(&set));
  return std::max(1L, sysconf(_SC_NPROCESSORS_ONLN));
}

/// A file that is opened while one of stdin, stdout and stderr is closed would get its number, and the log would go
/// into the results. stdin and stdout are opened the wrong way round, so that reading or writing
/// them stays an error; the log goes nowhere.
void fill_standard_descriptors() {
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (fcntl(descriptor, F_GETFD) < 0)
      static_cast<void>(open("/dev/null", descriptor == STDOUT_FILENO ? O_RDONLY : O_WRONLY));
}

}  // namespace

void restart_with_passive_threads(char** argv) {
  constexpr auto kVariable = "OMP_WAIT_POLICY";
  if (getenv(kVariable) || setenv(kVariable, "passive", /*overwrite=*/0) != 0) return;
  // Some microseconds, in which the next of many short loops mostly begins: waking a sleeping thread takes longer.
  setenv("GOMP_SPINCOUNT", "5000", /*overwrite=*/0);
  std::error_code error;
  const auto program = std::filesystem::read_symlink("/proc/self/exe", error);
  // Returns only on failure, and then the program is slower, not wrong.
  if (!error) execv(program.c_str(), argv);
}

void prepare_process() {
  std::signal(SIGPIPE, SIG_DFL);
  fill_standard_descriptors();
}

void prepare_computation(int64_t threads) {
  const int64_t cores = available_cores();
  if (threads > cores)
    spdlog::warn("--threads {}: there are {} cores; {} threads it is", threads, cores, cores);
  at::set_num_threads(static_cast<int>(threads > 0 ? std::min(threads, cores) : cores));
  at::globalContext().setFlushDenormal(true);
}

int64_t computation_threads() { return at::get_num_threads(); }

std::string version_text() {
  return std::string("gloss ") + GLOSS_VERSION + "\nLibTorch " + TORCH_VERSION + "\nCUDA: " + describe_cuda();
}

}  // namespace gloss
