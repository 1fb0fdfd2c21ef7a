#include <unistd.h>

#include <memory>

#include "command.h"
#include "core/file.h"
#include "evaluate_options.h"
#include "evaluate_report.h"
#include "process.h"

namespace gloss {

Command evaluate_command() {
  return {"evaluate", "BLEU, chrF and TER as sacreBLEU computes them; error rates of alignments",
          [](Fields& fields) {
            auto options = std::make_shared<EvaluateOptions>();
            fields.add(*options, "Evaluate");
            return Command::Run([options](const SharedOptions& shared) {
              const auto report = evaluate_report(*options, {.seed = shared.seed,
                                                             .threads = computation_threads(),
                                                             .for_terminal = isatty(STDOUT_FILENO) == 1});
              OutputStream output("-");
              output.write(report);
              output.close();
              return 0;
            });
          }};
}

}  // namespace gloss
