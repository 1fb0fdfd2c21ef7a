#include <algorithm>
#include <cstdlib>

#include "command.h"
#include "run_gloss.h"
#include "support/catch.h"

using namespace gloss;

namespace {

std::vector<std::string> command_names() {
  std::vector<std::string> names;
  for (const auto& command : all_commands()) names.push_back(command.name);
  return names;
}

/// The keys of a dumped configuration.
std::vector<std::string> keys_of(const std::string& toml) {
  std::vector<std::string> keys;
  for (const auto& line : lines_of(toml))
    if (!line.empty() && line[0] != '#') keys.push_back(line.substr(0, line.find(" = ")));
  return keys;
}

}  // namespace

TEST_CASE("help lists the commands on stdout and succeeds", "[cli][help]") {
  const auto outcome = run_gloss({"--help"});
  CHECK(outcome.code == 0);
  CHECK(outcome.err.empty());
  for (const auto& command : command_names()) CHECK(outcome.out.find(command) != std::string::npos);
}

TEST_CASE("help of a command lists every option with its default", "[cli][help]") {
  for (const auto& command : command_names()) {
    INFO(command);
    const auto help = run_gloss({command, "--help"});
    CHECK(help.code == 0);
    CHECK(help.err.empty());
    auto keys = keys_of(run_gloss({command, "--dump-config"}).out);
    REQUIRE(keys.size() >= 5);  // the shared ones at least
    keys.push_back("config");
    keys.push_back("dump-config");
    for (const auto& key : keys) {
      INFO(key);
      const auto place = help.out.find("--" + key + " ");
      REQUIRE(place != std::string::npos);
      const auto next = help.out.find("\n  --", place);
      CHECK(help.out.substr(place, next - place).find("default:") != std::string::npos);
    }
  }
}

TEST_CASE("the shared options stand in every command", "[cli][help]") {
  for (const auto& command : command_names()) {
    const auto help = run_gloss({command, "--help"}).out;
    for (const auto* name :
         {"--config", "--device", "--threads", "--seed", "--quiet", "--log-level", "--dump-config"}) {
      INFO(command << " " << name);
      CHECK(help.find(name) != std::string::npos);
    }
  }
}

TEST_CASE("version names gloss, LibTorch and what of CUDA is present", "[cli][help]") {
  const auto outcome = run_gloss({"--version"});
  CHECK(outcome.code == 0);
  CHECK(outcome.err.empty());
  CHECK(outcome.out.find("gloss ") == 0);
  CHECK(outcome.out.find("LibTorch ") != std::string::npos);
  CHECK(outcome.out.find("CUDA") != std::string::npos);
}

#ifndef GLOSS_SANITIZED  // sanitizers bring their own
TEST_CASE("the program's memory comes from jemalloc, with the settings of allocator.cpp", "[cli]") {
  const auto statistics = [] {
    setenv("MALLOC_CONF", "stats_print:true", /*overwrite=*/1);
    const auto outcome = run_gloss({"--version"});
    unsetenv("MALLOC_CONF");
    return outcome.err;
  }();
  CHECK(holds(statistics, "opt.thp: \"always\""));
  CHECK(holds(statistics, "opt.muzzy_decay_ms: -1"));
}
#endif
