#include "checkpoint/model_directory.h"

#include <fcntl.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>

#include "core/error.h"
#include "core/file.h"

namespace gloss {
namespace {

namespace fs = std::filesystem;

constexpr auto kModelFile = "model.safetensors";
constexpr auto kOptimizerFile = "optimizer.safetensors";
constexpr auto kStateFile = "state.json";
constexpr std::string_view kStepPrefix = "step-";
constexpr auto kFolderSuffix = ".tmp";
constexpr int64_t kStateVersion = 1;

[[noreturn]] void fail(const fs::path& path, const std::string& what, const std::error_code& error) {
  throw OutputError(path.string() + ": " + what + " (" + error.message() +
                    "); check the disk and its permissions");
}

std::error_code last_error() { return {errno, std::generic_category()}; }

/// A number in "step-NUMBER" and nothing else.
std::optional<int64_t> step_of(const std::string& name) {
  if (!name.starts_with(kStepPrefix)) return {};
  const auto digits = name.substr(kStepPrefix.size());
  if (digits.empty() || digits.size() > 18 || digits.find_first_not_of("0123456789") != std::string::npos)
    return {};
  return std::stoll(digits);
}

nlohmann::json read_state(const fs::path& file) {
  nlohmann::json object;
  try {
    object = nlohmann::json::parse(read_file(file.string()));
  } catch (const nlohmann::json::exception&) {
    throw CheckpointError(file.string() + ": is not JSON; the file is damaged, use an earlier checkpoint");
  } catch (const DataError& error) {
    throw CheckpointError(error.what());
  }
  if (!object.is_object() || !object.contains("format") || !object["format"].is_number_integer() ||
      !object.contains("state"))
    throw CheckpointError(file.string() +
                          ": has no format and state; the file is damaged, use an earlier checkpoint");
  if (const auto version = object["format"].get<int64_t>(); version > kStateVersion)
    throw CheckpointError(file.string() + ": has format version " + std::to_string(version) +
                          ", this gloss reads up to version " + std::to_string(kStateVersion) +
                          "; update gloss or train anew");
  return std::move(object["state"]);
}

Checkpoint read_checkpoint(const fs::path& folder, int64_t step) {
  auto state = read_state(folder / kStateFile);
  auto model = read_safetensors(folder / kModelFile);
  auto optimizer = read_safetensors(folder / kOptimizerFile);
  return {.step = step,
          .model = std::move(model.tensors),
          .optimizer = std::move(optimizer.tensors),
          .metadata = std::move(model.metadata),
          .state = std::move(state)};
}

/// Headers and sizes only.
bool is_whole(const fs::path& folder) {
  try {
    read_state(folder / kStateFile);
    check_safetensors(folder / kModelFile);
    check_safetensors(folder / kOptimizerFile);
    return true;
  } catch (const Error&) {
    return false;
  }
}

/// Renamed first, so that a half removed checkpoint never stands under its final name.
void remove_checkpoint(const fs::path& folder) {
  const fs::path doomed = folder.string() + kFolderSuffix;
  std::error_code error;
  fs::remove_all(doomed, error);
  fs::rename(folder, doomed, error);
  if (!error) fs::remove_all(doomed, error);
  if (error) spdlog::warn("{}: cannot be removed ({})", folder.string(), error.message());
}

/// Puts the finished folder in place; one of that name (a step reached again) changes places with it in one go.
void put_in_place(const fs::path& temporary, const fs::path& folder) {
  if (!fs::exists(folder)) {
    std::error_code error;
    fs::rename(temporary, folder, error);
    if (error) fail(folder, "cannot be put in place", error);
    return;
  }
  if (::renameat2(AT_FDCWD, temporary.c_str(), AT_FDCWD, folder.c_str(), RENAME_EXCHANGE) != 0) {
    const auto error = last_error();
    if (error != std::errc::invalid_argument && error != std::errc::function_not_supported)
      fail(folder, "cannot be replaced", error);
    // A file system without exchange (some network ones): two steps.
    remove_checkpoint(folder);
    put_in_place(temporary, folder);
    return;
  }
  std::error_code ignored;
  fs::remove_all(temporary, ignored);
}

}  // namespace

fs::path ModelDirectory::checkpoint(int64_t step) const {
  auto digits = std::to_string(step);
  if (digits.size() < 8) digits.insert(0, 8 - digits.size(), '0');
  return checkpoints() / (std::string(kStepPrefix) + digits);
}

bool ModelDirectory::owns(const fs::path& file) const {
  const auto is_own = [&](const fs::path& within) {
    if (within.empty()) return false;
    const auto is = [&](const fs::path& own) { return within == own.filename(); };
    const auto extension = within.extension();
    return *within.begin() == checkpoints().filename() || is(config()) || is(weights()) || is(record()) ||
           (!within.has_parent_path() && (extension == ".spm" || extension == ".vocab"));
  };
  // As it is written, and where links lead to.
  std::error_code error;
  return is_own(fs::absolute(file).lexically_normal().lexically_relative(
             fs::absolute(root_).lexically_normal())) ||
         is_own(fs::relative(file, root_, error));
}

std::vector<int64_t> ModelDirectory::steps() const {
  std::vector<int64_t> found;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(checkpoints(), error)) {
    const auto step = step_of(entry.path().filename().string());
    if (step && entry.path() == checkpoint(*step) && entry.is_directory(error)) found.push_back(*step);
  }
  std::sort(found.rbegin(), found.rend());
  return found;
}

