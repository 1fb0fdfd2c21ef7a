#pragma once

#include <string>
#include <string_view>

#include "align/alignment.h"

namespace gloss {

/// A field after RFC 4180: quoted if it is empty or holds a comma, a quote or a line break.
std::string csv_field(std::string_view text);

/// Six significant digits with a decimal point, whatever the locale.
std::string weight_text(double weight);

/// The matrix format: the first row `"",source tokens...`, then a row `target token,weight,weight,...` for each
/// target unit. A blank input gives the first row alone.
std::string matrix_csv(const Alignment& alignment);

}  // namespace gloss
