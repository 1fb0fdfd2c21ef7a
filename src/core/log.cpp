#include "core/log.h"

#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <memory>

namespace gloss {

const std::vector<std::string>& log_level_names() {
  static const std::vector<std::string> names{"trace", "debug", "info", "warning", "error", "off"};
  return names;
}

void setup_log(const std::string& level, bool quiet) {
  auto logger =
      std::make_shared<spdlog::logger>("gloss", std::make_shared<spdlog::sinks::stderr_color_sink_mt>());
  logger->set_pattern("[%H:%M:%S] %^%l%$: %v");
  const auto wanted = spdlog::level::from_str(level);
  logger->set_level(quiet ? std::max(wanted, spdlog::level::warn) : wanted);
  logger->flush_on(spdlog::level::trace);
  spdlog::set_default_logger(std::move(logger));
}

}  // namespace gloss
