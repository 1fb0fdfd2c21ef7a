#include "config/flags.h"

#include <CLI/CLI.hpp>

#include "config/nearest_name.h"
#include "core/error.h"
#include "core/text.h"

namespace gloss {
namespace {

constexpr size_t kHelpColumn = 36;
constexpr size_t kHelpWidth = 64;

std::string type_name(const Field& field) {
  struct Names {
    std::string operator()(const bool*) const { return ""; }
    std::string operator()(const int64_t*) const { return "INT"; }
    std::string operator()(const double*) const { return "NUMBER"; }
    std::string operator()(const std::string*) const { return "TEXT"; }
    std::string operator()(const std::vector<std::string>*) const { return "TEXT..."; }
  };
  return std::visit(Names{}, field.value);
}

/// CLI11 indents lines of a description but does not break them.
std::string wrapped(const std::string& text) {
  std::string result, word;
  size_t width = 0;
  const auto place = [&] {
    if (width > 0 && width + 1 + word.size() > kHelpWidth) {
      result += '\n';
      width = 0;
    } else if (width > 0) {
      result += ' ';
      ++width;
    }
    result += word;
    width += word.size();
    word.clear();
  };
  for (const char c : text) {
    if (c != ' ') {
      word += c;
    } else if (!word.empty()) {
      place();
    }
  }
  if (!word.empty()) place();
  return result;
}

std::string help_text(const Field& field) {
  const auto value = join(field.text(), " ");
  auto text = field.doc;
  if (!field.check.text.empty()) text += " (" + field.check.text + ")";
  return wrapped(text + " [default: " + (value.empty() ? "none" : value) + "]");
}

std::string without_dashes(const std::string& argument) {
  const auto end = argument.find('=');
  return argument.substr(2, end == std::string::npos ? end : end - 2);
}

}  // namespace

void add_flags(const Fields& fields, CLI::App& app) {
  app.get_formatter()->column_width(kHelpColumn);
  app.allow_extras();  // so that given_flags() can name the nearest flag
  for (const auto& field : fields.all()) {
    auto* option = app.add_option(
        "--" + field.name, [](const CLI::results_t&) { return true; }, help_text(field));
    option->type_name(type_name(field))->group(field.group);
    if (field.is_list()) {
      option->expected(1, CLI::detail::expected_max_vector_size)->allow_extra_args();
    } else {
      option->expected(field.is_switch() ? 0 : 1, 1)->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
    }
  }
}

std::vector<Setting> given_flags(const Fields& fields, const CLI::App& app) {
  std::vector<Setting> settings;
  for (const auto& field : fields.all()) {
    const auto* option = app.get_option("--" + field.name);
    if (option->count() == 0) continue;
    Setting setting{field.name, option->results(), "--" + field.name};
    if (!field.is_list()) setting.values = {setting.values.back()};  // given twice: the last counts
    for (auto& value : setting.values) {
      if (value.starts_with("--") && fields.find(without_dashes(value)))
        throw UsageError(setting.origin + ": its value is missing, '" + value + "' follows");
      if (value.empty() && field.is_switch()) value = "true";
    }
    settings.push_back(std::move(setting));
  }
  // After the above: a flag that swallowed the next one leaves that one's value behind as a stray word.
  for (const auto& extra : app.remaining()) {
    if (!extra.starts_with("--"))
      throw UsageError("unexpected argument '" + extra + "'; every value belongs to a --flag");
    throw UsageError("unknown flag '" + extra + "'" +
                     did_you_mean(without_dashes(extra), fields.names(), "--"));
  }
  return settings;
}

}  // namespace gloss
