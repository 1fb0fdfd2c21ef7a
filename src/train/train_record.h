#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

namespace gloss {

/// train.jsonl: one JSON object per report, validation and end, flushed line by line.
class TrainRecord {
 public:
  /// Opens the file to append. Lines after `update`, a validation that is due (again), end lines and a line that a crash
  /// cut off are removed first, so that a resumed training leaves the same file as one that was never stopped. Throws
  /// OutputError.
  TrainRecord(std::filesystem::path file, int64_t update, bool validation_due);

  /// Throws OutputError when the line can't be written.
  void append(const nlohmann::ordered_json& line);

 private:
  std::filesystem::path file_;
  std::ofstream stream_;
};

}  // namespace gloss
