#pragma once

#include <string>
#include <vector>

namespace gloss {

/// A very small model, trained for a few updates on tests/cases/base with its joint SentencePiece model. It
/// is trained once for each build of gloss and kept in the build folder, whichever test comes first.
std::string trained_model();

/// The arguments of `gloss train` that make such a model in `directory`; options in `more` replace those of
/// the same name.
std::vector<std::string> tiny_training(const std::string& directory,
                                       const std::vector<std::string>& more = {});

}  // namespace gloss
