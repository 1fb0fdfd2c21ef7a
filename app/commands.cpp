#include "command.h"

namespace gloss {

std::vector<Command> all_commands() {
  return {train_command(), translate_command(), score_command(), evaluate_command(), info_command()};
}

}  // namespace gloss
