#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "config/field.h"

namespace gloss {

/// One field of each type, with checks and without.
struct SampleOptions {
  bool shared = false;
  int64_t beam_size = 5;
  double dropout = 0.2;
  std::string cell = "gru";
  std::vector<std::string> files;
  std::string name;

  template <class Visitor>
  void visit(Visitor&& field) {
    field("shared", shared, "One for both sides.", any);
    field("beam-size", beam_size, "Hypotheses kept.", positive);
    field("dropout", dropout, "Dropout probability.", below_one());
    field("cell", cell, "Recurrent cell.", one_of({"gru", "lstm"}));
    field("files", files, "Some files.", any);
    field("name", name, "Free text.", any);
  }

  bool operator==(const SampleOptions&) const = default;
};

}  // namespace gloss
