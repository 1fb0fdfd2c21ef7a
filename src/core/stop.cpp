#include "core/stop.h"

#include <signal.h>
#include <unistd.h>

#include <atomic>

namespace gloss {
namespace {

std::atomic<int> received{0};
static_assert(std::atomic<int>::is_always_lock_free, "a signal handler may touch lock-free atomics only");

extern "C" void gloss_on_stop_signal(int signal) {
  int none = 0;
  if (!received.compare_exchange_strong(none, signal)) _exit(128 + signal);
}

}  // namespace

void install_stop_handlers() {
  struct sigaction action {};
  action.sa_handler = gloss_on_stop_signal;
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

int stop_signal() { return received.load(); }

}  // namespace gloss
