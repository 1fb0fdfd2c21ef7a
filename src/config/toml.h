#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "config/fields.h"

namespace gloss {

/// The keys of a flat TOML file, in the file's order. Throws UsageError for a file that cannot be read, is
/// not TOML, has sections, or has a key that `fields` does not know (naming file, line, key and the nearest
/// valid name). Values are only turned into text here: Fields::apply() checks them, as it checks flags.
std::vector<Setting> read_toml(const std::filesystem::path& file, const Fields& fields);

/// The same from text; `name` stands in messages.
std::vector<Setting> parse_toml(std::string_view text, const std::string& name, const Fields& fields);

/// Every field with its present value, each after a comment that says what it means. What read_toml() reads
/// back.
std::string write_toml(const Fields& fields);

}  // namespace gloss
