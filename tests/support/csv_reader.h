#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "align/alignment.h"
#include "core/error.h"
#include "core/text.h"

namespace gloss {

/// Reads CSV after RFC 4180, independent of what writes it. LF and CR LF both end a row outside quotes; `name` begins
/// messages. DataError for a quote that never closes or is followed by text.
class CsvParser {
 public:
  CsvParser(std::string_view text, const std::string& name) : text_(text), name_(name) {}

  DataError fault(size_t row, const std::string& what) const {
    return DataError(name_ + ": row " + std::to_string(row) + ": " + what);
  }

  std::vector<std::vector<std::string>> rows() {
    std::vector<std::vector<std::string>> rows;
    while (at_ < text_.size()) {
      auto& row = rows.emplace_back();
      do row.push_back(field(rows.size()));
      while (skip(","));
      if (!skip("\r\n") && !skip("\n") && at_ < text_.size())
        throw fault(rows.size(), "text behind a closing quote");
    }
    return rows;
  }

 private:
  bool skip(std::string_view wanted) {
    if (text_.substr(at_, wanted.size()) != wanted) return false;
    at_ += wanted.size();
    return true;
  }

  std::string field(size_t row) { return skip("\"") ? quoted_rest(row) : plain(); }

  std::string plain() {
    size_t end = text_.find_first_of(",\n", at_);
    if (end == std::string_view::npos) end = text_.size();
    auto value = text_.substr(at_, end - at_);
    if (end < text_.size() && text_[end] == '\n' && value.ends_with('\r')) value.remove_suffix(1);
    at_ = end;
    return std::string(value);
  }

  std::string quoted_rest(size_t row) {
    std::string value;
    while (true) {
      const size_t quote = text_.find('"', at_);
      if (quote == std::string_view::npos) throw fault(row, "a quote is never closed");
      value += text_.substr(at_, quote - at_);
      at_ = quote + 1;
      if (!skip("\"")) return value;
      value += '"';
    }
  }

  std::string_view text_;
  const std::string& name_;
  size_t at_ = 0;
};

inline std::vector<std::vector<std::string>> parse_csv(std::string_view text, const std::string& name) {
  return CsvParser(text, name).rows();
}

/// Reads what matrix_csv() (align/csv.h) writes. DataError for rows of another length or weights that are no numbers.
inline Alignment parse_matrix_csv(std::string_view text, const std::string& name) {
  CsvParser parser(text, name);
  const auto rows = parser.rows();
  if (rows.empty() || !rows[0][0].empty()) throw DataError(name + ": the first row must begin with \"\"");
  Alignment alignment;
  alignment.source.assign(rows[0].begin() + 1, rows[0].end());
  for (size_t row = 1; row < rows.size(); ++row) {
    if (rows[row].size() != rows[0].size())
      throw parser.fault(row + 1, std::to_string(rows[row].size()) + " fields");
    alignment.target.push_back(rows[row][0]);
    for (size_t column = 1; column < rows[row].size(); ++column) {
      const auto weight = whole_number<double>(rows[row][column]);
      if (!weight) throw parser.fault(row + 1, "'" + rows[row][column] + "' is no number");
      alignment.weights.push_back(*weight);
    }
  }
  return alignment;
}

}  // namespace gloss
