#pragma once

#include <string>

namespace gloss {

/// The whole text of a file or of stdin, gzip unpacked, nothing else changed: byte order mark and
/// carriage returns stay. Throws DataError, naming the file, when it cannot be read or used, as LineReader does.
std::string read_text(const std::string& path);

}  // namespace gloss
