#include "checkpoint/tokenizer_files.h"

#include <algorithm>
#include <array>
#include <vector>

#include "checkpoint/model_directory.h"
#include "checkpoint/safetensors_header.h"
#include "core/error.h"
#include "core/file.h"
#include "core/sha256.h"

namespace gloss {
namespace {

namespace fs = std::filesystem;

constexpr std::array kExtensions{".spm", ".vocab"};
constexpr auto kSourceKey = "source-tokenizer-sha256";
constexpr auto kTargetKey = "target-tokenizer-sha256";

/// Files of one role ("source", "target", "joint") that are there.
std::vector<fs::path> files_of(const fs::path& directory, const std::string& role) {
  std::vector<fs::path> files;
  for (const auto* extension : kExtensions)
    if (const auto file = directory / (role + extension); fs::exists(file)) files.push_back(file);
  return files;
}

/// Which files a folder without a whole set of tokenizers lacks.
CheckpointError missing(const fs::path& directory, const std::vector<fs::path>& source,
                        const std::vector<fs::path>& target) {
  const auto where = directory.string() + ": has no ";
  if (!source.empty() || !target.empty())
    return CheckpointError(where + std::string(source.empty() ? "source" : "target") + " tokenizer beside " +
                           (source.empty() ? target : source).front().filename().string() +
                           "; copy it from where the model was trained");
  const std::string files =
      "tokenizer (joint.spm, or source.spm and target.spm; .vocab where words are the units)";
  if (!fs::exists(ModelDirectory(directory).config()))
    return CheckpointError(where + files + "; name a model directory that gloss train made");
  return CheckpointError(where + files +
                         ", but a config.toml; copy the missing files from where the model was trained");
}

}  // namespace

void save_tokenizers(const fs::path& directory, const Tokenizers& tokenizers) {
  std::vector<fs::path> written;
  const auto save = [&](const std::string& role, const Tokenizer& tokenizer) {
    written.push_back(directory / (role + "." + tokenizer.extension()));
    write_file(written.back().string(), tokenizer.serialized());
  };
  if (tokenizers.shared) {
    save("joint", *tokenizers.source);
  } else {
    save("source", *tokenizers.source);
    save("target", *tokenizers.target);
  }
  for (const auto* role : {"source", "target", "joint"})
    for (const auto& file : files_of(directory, role))
      if (std::find(written.begin(), written.end(), file) == written.end()) fs::remove(file);
}

Tokenizers load_tokenizers(const fs::path& directory) {
  const auto where = directory.string();
  const auto source = files_of(directory, "source"), target = files_of(directory, "target");
  const auto joint = files_of(directory, "joint");
  if (joint.empty() && (source.empty() || target.empty())) throw missing(directory, source, target);
  if (joint.size() == 1 && source.empty() && target.empty()) {
    const auto tokenizer = load_tokenizer(joint.front());
    return {.source = tokenizer, .target = tokenizer, .shared = true};
  }
  if (joint.empty() && source.size() == 1 && target.size() == 1)
    return {
        .source = load_tokenizer(source.front()), .target = load_tokenizer(target.front()), .shared = false};
  std::string found;
  for (const auto* files : {&source, &target, &joint})
    for (const auto& file : *files) found += (found.empty() ? "" : ", ") + file.filename().string();
  throw CheckpointError(
      where + ": has the tokenizers " + found +
      "; there must be one source and one target, or one joint: copy the model directory again");
}

Metadata tokenizer_metadata(const Tokenizers& tokenizers) {
  return {{kSourceKey, sha256_hex(tokenizers.source->serialized())},
          {kTargetKey, sha256_hex(tokenizers.target->serialized())}};
}

void check_tokenizers(const Metadata& metadata, const Tokenizers& tokenizers, const std::string& file) {
  std::string differences;
  for (const auto& [key, actual] : tokenizer_metadata(tokenizers)) {
    const std::string side = key == kSourceKey ? "source" : "target";
    const auto found = metadata.find(key);
    if (found == metadata.end())
      throw CheckpointError(file + ": does not say which " + side +
                            " tokenizer it was trained with (metadata " + key +
                            " is missing); use the file as gloss wrote it");
    if (found->second != actual)
      differences +=
          "\n  " + side + ": trained with SHA-256 " + printable(found->second) + ", found " + actual;
  }
  if (!differences.empty())
    throw CheckpointError(file + ": was trained with another tokenizer:" + differences +
                          "\ndid you swap or replace the tokenizer?");
}

}  // namespace gloss
