#pragma once

#include <cstdint>

#include "config/field.h"

namespace gloss {

/// How translations are searched for. Lengths count pieces without the end mark, unless said otherwise.
struct SearchOptions {
  int64_t beam_size = 5;
  double length_penalty = 1.0;
  int64_t max_output_length = 0;
  double max_output_ratio = 3.0;
  int64_t n_best = 1;

  template <class Visitor>
  void visit(Visitor&& field) {
    field("beam-size", beam_size, "Hypotheses kept at each step; 1 is greedy search.", between(1, 1000));
    field("length-penalty", length_penalty,
          "A: a hypothesis' log-probability is divided by length^A (end mark counted); 0 is the plain sum.",
          non_negative);
    field("max-output-length", max_output_length, "Most pieces of a translation; 0 takes max-output-ratio.",
          non_negative);
    field("max-output-ratio", max_output_ratio,
          "Most pieces of a translation: this times those of the source, plus 10.", positive);
    field("n-best", n_best, "Translations given for each line, best first; at most beam-size.", positive);
  }

  /// Throws UsageError when more translations are asked for than the beam holds.
  void validate() const;
};

/// Most pieces of a translation, end mark not counted. \param source_pieces </s> not counted
int64_t output_limit(const SearchOptions& options, int64_t source_pieces);

}  // namespace gloss
