#pragma once

#include <filesystem>
#include <optional>
#include <vector>

#include "checkpoint/model_directory.h"
#include "core/file.h"
#include "train_config.h"

namespace gloss {

/// The model directory that a training writes, checked before any work: it can be written, and it is new,
/// empty, or holds a training of the same configuration, which is then resumed.
class ModelFolder {
 public:
  /// Makes the folder where there is none.
  /// Throws OutputError (cannot be written) and UsageError (holds something else; lists what differs).
  explicit ModelFolder(const TrainConfig& config);
  ModelFolder(const ModelFolder&) = delete;
  ModelFolder& operator=(const ModelFolder&) = delete;

  /// Removes again what the constructor made, unless keep() was called.
  ~ModelFolder();

  void keep() { made_.clear(); }
  bool is_resumed() const { return is_resumed_; }
  const ModelDirectory& directory() const { return directory_; }

 private:
  ModelDirectory directory_;
  std::vector<std::filesystem::path> made_;  // folders, innermost first
  bool is_resumed_ = false;
  std::optional<DirectoryLock> lock_;  // one training at a time
};

}  // namespace gloss
