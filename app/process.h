#pragma once

#include <cstdint>
#include <string>

namespace gloss {

/// Starts the program anew with OMP_WAIT_POLICY=passive where the variable is not set, else returns. libgomp
/// reads it while the program is being loaded, before main() could set it; without it idle threads spin for
/// long, and a second job on the same cores makes both several times slower.
void restart_with_passive_threads(char** argv);

/// Settings of the process that hold whatever the command: a closed pipe ends the program by SIGPIPE, and no file takes
/// the place of a standard stream that is closed.
void prepare_process();

/// Threads of LibTorch (0: one for each core) and denormal numbers as zero, which are slow and carry nothing.
void prepare_computation(int64_t threads);

/// How many threads prepare_computation() settled on.
int64_t computation_threads();

/// Text of --version.
std::string version_text();

}  // namespace gloss
