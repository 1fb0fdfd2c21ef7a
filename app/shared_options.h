#pragma once

#include <cstdint>
#include <string>

#include "config/field.h"
#include "core/log.h"

namespace gloss {

/// What every command understands, with the same meaning.
struct SharedOptions {
  std::string device = "auto";
  int64_t threads = 0;
  int64_t seed = 1;
  bool quiet = false;
  std::string log_level = "info";

  template <class Visitor>
  void visit(Visitor&& field) {
    field("device", device, "Where to compute: auto, cpu, cuda or cuda:N. auto takes a GPU if there is one.",
          any);
    field("threads", threads, "CPU threads, at most as many as there are cores; 0 takes all cores.",
          between(0, 4096));
    field("seed", seed, "Seed of everything that is random.", non_negative);
    field("quiet", quiet, "Show warnings and errors only.", any);
    field("log-level", log_level, "How much to show on stderr.", one_of(log_level_names()));
  }
};

/// What stands on the command line only, never in a file.
struct InvocationOptions {
  std::string config;
  bool dump_config = false;

  template <class Visitor>
  void visit(Visitor&& field) {
    field("config", config, "TOML file with values for these options; flags win over it.", any);
    field("dump-config", dump_config, "Print the effective configuration as TOML and exit.", any);
  }
};

}  // namespace gloss
