#pragma once

#include <string>

namespace gloss {

/// Throws UsageError when both name the same file: the later writer would replace what the other is there for.
/// stdin, stdout and devices are never the same file.
/// \param options how the message names the two, "--input and --output"
void check_different_files(const std::string& a, const std::string& b, const std::string& options);

/// Throws UsageError when a file to be written is one of the model's own.
/// \param option that names the file, "--output"
void check_not_of_model(const std::string& file, const std::string& model, const std::string& option);

}  // namespace gloss