void ModelDirectory::save_checkpoint(const Checkpoint& saved) const {
  const auto folder = checkpoint(saved.step);
  const fs::path temporary = folder.string() + kFolderSuffix;
  std::error_code error;
  fs::remove_all(temporary, error);
  fs::create_directories(temporary, error);
  if (error) fail(temporary, "cannot be made", error);
  try {
    write_safetensors(temporary / kModelFile, saved.model, saved.metadata);
    write_safetensors(temporary / kOptimizerFile, saved.optimizer);
    const nlohmann::json state{{"format", kStateVersion}, {"state", saved.state}};
    write_file((temporary / kStateFile).string(), state.dump(2) + "\n");
    sync_directory(temporary);
    put_in_place(temporary, folder);
  } catch (...) {
    fs::remove_all(temporary, error);
    throw;
  }
  sync_directory(checkpoints());
  sync_directory(root_);
}

std::optional<Checkpoint> ModelDirectory::latest_checkpoint() const {
  std::string faults;
  for (const auto step : steps()) {
    try {
      return read_checkpoint(checkpoint(step), step);
    } catch (const CheckpointError& error) {
      spdlog::warn("{}: damaged checkpoint passed over: {}", checkpoint(step).string(), error.what());
      faults += "\n  " + std::string(error.what());
    }
  }
  if (faults.empty()) return {};
  throw CheckpointError(checkpoints().string() + ": no checkpoint can be read:" + faults +
                        "\nrestore one, or remove the folder to begin anew");
}

void ModelDirectory::prune(int64_t keep) const {
  int64_t kept = 0;
  for (const auto step : steps()) {
    const auto folder = checkpoint(step);
    if (kept >= std::max<int64_t>(keep, 1)) {
      remove_checkpoint(folder);
    } else if (is_whole(folder)) {
      ++kept;
    }
  }
}

void ModelDirectory::remove_leftovers() const {
  std::vector<fs::path> leftovers;
  std::error_code error;
  // Anything else in the model directory may be the user's own.
  for (const auto& entry : fs::directory_iterator(root_, error))
    if (is_atomic_leftover(entry.path().filename().string())) leftovers.push_back(entry.path());
  for (const auto& entry : fs::directory_iterator(checkpoints(), error)) {
    const auto& path = entry.path();
    if (path.extension() == kFolderSuffix && step_of(path.stem().string())) leftovers.push_back(path);
  }
  for (const auto& path : leftovers) {
    spdlog::info("{}: left behind by an interrupted save, removed", path.string());
    fs::remove_all(path, error);
  }
}

}  // namespace gloss
