#pragma once

#include <charconv>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gloss {

/// The number that the whole text is, or nothing: no blank, no sign "+", nothing after it, nothing out of range.
template <class Number>
std::optional<Number> whole_number(std::string_view text) {
  Number value{};
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (text.empty() || error != std::errc() || stop != end) return {};
  return value;
}

std::string join(const std::vector<std::string>& parts, std::string_view separator = ", ");

/// The parts between separators, empty ones too: "a,,b" has three, "" has one.
std::vector<std::string> split(std::string_view text, char separator);

}  // namespace gloss
