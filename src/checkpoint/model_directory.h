#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "checkpoint/safetensors.h"

namespace gloss {

/// A training to be resumed. `state` belongs to the train module; here it is only carried.
struct Checkpoint {
  int64_t step = 0;
  NamedTensors model;
  NamedTensors optimizer;
  Metadata metadata;  ///< of the weights: tokenizer hashes and such
  nlohmann::json state;
};

/// A model directory and the names in it:
///   config.toml  source.spm target.spm | joint.spm | *.vocab  model.safetensors  train.jsonl
///   checkpoints/step-00012000/{model,optimizer}.safetensors  state.json
/// What stands under its final name is whole: files and checkpoints are written beside it, made durable and renamed.
class ModelDirectory {
 public:
  explicit ModelDirectory(std::filesystem::path root) : root_(std::move(root)) {}

  const std::filesystem::path& root() const { return root_; }
  std::filesystem::path config() const { return root_ / "config.toml"; }
  std::filesystem::path weights() const { return root_ / "model.safetensors"; }
  std::filesystem::path record() const { return root_ / "train.jsonl"; }
  std::filesystem::path checkpoints() const { return root_ / "checkpoints"; }
  std::filesystem::path checkpoint(int64_t step) const;

  /// Is this one of the names above, whether there is such a file or not? (Others may lie in the folder too.)
  bool owns(const std::filesystem::path& file) const;

  /// Steps that have a folder under its final name, newest first; whether they are whole is not looked at.
  std::vector<int64_t> steps() const;

  /// Throws OutputError (disk full, no permission); earlier checkpoints are as they were then.
  void save_checkpoint(const Checkpoint& checkpoint) const;

  /// The newest checkpoint that can be read. Damaged ones are passed over with a warning that names them. Nothing when
  /// there is none at all; CheckpointError when there are some and every one is damaged.
  std::optional<Checkpoint> latest_checkpoint() const;

  /// Removes checkpoints older than the `keep` newest whole ones. The last whole one is never removed.
  void prune(int64_t keep = 2) const;

  /// Removes what an interrupted save left behind. Only for the one program that trains in this directory.
  void remove_leftovers() const;

 private:
  std::filesystem::path root_;
};

}  // namespace gloss
