#include "align/csv.h"

#include <charconv>

#include "core/error.h"

namespace gloss {
namespace {

DataError row_fault(const std::string& name, size_t row, const std::string& what) {
  return DataError(name + ": row " + std::to_string(row) + ": " + what);
}

double parse_weight(const std::string& text, const std::string& name, size_t row) {
  double weight = 0.0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), weight);
  if (error != std::errc() || end != text.data() + text.size())
    throw row_fault(name, row,
                    "'" + text + "' is no number; an alignment matrix has weights behind the token");
  return weight;
}

/// Reads field by field.
class CsvParser {
 public:
  CsvParser(std::string_view text, const std::string& name) : text_(text), name_(name) {}

  std::vector<std::vector<std::string>> rows() {
    std::vector<std::vector<std::string>> rows;
    while (at_ < text_.size()) {
      auto& row = rows.emplace_back();
      do row.push_back(field(rows.size()));
      while (skip(","));
      if (!skip("\r\n") && !skip("\n") && at_ < text_.size())
        throw row_fault(name_, rows.size(), "text behind a closing quote; double the quotes inside a field");
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
      if (quote == std::string_view::npos) throw row_fault(name_, row, "a quote is never closed");
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

}  // namespace

std::string csv_field(std::string_view text) {
  if (!text.empty() && text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(text);
  std::string quoted = "\"";
  for (const char c : text) quoted.append(c == '"' ? 2 : 1, c);
  return quoted + '"';
}

std::string weight_text(double weight) {
  char text[32];
  return {text, std::to_chars(text, text + sizeof text, weight, std::chars_format::general, 6).ptr};
}

std::vector<std::vector<std::string>> parse_csv(std::string_view text, const std::string& name) {
  return CsvParser(text, name).rows();
}

std::string matrix_csv(const Alignment& alignment) {
  std::string text = "\"\"";
  for (const auto& token : alignment.source) text.append(",").append(csv_field(token));
  text += '\n';
  for (size_t row = 0; row < alignment.target.size(); ++row) {
    text += csv_field(alignment.target[row]);
    for (size_t column = 0; column < alignment.source.size(); ++column)
      text.append(",").append(weight_text(alignment.weight(row, column)));
    text += '\n';
  }
  return text;
}

Alignment parse_matrix_csv(std::string_view text, const std::string& name) {
  const auto rows = parse_csv(text, name);
  if (rows.empty() || !rows[0][0].empty())
    throw DataError(name + ": no alignment matrix; its first row must be \"\" and the source tokens");
  Alignment alignment;
  alignment.source.assign(rows[0].begin() + 1, rows[0].end());
  for (size_t row = 1; row < rows.size(); ++row) {
    if (rows[row].size() != rows[0].size())
      throw row_fault(name, row + 1,
                      std::to_string(rows[row].size()) + " fields, but the first row has " +
                          std::to_string(rows[0].size()));
    alignment.target.push_back(rows[row][0]);
    for (size_t column = 1; column < rows[row].size(); ++column)
      alignment.weights.push_back(parse_weight(rows[row][column], name, row + 1));
  }
  return alignment;
}

}  // namespace gloss
