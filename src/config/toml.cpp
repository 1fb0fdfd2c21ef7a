#include "config/toml.h"

#include <toml++/toml.h>

#include <algorithm>
#include <fstream>
#include <iterator>

#include "config/nearest_name.h"
#include "core/error.h"
#include "core/text.h"

namespace gloss {
namespace {

std::string at_line(const std::string& name, const toml::source_region& region) {
  return name + ":" + std::to_string(region.begin.line) + ": ";
}

std::string value_text(const toml::node& node, const std::string& where) {
  if (const auto* text = node.as_string()) return text->get();
  if (const auto* number = node.as_integer()) return std::to_string(number->get());
  if (const auto* number = node.as_floating_point()) return plain_number(number->get());
  if (const auto* truth = node.as_boolean()) return truth->get() ? "true" : "false";
  throw UsageError(where + "a value is text in quotes, a number, true, false, or a list of text");
}

std::vector<std::string> value_texts(const toml::node& node, const std::string& where) {
  const auto* list = node.as_array();
  if (!list) return {value_text(node, where)};
  std::vector<std::string> texts;
  for (const auto& element : *list) texts.push_back(value_text(element, where));
  return texts;
}

std::string quoted(const std::string& text) {
  static constexpr char kHex[] = "0123456789ABCDEF";
  std::string result = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      result += {'\\', c};
    } else if (byte < 0x20 || byte == 0x7F) {
      result += {'\\', 'u', '0', '0', kHex[byte >> 4], kHex[byte & 15]};
    } else {
      result += c;
    }
  }
  return result + '"';
}

/// TOML tells 1 from 1.0; reading does not mind, but other tools do.
std::string number_text(double value) {
  auto text = plain_number(value);
  if (text.find_first_of(".en") == std::string::npos) text += ".0";
  return text;
}

struct ValueWriter {
  std::string operator()(const bool* value) const { return *value ? "true" : "false"; }
  std::string operator()(const int64_t* value) const { return std::to_string(*value); }
  std::string operator()(const double* value) const { return number_text(*value); }
  std::string operator()(const std::string* value) const { return quoted(*value); }
  std::string operator()(const std::vector<std::string>* value) const {
    std::vector<std::string> texts;
    for (const auto& text : *value) texts.push_back(quoted(text));
    return "[" + join(texts) + "]";
  }
};

}  // namespace

std::vector<Setting> parse_toml(std::string_view text, const std::string& name, const Fields& fields) {
  toml::table table;
  try {
    table = toml::parse(text, name);
  } catch (const toml::parse_error& error) {
    throw UsageError(at_line(name, error.source()) + std::string(error.description()));
  }
  std::vector<std::pair<size_t, Setting>> found;
  for (const auto& [key, node] : table) {
    const std::string key_text(key.str());
    const auto where = at_line(name, key.source());
    if (node.is_table() || node.is_array_of_tables())
      throw UsageError(where + "section '" + key_text +
                       "'; configuration files are flat, write 'key = value' lines only");
    const auto* field = fields.find(key_text);
    if (!field)
      throw UsageError(where + "unknown key '" + key_text + "'" + did_you_mean(key_text, fields.names()));
    if (!field->in_files) throw UsageError(where + "'" + key_text + "' is a flag and cannot stand in a file");
    const auto origin = where + key_text;
    found.push_back({key.source().begin.line, {key_text, value_texts(node, origin + ": "), origin}});
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<Setting> settings;
  for (auto& [line, setting] : found) settings.push_back(std::move(setting));
  return settings;
}

std::vector<Setting> read_toml(const std::filesystem::path& file, const Fields& fields) {
  std::error_code ignored;
  if (std::filesystem::is_directory(file, ignored))
    throw UsageError(file.string() + ": is a folder; name a file");
  std::ifstream input(file, std::ios::binary);
  if (!input) throw UsageError(file.string() + ": cannot read this configuration file; check the path");
  const std::string text{std::istreambuf_iterator<char>(input), {}};
  return parse_toml(text, file.string(), fields);
}

std::string write_toml(const Fields& fields) {
  std::string text, group;
  for (const auto& field : fields.all()) {
    if (!field.in_files) continue;
    if (field.group != group) {
      group = field.group;
      text += (text.empty() ? "## " : "\n## ") + group + "\n";
    }
    text += "# " + field.doc + (field.check.text.empty() ? "" : " (" + field.check.text + ")") + "\n";
    text += field.name + " = " + std::visit(ValueWriter{}, field.value) + "\n";
  }
  return text;
}

}  // namespace gloss
