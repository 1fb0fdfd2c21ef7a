#include "align/format.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "align/csv.h"
#include "align/links.h"
#include "config/fields.h"
#include "core/error.h"
#include "core/file.h"
#include "core/table.h"
#include "core/text.h"

namespace gloss {
namespace {

namespace fs = std::filesystem;

/// One file for each sentence. Each is renamed into place, but not synced: a sync for each of thousands of small files
/// would cost more than the translation.
class MatrixWriter : public AlignmentWriter {
 public:
  explicit MatrixWriter(const AlignmentOptions& options) : folder_(options.path) {
    if (is_stdout(options.path))
      throw UsageError(
          "alignments: format matrix writes a folder, not stdout; name a folder or choose another format");
    check_writable_directory(options.path);
  }

  void write(int64_t sentence, const Alignment& alignment, const AlignmentInfo& /*info*/) override {
    last_ = std::max(last_, sentence);
    AtomicFile file(path_of(sentence).string(), Durability::kRenamed);
    file.write(matrix_csv(alignment));
    file.commit();
  }

  /// A folder of an earlier, longer run keeps none of its matrices: they would pass for lines of this input. Those are
  /// the numbers that follow on; behind a gap stand files of the user's own (20240101.csv).
  void close() override {
    int64_t removed = 0;
    std::error_code error;
    for (auto path = path_of(last_ + 1); fs::is_regular_file(path, error);
         path = path_of(last_ + 1 + removed)) {
      if (!fs::remove(path, error))
        throw OutputError(path.string() + ": is of an earlier run and cannot be removed: " + error.message() +
                          "; remove it, or choose another folder");
      ++removed;
    }
    if (removed > 0) spdlog::warn("{}: {} matrices of an earlier run removed", folder_.string(), removed);
  }

 private:
  fs::path path_of(int64_t sentence) const {
    char name[32];
    std::snprintf(name, sizeof name, "%06lld.csv", static_cast<long long>(sentence));
    return folder_ / name;
  }

  fs::path folder_;
  int64_t last_ = 0;
};

/// Formats whose sentences follow each other in one file or on stdout.
class StreamWriter : public AlignmentWriter {
 public:
  explicit StreamWriter(const AlignmentOptions& options) : output_(options.path) {}
  void close() override { output_.close(); }

 protected:
  OutputStream output_;
};

class TableWriter : public StreamWriter {
 public:
  explicit TableWriter(const AlignmentOptions& options) : StreamWriter(options) {
    output_.write("sentence,target_index,source_index,target_token,source_token,weight\n");
  }

  void write(int64_t sentence, const Alignment& alignment, const AlignmentInfo& /*info*/) override {
    std::string rows;
    for (size_t i = 0; i < alignment.target.size(); ++i) {
      for (size_t j = 0; j < alignment.source.size(); ++j) {
        rows.append(std::to_string(sentence)).append(",").append(std::to_string(i)).append(",");
        rows.append(std::to_string(j)).append(",").append(csv_field(alignment.target[i])).append(",");
        rows.append(csv_field(alignment.source[j])).append(",");
        rows.append(weight_text(alignment.weight(i, j))).append("\n");
      }
    }
    output_.write(rows);
  }
};

class LinkWriter : public StreamWriter {
 public:
  explicit LinkWriter(const AlignmentOptions& options)
      : StreamWriter(options), format_(link_format(options.effective_format())), options_(options) {}

  void write(int64_t sentence, const Alignment& alignment, const AlignmentInfo& /*info*/) override {
    output_.write(format_links(format_, sentence, hard_links(alignment, options_.threshold, options_.eos)));
  }

 private:
  const LinkFormat& format_;
  AlignmentOptions options_;
};

class JsonLinesWriter : public StreamWriter {
 public:
  using StreamWriter::StreamWriter;

  void write(int64_t sentence, const Alignment& alignment, const AlignmentInfo& info) override {
    nlohmann::ordered_json object{{"sentence", sentence},       {"source", alignment.source},
                                  {"target", alignment.target}, {"weights", nlohmann::ordered_json::array()},
                                  {"score", info.score},        {"hypothesis", info.hypothesis},
                                  {"source_text", info.source}};
    for (size_t i = 0; i < alignment.target.size(); ++i) {
      auto row = nlohmann::ordered_json::array();
      for (size_t j = 0; j < alignment.source.size(); ++j) row.push_back(rounded(alignment.weight(i, j)));
      object["weights"].push_back(std::move(row));
    }
    output_.write(object.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n");
  }

 private:
  static double rounded(double weight) { return whole_number<double>(weight_text(weight)).value(); }
};

struct Entry {
  const char* name;
  std::unique_ptr<AlignmentWriter> (*make)(const AlignmentOptions&);
  bool is_file;  ///< a file whose name may end in the format's
};

template <class Writer>
std::unique_ptr<AlignmentWriter> make(const AlignmentOptions& options) {
  return std::make_unique<Writer>(options);
}

constexpr std::array kFormats{Entry{"matrix", make<MatrixWriter>, /*is_file=*/false},
                              Entry{"csv", make<TableWriter>, true},
                              Entry{"pharaoh", make<LinkWriter>, true},
                              Entry{"talp", make<LinkWriter>, true},
                              Entry{"naacl", make<LinkWriter>, true},
                              Entry{"jsonl", make<JsonLinesWriter>, true}};

const Entry& find_format(const std::string& name) { return row_of(kFormats, "alignment format", name); }

}  // namespace

std::vector<std::string> alignment_format_names() { return names_of(kFormats); }

std::string AlignmentOptions::effective_format() const {
  if (!format.empty()) return format;
  std::error_code ignored;
  if (path.ends_with('/') || fs::is_directory(path, ignored)) return "matrix";
  for (const auto& entry : kFormats)
    if (entry.is_file && path.ends_with("." + std::string(entry.name))) return entry.name;
  return "csv";
}

void AlignmentOptions::validate() const {
  const auto changed = changed_options(*this);
  if (path.empty() && !changed.empty())
    throw UsageError("--" + join(changed, ", --") +
                     ": no alignments are written; give --alignments FILE too, or leave them out");
  const auto linked = link_format_names();
  if (threshold > 0 && std::ranges::find(linked, find_format(effective_format()).name) == linked.end())
    throw UsageError("--alignment-threshold: decides on links, and format " + effective_format() +
                     " has weights; leave it out, or choose --alignment-format " + join(linked, " or "));
}

std::unique_ptr<AlignmentWriter> make_alignment_writer(const AlignmentOptions& options) {
  return find_format(options.effective_format()).make(options);
}

}  // namespace gloss
