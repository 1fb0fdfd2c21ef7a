#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "align/alignment.h"

namespace gloss {

/// Hard links of a soft alignment, in order of source and then target. Threshold 0: the largest weight of each target
/// unit (the leftmost of equals); else all weights of at least `threshold`. A row of zeros gives none.
/// With `has_eos`, the last row and column are </s>: a target unit drawn to it has no link.
std::vector<Link> hard_links(const Alignment& alignment, double threshold = 0.0, bool has_eos = false);

/// A sentence of a link file. Written `i-j` where sure and `ipj` where only possible; NAACL marks S and P.
struct SentenceLinks {
  std::vector<Link> sure;
  std::vector<Link> possible;
};

/// A text form of links.
struct LinkFormat {
  std::string name;
  int64_t base;  ///< number of the first word
  bool
      one_line_each;  ///< false (naacl): a line for each link, so that sentences without links leave no trace
};

/// pharaoh (`0-0 1-2`, from 0), talp (`1-1 2p3`, from 1), naacl (`sentence source target [S|P]`, from 1).
std::vector<std::string> link_format_names();
/// UsageError for an unknown name.
const LinkFormat& link_format(const std::string& name);
/// By the file's ending .talp or .naacl; pharaoh for all others.
const LinkFormat& link_format_of_file(const std::string& path);

/// The lines of one sentence (1-based number), each with its LF.
std::string format_links(const LinkFormat& format, int64_t sentence, const std::vector<Link>& links);

/// Reads a link file. `base` overrides the format's own. Links to NAACL's NULL word (below the base) are left out.
/// DataError with file and line for a malformed link, a position below the base, or a sentence number far beyond those
/// before it.
std::vector<SentenceLinks> read_links(const std::string& path, const LinkFormat& format,
                                      std::optional<int64_t> base = std::nullopt);

}  // namespace gloss
