#pragma once

#include <string>
#include <vector>

#include "config/fields.h"

namespace CLI {
class App;
}

namespace gloss {

/// Makes a flag `--name` of every field, with meaning, permitted values and default in --help. Switches are
/// given as `--name` or `--name=false`; lists take several values. `app` only splits the command line: values
/// are parsed by Field::set when the settings are applied. Call before any value is changed, or --help shows
/// the changed ones.
void add_flags(const Fields& fields, CLI::App& app);

/// The flags that stood on the command line, once `app` has parsed it. Throws UsageError for an unknown flag
/// (naming the nearest), a stray argument, and a flag whose value is missing.
std::vector<Setting> given_flags(const Fields& fields, const CLI::App& app);

}  // namespace gloss
