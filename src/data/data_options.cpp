#include "data/data_options.h"

#include "core/error.h"

namespace gloss {

void DataOptions::validate() const {
  const auto paired = [](const std::vector<std::string>& source, const std::vector<std::string>& target,
                         const std::string& name) {
    if (source.size() != target.size())
      throw UsageError("--" + name + "-source: " + std::to_string(source.size()) + " files, but --" + name +
                       "-target has " + std::to_string(target.size()) +
                       "; give each source file its target file");
  };
  paired(train_source, train_target, "train");
  paired(valid_source, valid_target, "valid");
  if (!valid_alignments.empty() && valid_source.empty())
    throw UsageError(
        "--valid-alignments: belong to a validation text; give --valid-source and --valid-target");
  if (train_source.empty() && train_tsv.empty())
    throw UsageError("no training text: give --train-source and --train-target, or --train-tsv");
}

}  // namespace gloss
