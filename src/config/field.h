#pragma once

#include <charconv>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "core/text.h"

namespace gloss {

/// What a value must fulfil. `fault` gets the value as written by the user and returns what is wrong, or nothing.
/// `text` stands in --help.
struct Check {
  std::string text;
  std::function<std::string(const std::string&)> fault;
};

/// An options struct describes itself once, in a member template
///   template <class Visitor> void visit(Visitor&& field) {
///     field("batch-tokens", batch_tokens, "Target tokens a batch.", positive);
///   }
/// from which flags (config/flags.h), the TOML reader and writer (config/toml.h) and the help text follow.
/// Value types: bool, int64_t, double, std::string, std::vector<std::string>.
namespace detail {

inline Check number_check(std::string text, std::function<bool(double)> holds) {
  auto fault = [text, holds = std::move(holds)](const std::string& written) -> std::string {
    const auto value = whole_number<double>(written);
    if (value && std::isfinite(*value) && holds(*value)) return {};
    return "must be " + text + ", got '" + written + "'";
  };
  return {std::move(text), std::move(fault)};
}

}  // namespace detail

inline const Check any{"", [](const std::string&) { return std::string(); }};
inline const Check positive = detail::number_check("positive", [](double v) { return v > 0; });
inline const Check non_negative = detail::number_check("not negative", [](double v) { return v >= 0; });

inline std::string plain_number(double v) {
  char text[32];
  return {text, std::to_chars(text, text + sizeof text, v).ptr};
}

/// Closed range.
inline Check between(double low, double high) {
  return detail::number_check("between " + plain_number(low) + " and " + plain_number(high),
                              [=](double v) { return v >= low && v <= high; });
}

/// 0 <= v < 1, as a dropout probability must be.
inline Check below_one() {
  return detail::number_check("at least 0 and below 1", [](double v) { return v >= 0 && v < 1; });
}

inline Check one_of(std::vector<std::string> names) {
  auto text = "one of: " + join(names);
  auto fault = [names = std::move(names), text](const std::string& written) -> std::string {
    for (const auto& name : names)
      if (name == written) return {};
    return "unknown value '" + written + "'; choose " + text;
  };
  return {std::move(text), std::move(fault)};
}

/// The same, or nothing: for options that may be left open.
inline Check or_empty(const Check& check) {
  return {check.text + ", or empty", [fault = check.fault](const std::string& written) {
            return written.empty() ? std::string() : fault(written);
          }};
}

}  // namespace gloss
