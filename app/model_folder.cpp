#include "model_folder.h"

#include "core/error.h"
#include "core/file.h"
#include "core/text.h"

namespace gloss {
namespace {

namespace fs = std::filesystem;

/// What decides the model and the order of its data must stay; how long, how often and where may change, and
/// the trainer reports it.
std::string differences(TrainConfig then, TrainConfig now) {
  const auto fields_of = [](TrainConfig& config) {
    Fields fields;
    add_train_config(fields, config);
    return fields;
  };
  const auto old_fields = fields_of(then), new_fields = fields_of(now);
  std::string text;
  const auto compare = [&](const std::string& name, const std::string& before, const std::string& after) {
    if (before != after) text += "\n  " + name + ": '" + before + "' there, '" + after + "' now";
  };
  for (const auto& field : old_fields.all()) {
    if (field.group == kTrainingGroup && field.name != "accumulate") continue;
    compare(field.name, join(field.text(), " "), join(new_fields.find(field.name)->text(), " "));
  }
  compare("seed", std::to_string(then.seed), std::to_string(now.seed));
  return text;
}

/// Nothing in the folder but vocabularies, which are written before config.toml: a start that was cut off.
bool is_unused(const fs::path& root) {
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(root, ignored)) {
    const auto name = entry.path().filename().string();
    if (!name.starts_with("source.") && !name.starts_with("target.") && !name.starts_with("joint."))
      return false;
  }
  return true;
}

/// Folders of the path that do not exist yet, innermost first.
std::vector<fs::path> missing_folders(const fs::path& path) {
  std::vector<fs::path> missing;
  std::error_code ignored;
  for (auto folder = fs::absolute(path); !fs::exists(folder, ignored) && folder != folder.root_path();
       folder = folder.parent_path())
    missing.push_back(folder);
  return missing;
}

}  // namespace

ModelFolder::ModelFolder(const TrainConfig& config) : directory_(config.train.model) {
  const auto& root = directory_.root();
  std::error_code ignored;
  made_ = missing_folders(root);
  check_writable_directory(root.string());
  lock_.emplace(root.string());
  is_resumed_ = fs::exists(directory_.config(), ignored);
  if (!is_resumed_ && fs::is_directory(root, ignored) && !is_unused(root))
    throw UsageError(root.string() +
                     ": holds files, but no config.toml of a training to go on with; choose an empty or "
                     "a new folder for --model");
  if (is_resumed_) {
    const auto changes = differences(read_train_config(directory_.config()), config);
    if (!changes.empty())
      throw UsageError(root.string() +
                       ": holds a training of another configuration; choose another folder for --model, "
                       "or go on with the same options:" +
                       changes);
  }
  if (is_resumed_ && directory_.steps().empty() && fs::exists(directory_.weights(), ignored))
    throw UsageError(
        root.string() +
        ": holds a trained model, but no checkpoint to go on from; restore its checkpoints folder, choose "
        "another folder for --model, or remove model.safetensors to begin anew");
}

ModelFolder::~ModelFolder() {
  std::error_code ignored;
  for (const auto& folder : made_) fs::remove(folder, ignored);  // empty ones only
}

}  // namespace gloss
