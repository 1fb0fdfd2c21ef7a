#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "config/field.h"

namespace gloss {

/// A value as a user wrote it. `origin` begins messages: "--beam-size" or "recipe.toml:3: beam-size".
struct Setting {
  std::string key;
  std::vector<std::string> values;
  std::string origin;
};

/// One field of an options struct: its name, its meaning, and where its value lies.
struct Field {
  using Value = std::variant<bool*, int64_t*, double*, std::string*, std::vector<std::string>*>;

  std::string name;
  std::string doc;
  std::string group;
  Check check;
  bool in_files = true;  ///< false: a flag only, refused in --config files and left out of dumps
  Value value;

  bool is_list() const { return std::holds_alternative<std::vector<std::string>*>(value); }
  bool is_switch() const { return std::holds_alternative<bool*>(value); }

  /// The present value as text, one entry unless a list; what set() reads back to the same value.
  std::vector<std::string> text() const;
  /// Parses, checks and assigns. Throws UsageError beginning with the setting's origin.
  void set(const Setting& setting) const;
};

/// All fields of one or more options structs, which must outlive this. Flags (flags.h) and files (toml.h)
/// become lists of Settings that go through apply() in turn, so both obey the same checks with the same
/// messages.
class Fields {
 public:
  /// `Options` describes itself by its visit(). A name may stand in one struct only.
  template <class Options>
  void add(Options& options, const std::string& group, bool in_files = true) {
    options.visit([&](const char* name, auto& value, const char* doc, const Check& check) {
      append({name, doc, group, check, in_files, &value});
    });
  }

  /// In the order given, later settings over earlier ones, lists as a whole: first those of a file, then
  /// flags. Throws UsageError for an unknown key (with the nearest valid one) and for every bad value.
  void apply(const std::vector<Setting>& settings) const;

  const Field* find(const std::string& name) const;
  const std::vector<Field>& all() const { return fields_; }
  std::vector<std::string> names() const;

 private:
  void append(Field field);

  std::vector<Field> fields_;
};

/// Names of the options that differ from their defaults.
template <class Options>
std::vector<std::string> changed_options(Options options) {
  Options defaults;
  Fields now, standard;
  now.add(options, "");
  standard.add(defaults, "");
  std::vector<std::string> names;
  for (const auto& field : now.all())
    if (field.text() != standard.find(field.name)->text()) names.push_back(field.name);
  return names;
}

}  // namespace gloss
