#include "align/csv.h"

#include <charconv>

namespace gloss {

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

}  // namespace gloss
