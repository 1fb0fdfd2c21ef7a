#include "data/parallel_text.h"

#include <spdlog/spdlog.h>
#include <sys/stat.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "core/error.h"
#include "core/file.h"
#include "core/text.h"
#include "core/unicode.h"

namespace gloss {
namespace {

bool can_be_read_twice(const std::string& path) {
  struct stat info {};
  if (is_stdin(path)) return false;
  return ::stat(path.c_str(), &info) != 0 || !(S_ISFIFO(info.st_mode) || S_ISCHR(info.st_mode));
}

/// First two columns; false when there is but one and it is not blank.
bool split_columns(const std::string& line, std::string& source, std::string& target) {
  const size_t tab = line.find('\t');
  if (tab == std::string::npos) {
    source.clear();
    target.clear();
    return is_blank(line);
  }
  source.assign(line, 0, tab);
  const size_t second = line.find('\t', tab + 1);
  target.assign(line, tab + 1, second == std::string::npos ? second : second - tab - 1);
  return true;
}

std::shared_ptr<Spool> copy_to_spool(const std::string& path) {
  auto spool = std::make_shared<Spool>();
  LineReader reader(path);
  for (std::string line; reader.next(line);) {
    spool->append(line);
    spool->append("\n");
  }
  spool->flush();
  return spool;
}

}  // namespace

ParallelText::ParallelText(const CorpusFiles& files) {
  if (files.source.size() != files.target.size())
    throw UsageError(std::to_string(files.source.size()) + " source files, but " +
                     std::to_string(files.target.size()) +
                     " target files; give each source file its target file");
  for (size_t i = 0; i < files.source.size(); ++i) {
    if (is_stdin(files.source[i]) && is_stdin(files.target[i]))
      throw UsageError("stdin cannot be both sides; use --train-tsv - for source TAB target");
    auto source = add(files.source[i]);
    auto target = add(files.target[i]);
    parts_.push_back({std::move(source), std::move(target)});
  }
  for (const auto& file : files.tsv) parts_.push_back({add(file), {}});
  if (parts_.empty()) throw UsageError("no parallel text given");
  for (const auto& part : parts_) size_ += check(part);
  if (size_ == 0) throw DataError(name() + ": empty; give a corpus of at least one pair");
}

ParallelText::File ParallelText::add(const std::string& path) {
  if (can_be_read_twice(path)) return {path, path};
  const auto name = input_name(path);
  for (const auto& part : parts_)
    if (part.source.name == name || part.target.name == name)
      throw UsageError(name + ": is named twice, but can be read once only");
  spools_.push_back(copy_to_spool(path));
  return {name, spools_.back()->path()};
}

int64_t ParallelText::check(const Part& part) {
  if (!part.target.path.empty()) {
    const int64_t source = count_lines(part.source.path);
    const int64_t target = count_lines(part.target.path);
    if (source != target)
      throw DataError(part.source.name + ": " + std::to_string(source) + " lines, but " + part.target.name +
                      " has " + std::to_string(target) +
                      "; line n of one must translate line n of the other");
    return source;
  }
  LineReader reader(part.source.path);
  std::string source;
  std::string target;
  int64_t with_more = 0;
  for (std::string line; reader.next(line);) {
    if (!split_columns(line, source, target))
      throw DataError(part.source.name + ":" + std::to_string(reader.number()) +
                      ": no tab; each line must be source TAB target");
    if (std::count(line.begin(), line.end(), '\t') > 1) ++with_more;
  }
  if (with_more > 0)
    spdlog::warn("{}: {} lines have more than two columns; the first two are read", part.source.name,
                 with_more);
  return reader.number();
}

std::string ParallelText::name() const {
  std::vector<std::string> names;
  for (const auto& part : parts_) {
    names.push_back(part.source.name);
    if (!part.target.path.empty()) names.push_back(part.target.name);
  }
  return join(names);
}

void ParallelText::for_each(const std::function<bool(LinePair&)>& visit) const {
  LinePair pair;
  for (const auto& part : parts_) {
    const bool is_tsv = part.target.path.empty();
    LineReader source(part.source.path);
    std::optional<LineReader> target;
    if (!is_tsv) target.emplace(part.target.path);
    pair.source_file = part.source.name;
    pair.target_file = is_tsv ? part.source.name : part.target.name;
    std::string line;
    while (source.next(is_tsv ? line : pair.source)) {
      const bool whole = is_tsv ? split_columns(line, pair.source, pair.target) : target->next(pair.target);
      if (!whole) throw DataError(pair.target_file + ": changed while it was read");
      pair.file_line = source.number();
      if (!visit(pair)) return;
      ++pair.number;
    }
  }
}

TextSource ParallelText::side(std::shared_ptr<const ParallelText> text, bool want_target) {
  std::vector<std::string> names;
  for (const auto& part : text->parts_)
    names.push_back(want_target && !part.target.path.empty() ? part.target.name : part.source.name);
  auto open = [text, want_target]() -> LineStream {
    auto reader = std::make_shared<std::unique_ptr<LineReader>>();
    return [text, want_target, reader, next_part = size_t{0}, is_tsv = false](std::string& line) mutable {
      while (true) {
        if (*reader && (*reader)->next(line)) break;
        if (next_part == text->parts_.size()) return false;
        const Part& part = text->parts_[next_part++];
        is_tsv = part.target.path.empty();
        *reader = std::make_unique<LineReader>(want_target && !is_tsv ? part.target.path : part.source.path);
      }
      if (!is_tsv) return true;
      std::string source;
      std::string target;
      split_columns(line, source, target);
      line = want_target ? std::move(target) : std::move(source);
      return true;
    };
  };
  return {join(names), std::move(open)};
}

TextSource ParallelText::source() const { return side(std::make_shared<const ParallelText>(*this), false); }
TextSource ParallelText::target() const { return side(std::make_shared<const ParallelText>(*this), true); }

}  // namespace gloss
