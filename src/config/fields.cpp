#include "config/fields.h"

#include <cmath>

#include "config/nearest_name.h"
#include "core/error.h"
#include "core/text.h"

namespace gloss {
namespace {

[[noreturn]] void refuse(const Setting& setting, const std::string& what) {
  throw UsageError(setting.origin + ": " + what);
}

void parse(const Setting& setting, const std::string& text, bool& value) {
  if (text != "true" && text != "false") refuse(setting, "must be true or false, got '" + text + "'");
  value = text == "true";
}

void parse(const Setting& setting, const std::string& text, int64_t& value) {
  const auto number = whole_number<int64_t>(text);
  const auto digits = text.substr(text.starts_with('-') ? 1 : 0);
  if (digits.empty() || digits.find_first_not_of("0123456789") != std::string::npos)
    refuse(setting, "must be a whole number, got '" + text + "'");
  if (!number) refuse(setting, "'" + text + "' is too large a number");
  value = *number;
}

void parse(const Setting& setting, const std::string& text, double& value) {
  const auto number = whole_number<double>(text);
  if (!number || std::isnan(*number)) refuse(setting, "must be a number, got '" + text + "'");
  value = *number;
}

void parse(const Setting&, const std::string& text, std::string& value) { value = text; }

std::string written(bool value) { return value ? "true" : "false"; }
std::string written(int64_t value) { return std::to_string(value); }
std::string written(double value) { return plain_number(value); }
std::string written(const std::string& value) { return value; }

}  // namespace

std::vector<std::string> Field::text() const {
  return std::visit(
      [](const auto* v) -> std::vector<std::string> {
        if constexpr (std::is_same_v<decltype(v), const std::vector<std::string>*>) {
          return *v;
        } else {
          return {written(*v)};
        }
      },
      value);
}

void Field::set(const Setting& setting) const {
  if (!is_list() && setting.values.size() != 1)
    refuse(setting, "takes one value, got " + std::to_string(setting.values.size()));
  std::visit(
      [&](auto* target) {
        const auto check_one = [&](const std::string& text) {
          if (const auto fault = check.fault(text); !fault.empty()) refuse(setting, fault);
        };
        if constexpr (std::is_same_v<decltype(target), std::vector<std::string>*>) {
          for (const auto& text : setting.values) check_one(text);
          *target = setting.values;
        } else {
          auto parsed = *target;  // type first: "must be a whole number" says more than a failed range
          parse(setting, setting.values.front(), parsed);
          check_one(setting.values.front());
          *target = parsed;
        }
      },
      value);
}

void Fields::append(Field field) {
  if (find(field.name)) throw std::logic_error("option '" + field.name + "' is defined twice");
  fields_.push_back(std::move(field));
}

const Field* Fields::find(const std::string& name) const {
  for (const auto& field : fields_)
    if (field.name == name) return &field;
  return nullptr;
}

std::vector<std::string> Fields::names() const {
  std::vector<std::string> result;
  for (const auto& field : fields_) result.push_back(field.name);
  return result;
}

void Fields::apply(const std::vector<Setting>& settings) const {
  for (const auto& setting : settings) {
    const auto* field = find(setting.key);
    if (!field) refuse(setting, "unknown option '" + setting.key + "'" + did_you_mean(setting.key, names()));
    field->set(setting);
  }
}

}  // namespace gloss
