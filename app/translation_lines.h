#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/file.h"
#include "text/tokenizer.h"

namespace gloss {

/// A line of the input, ready for the search.
struct SourceLine {
  int64_t number = 0;                        ///< from 1
  std::string text;                          ///< valid UTF-8
  std::vector<std::vector<Piece>> segments;  ///< none when blank, one, or several where the line was too long
};

struct LinePolicy {
  int64_t max_pieces = 0;  ///< longest segment; 0: no limit
  bool strict = false;     ///< invalid UTF-8 is an error, not a warning
};

/// The next lines of the input, at most `limit`: waits for the first one as long as it takes, then only 20 ms
/// in all for lines that have not come yet. A file thus gives full chunks, and a person at a terminal a
/// prompt answer. Empty at the end.
std::vector<std::string> next_chunk(LineReader& reader, size_t limit);

/// The line, if it is UTF-8; else with U+FFFD for what is not, and a warning, or DataError when strict.
/// \param place "file:line" for messages
std::string valid_line(std::string raw, const std::string& place, bool strict);

/// Applies the line policy: a line without a word or a piece is blank; invalid UTF-8 becomes U+FFFD and is
/// reported (DataError when strict); over-long lines are cut, where possible before a word, and reported.
/// \param input name for messages
SourceLine prepare_line(std::string raw, int64_t number, const std::string& input, const Tokenizer& tokenizer,
                        const LinePolicy& policy);

/// The pieces as segments of at most `max_pieces`, cut before a word if one begins in the latter half of a
/// segment.
std::vector<std::vector<Piece>> cut_pieces(std::vector<Piece> pieces, const std::string& text,
                                           int64_t max_pieces);

}  // namespace gloss
