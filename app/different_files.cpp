#include "different_files.h"

#include <filesystem>

#include "checkpoint/model_directory.h"
#include "core/error.h"
#include "core/file.h"

namespace gloss {

void check_different_files(const std::string& a, const std::string& b, const std::string& options) {
  if (is_stdout(a) || is_stdout(b) || a.starts_with("/dev/")) return;
  std::error_code absent;
  const bool same =
      std::filesystem::equivalent(a, b, absent) ||
      std::filesystem::absolute(a).lexically_normal() == std::filesystem::absolute(b).lexically_normal();
  if (same) throw UsageError(options + ": are the same file, '" + a + "'; name different ones");
}

void check_not_of_model(const std::string& file, const std::string& model, const std::string& option) {
  if (!is_stdout(file) && !model.empty() && ModelDirectory(model).owns(file))
    throw UsageError(option + ": " + file + " is a file of the model; name another");
}

}  // namespace gloss
