#include "align/links.h"

#include <algorithm>
#include <array>
#include <sstream>

#include "core/error.h"
#include "core/file.h"
#include "core/table.h"

namespace gloss {
namespace {

const std::array kFormats{LinkFormat{"pharaoh", 0, true}, LinkFormat{"talp", 1, true},
                          LinkFormat{"naacl", 1, false}};

/// Sentences that one after the other may lack links: guards against a mistyped number that would ask for all memory.
constexpr int64_t kLargestGap = 1'000'000;

/// Where a link stands, for messages.
struct Place {
  const std::string& file;
  int64_t line;

  DataError fault(const std::string& what) const {
    return DataError(file + ":" + std::to_string(line) + ": " + what);
  }
};

/// Nothing below 0.
std::optional<int64_t> parse_number(std::string_view text) {
  const auto number = whole_number<int64_t>(text);
  return number && *number >= 0 ? number : std::nullopt;
}

std::vector<std::string> fields_of(const std::string& line) {
  std::istringstream stream(line);
  std::vector<std::string> fields;
  for (std::string field; stream >> field;) fields.push_back(field);
  return fields;
}

/// `i-j` or `ipj`.
void add_pair(const std::string& text, int64_t base, const Place& place, SentenceLinks& links) {
  const size_t mark = text.find_first_of("-p");
  const auto source = parse_number(text.substr(0, mark));
  const auto target = mark == std::string::npos ? std::nullopt : parse_number(text.substr(mark + 1));
  if (!source || !target)
    throw place.fault("'" + text +
                      "' is no link; write i-j (or ipj for a possible link), separated by spaces");
  const Link link{.source = *source - base, .target = *target - base};
  if (link.source < 0 || link.target < 0)
    throw place.fault("link '" + text + "' has position 0, but positions count from " + std::to_string(base) +
                      "; if they count from 0, name the file .pharaoh, or in evaluate give --gold-base 0");
  (text[mark] == '-' ? links.sure : links.possible).push_back(link);
}

/// `sentence source target [S|P] [confidence]`.
void add_naacl_line(const std::vector<std::string>& fields, int64_t base, const Place& place,
                    std::vector<SentenceLinks>& sentences) {
  const bool is_marked = fields.size() > 3;
  std::optional<int64_t> sentence, source, target;
  if (fields.size() >= 3 && (!is_marked || fields[3] == "S" || fields[3] == "P")) {
    sentence = parse_number(fields[0]);
    source = parse_number(fields[1]);
    target = parse_number(fields[2]);
  }
  if (!sentence || !source || !target)
    throw place.fault("no NAACL link; write: sentence source target [S|P]");
  if (*sentence < 1) throw place.fault("sentence " + fields[0] + " is out of range; sentences count from 1");
  const auto before = static_cast<int64_t>(sentences.size());
  if (*sentence > before + kLargestGap)
    throw place.fault("sentence " + fields[0] + " stands more than " + std::to_string(kLargestGap) +
                      " beyond sentence " + std::to_string(before) + "; mend the number");
  if (*sentence > before) sentences.resize(static_cast<size_t>(*sentence));
  const Link link{.source = *source - base, .target = *target - base};
  if (link.source < 0 || link.target < 0) return;  // the NULL word
  auto& links = sentences[static_cast<size_t>(*sentence - 1)];
  (is_marked && fields[3] == "P" ? links.possible : links.sure).push_back(link);
}

size_t column_of_largest(const Alignment& alignment, size_t row) {
  const auto begin = alignment.weights.begin() + static_cast<ptrdiff_t>(row * alignment.source.size());
  return static_cast<size_t>(
      std::max_element(begin, begin + static_cast<ptrdiff_t>(alignment.source.size())) - begin);
}

}  // namespace

std::vector<Link> hard_links(const Alignment& alignment, double threshold, bool has_eos) {
  std::vector<Link> links;
  if (alignment.source.empty()) return links;
  const auto columns = alignment.source.size();
  const auto add = [&](size_t row, size_t column) {
    const bool is_eos = has_eos && (column + 1 == columns || row + 1 == alignment.target.size());
    if (!is_eos) links.push_back({static_cast<int64_t>(column), static_cast<int64_t>(row)});
  };
  for (size_t row = 0; row < alignment.target.size(); ++row) {
    if (threshold > 0) {
      for (size_t column = 0; column < columns; ++column)
        if (alignment.weight(row, column) >= threshold) add(row, column);
    } else {
      const size_t column = column_of_largest(alignment, row);
      if (alignment.weight(row, column) > 0) add(row, column);
    }
  }
  std::sort(links.begin(), links.end());
  return links;
}

std::vector<std::string> link_format_names() { return names_of(kFormats); }

const LinkFormat& link_format(const std::string& name) { return row_of(kFormats, "link format", name); }

const LinkFormat& link_format_of_file(const std::string& path) {
  for (const auto& format : kFormats)
    if (path.ends_with("." + format.name)) return format;
  return link_format("pharaoh");
}

std::string format_links(const LinkFormat& format, int64_t sentence, const std::vector<Link>& links) {
  std::string text;
  for (const auto& link : links) {
    const auto source = std::to_string(link.source + format.base);
    const auto target = std::to_string(link.target + format.base);
    if (format.one_line_each) {
      text.append(text.empty() ? "" : " ").append(source).append("-").append(target);
    } else {
      text.append(std::to_string(sentence))
          .append(" ")
          .append(source)
          .append(" ")
          .append(target)
          .append(" S\n");
    }
  }
  return format.one_line_each ? text + "\n" : text;
}

std::vector<SentenceLinks> read_links(const std::string& path, const LinkFormat& format,
                                      std::optional<int64_t> base) {
  const int64_t first = base.value_or(format.base);
  std::vector<SentenceLinks> sentences;
  LineReader reader(path);
  for (std::string line; reader.next(line);) {
    const Place place{reader.name(), reader.number()};
    const auto fields = fields_of(line);
    if (!format.one_line_each) {
      if (!fields.empty()) add_naacl_line(fields, first, place, sentences);
      continue;
    }
    SentenceLinks links;
    for (const auto& field : fields) add_pair(field, first, place, links);
    sentences.push_back(std::move(links));
  }
  return sentences;
}

}  // namespace gloss
