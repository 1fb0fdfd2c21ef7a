#include "train/train_record.h"

#include <string>
#include <utility>

#include "core/error.h"
#include "core/file.h"

namespace gloss {
namespace {

bool belongs(const std::string& line, int64_t update, bool validation_due) {
  const auto json = nlohmann::json::parse(line, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object()) return false;
  const auto event = json.value("event", "");
  const auto last = event == "validation" && validation_due ? update - 1 : update;
  return event != "end" && json.value("update", update + 1) <= last;
}

}  // namespace

TrainRecord::TrainRecord(std::filesystem::path file, int64_t update, bool validation_due)
    : file_(std::move(file)) {
  std::string kept, line;
  bool changed = false;
  if (std::ifstream old(file_); old) {
    while (std::getline(old, line)) {
      const bool whole = !old.eof();  // the last line feed is missing after a crash
      if (whole && belongs(line, update, validation_due))
        kept += line + '\n';
      else
        changed = true;
    }
  }
  if (changed) write_file(file_.string(), kept);
  stream_.open(file_, std::ios::app);
  if (!stream_) throw OutputError(file_.string() + ": can't be written; check the permissions");
}

void TrainRecord::append(const nlohmann::ordered_json& line) {
  stream_ << line.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) << '\n' << std::flush;
  if (!stream_) throw OutputError(file_.string() + ": can't be written; check for free disk space");
}

}  // namespace gloss
