#pragma once

#include <string>
#include <vector>

namespace gloss {

/// Names that --log-level takes, most talkative first.
const std::vector<std::string>& log_level_names();

/// The default logger of spdlog writes to stderr from now on, from `level` up; `quiet` raises it to warnings.
/// \param level one of log_level_names()
void setup_log(const std::string& level, bool quiet);

}  // namespace gloss
