#pragma once

#include <string>
#include <vector>

namespace gloss {

/// The name that a mistyped one most likely meant: fewest insertions, deletions, replacements and swaps of
/// neighbours (a beginning of a name counts as one slip). Empty when nothing is near.
std::string nearest_name(const std::string& name, const std::vector<std::string>& names);

/// "; did you mean 'beam-size'?" or nothing, to end a message. `prefix` goes before the name ("--").
std::string did_you_mean(const std::string& name, const std::vector<std::string>& names,
                         const std::string& prefix = "");

}  // namespace gloss
