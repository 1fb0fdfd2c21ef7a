#pragma once

#include <string>
#include <vector>

#include "config/fields.h"

namespace gloss {

/// The settings that a preset stands for, as a file with them would give them; none for "". They concern the training
/// as well as the model, so they are applied to the fields of the whole command, before file and flags.
/// Throws UsageError for an unknown name.
std::vector<Setting> preset_settings(const std::string& name);

}  // namespace gloss
