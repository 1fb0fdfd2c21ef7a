#pragma once

#include <functional>
#include <string>
#include <vector>

#include "config/fields.h"
#include "shared_options.h"

namespace gloss {

/// One sub-command. main() makes its flags from `fields`, reads --config, and calls what `setup` returned:
///
///   Command evaluate_command() {
///     return {"evaluate", "BLEU, chrF and TER as sacreBLEU computes them", [](Fields& fields) {
///       auto options = std::make_shared<EvaluateOptions>();
///       fields.add(*options, "Evaluate");
///       return Command::Run([options](const SharedOptions& shared) { options->validate(); …; return 0; });
///     }};
///   }
///
/// The shared options (--config, --device, …) are added by main(). Errors are thrown (core/error.h), never
/// printed; only data goes to stdout.
struct Command {
  using Run = std::function<int(const SharedOptions& shared)>;

  std::string name;
  std::string summary;
  std::function<Run(Fields& fields)> setup;
};

Command train_command();
Command translate_command();
Command score_command();
Command evaluate_command();
Command info_command();

/// In the order in which --help lists them.
std::vector<Command> all_commands();

}  // namespace gloss
