#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/error.h"
#include "core/text.h"

namespace gloss {

/// A table is an array of rows, each with a `name`. From it come the list of names and the error for one it has not.

template <class Table>
std::vector<std::string> names_of(const Table& table) {
  std::vector<std::string> names;
  for (const auto& row : table) names.emplace_back(row.name);
  return names;
}

/// Throws UsageError: "unknown metric 'rouge'; choose from: bleu, chrf, ter".
/// \param what kind of thing the rows are, for the message
template <class Table>
const auto& row_of(const Table& table, std::string_view what, std::string_view name) {
  for (const auto& row : table)
    if (name == row.name) return row;
  throw UsageError("unknown " + std::string(what) + " '" + std::string(name) +
                   "'; choose from: " + join(names_of(table)));
}

}  // namespace gloss
