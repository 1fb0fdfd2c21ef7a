#include <c10/util/Exception.h>
#include <spdlog/spdlog.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>
#include <list>
#include <string_view>

#include "command.h"
#include "config/flags.h"
#include "config/nearest_name.h"
#include "config/toml.h"
#include "core/error.h"
#include "core/file.h"
#include "core/log.h"
#include "model/presets.h"
#include "process.h"

namespace gloss {
namespace {

/// A command with its flags registered, ready to be parsed.
struct Entry {
  Command command;
  Fields fields;
  CLI::App* app = nullptr;
  Command::Run run;
};

struct CommandLine {
  CLI::App app{"gloss translates, and shows which source words each target word came from.", "gloss"};
  SharedOptions shared;
  InvocationOptions invocation;
  std::list<Entry> entries;  // a list: Fields keep pointers, and flags keep pointers to Fields

  CommandLine() {
    app.set_version_flag("--version", version_text, "Print the versions of gloss, LibTorch and CUDA.");
    app.footer("gloss COMMAND --help lists the options of a command.");
    app.allow_extras();
    for (const auto& command : all_commands()) {
      auto& entry = entries.emplace_back();
      entry.command = command;
      entry.run = command.setup(entry.fields);
      entry.fields.add(shared, "Every command");
      entry.fields.add(invocation, "Every command", /*in_files=*/false);
      entry.app = app.add_subcommand(command.name, command.summary);
      entry.app->footer("Defaults are overridden by the --config file, and both by flags.");
      add_flags(entry.fields, *entry.app);
    }
  }

  Entry* chosen() {
    for (auto& entry : entries)
      if (entry.app->parsed()) return &entry;
    return nullptr;
  }

  std::vector<std::string> names() const {
    std::vector<std::string> result;
    for (const auto& entry : entries) result.push_back(entry.command.name);
    return result;
  }
};

/// The command was not named: what else stands there decides what to say.
int without_command(const CommandLine& line) {
  const auto extras = line.app.remaining();
  if (extras.empty()) {
    std::fputs(line.app.help().c_str(), stderr);
    return 2;
  }
  const auto& word = extras.front();
  if (word.starts_with("-"))
    throw UsageError("unknown flag '" + word + "' before a command; write gloss COMMAND " + word);
  throw UsageError("unknown command '" + word + "'" + did_you_mean(word, line.names()) +
                   "; choose one of: " + join(line.names()));
}

std::vector<Setting> settings_of_file(const Entry& entry, const std::vector<Setting>& flags) {
  for (const auto& flag : flags)
    if (flag.key == "config") return read_toml(flag.values.front(), entry.fields);
  return {};
}

/// Those of the preset that file or flags name; what they say themselves comes after it.
std::vector<Setting> settings_of_preset(const std::vector<Setting>& given) {
  std::vector<Setting> settings;
  for (const auto& setting : given)
    if (setting.key == "preset") settings = preset_settings(setting.values.front());
  return settings;
}

int run(int argc, char** argv) {
  CommandLine line;
  try {
    line.app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return line.app.exit(error);  // --help, --version: on stdout
    throw UsageError(error.what());
  }
  auto* entry = line.chosen();
  if (!entry) return without_command(line);

  const auto flags = given_flags(entry->fields, *entry->app);
  auto given = settings_of_file(*entry, flags);
  given.insert(given.end(), flags.begin(), flags.end());
  entry->fields.apply(settings_of_preset(given));
  entry->fields.apply(given);
  if (line.invocation.dump_config) {
    OutputStream output("-");
    output.write(write_toml(entry->fields));
    output.close();
    return 0;
  }
  setup_log(line.shared.log_level, line.shared.quiet);
  prepare_computation(line.shared.threads);
  return entry->run(line.shared);
}

int fail(int code, const std::string& message) {
  spdlog::error("{}", message);
  return code;
}

/// A fault of ours, not of the user.
int fail_as_bug(const std::string& message) {
  return fail(1, "this is a bug in gloss: " + message + "; please report it with the command that led here");
}

int run_and_report(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const UsageError& error) {
    return fail(2, error.what());
  } catch (const DataError& error) {
    return fail(3, error.what());
  } catch (const CheckpointError& error) {
    return fail(4, error.what());
  } catch (const OutputError& error) {
    return fail(5, error.what());
  } catch (const c10::Error& error) {
    return fail_as_bug(spdlog::should_log(spdlog::level::debug) ? error.what()
                                                                : error.what_without_backtrace());
  } catch (const std::bad_alloc&) {
    return fail(1, "out of memory; training and translation need less with a smaller --batch-tokens");
  } catch (const std::exception& error) {
    return fail_as_bug(error.what());
  }
}

}  // namespace
}  // namespace gloss

int main(int argc, char** argv) {
  // Starting twice takes longer than most evaluations, which do without the threads that it is about.
  if (argc < 2 || std::string_view(argv[1]) != "evaluate") gloss::restart_with_passive_threads(argv);
  gloss::prepare_process();
  gloss::setup_log("info", /*quiet=*/false);
  return gloss::run_and_report(argc, argv);
}
