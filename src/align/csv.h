#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "align/alignment.h"

namespace gloss {

/// A field after RFC 4180: quoted if it is empty or holds a comma, a quote or a line break.
std::string csv_field(std::string_view text);

/// Six significant digits with a decimal point, whatever the locale.
std::string weight_text(double weight);

/// Rows of fields after RFC 4180; LF and CR LF both end a row outside quotes. `name` begins messages.
/// DataError for a quote that never closes or is followed by text.
std::vector<std::vector<std::string>> parse_csv(std::string_view text, const std::string& name);

/// The matrix format: the first row `"",source tokens...`, then a row `target token,weight,weight,...` for each
/// target unit. A blank input gives the first row alone.
std::string matrix_csv(const Alignment& alignment);

/// Reads it back. DataError, with name and row, for rows of another length or weights that are no numbers.
Alignment parse_matrix_csv(std::string_view text, const std::string& name);

}  // namespace gloss
