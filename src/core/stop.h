#pragma once

namespace gloss {

/// From now on the first SIGINT or SIGTERM only sets a flag, so that the work can be brought to a good end;
/// a second one of either ends the process at once with exit code 128 + signal.
void install_stop_handlers();

/// 0, SIGINT or SIGTERM: the signal that came first.
int stop_signal();

}  // namespace gloss
