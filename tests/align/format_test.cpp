#include "align/format.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <sstream>

#include "align/links.h"
#include "core/error.h"
#include "support/catch.h"
#include "support/csv_reader.h"
#include "support/files.h"
#include "support/log_capture.h"

using namespace gloss;
using testing::bytes_of_file;
using testing::TemporaryFolder;
namespace fs = std::filesystem;

namespace {

const Alignment kAlignment{{"a,b", "c"}, {"x", "y"}, {0.75, 0.25, 1.0 / 3, 2.0 / 3}};

AlignmentOptions options(const fs::path& path, const std::string& format = "") {
  AlignmentOptions result;
  result.path = path;
  result.format = format;
  return result;
}

/// A sentence, a blank line, the sentence again.
std::string written(const std::string& format) {
  const TemporaryFolder folder;
  const auto path = folder / "out";
  const auto writer = make_alignment_writer(options(path, format));
  writer->write(1, kAlignment, {-1.5, "x y", "a,b c"});
  writer->write(2, {}, {0.0, "", ""});
  writer->write(3, kAlignment, {-1.5, "x y", "a,b c"});
  CHECK_FALSE(fs::exists(path));
  writer->close();
  return bytes_of_file(path);
}

}  // namespace

TEST_CASE("the format follows the path unless it is named", "[align][format][unit]") {
  const TemporaryFolder folder;
  CHECK(options(folder.path()).effective_format() == "matrix");
  CHECK(options(folder / "new/").effective_format() == "matrix");
  CHECK(options(folder / "new").effective_format() == "csv");
  CHECK(options(folder.path(), "jsonl").effective_format() == "jsonl");
  for (const auto* name : {"pharaoh", "talp", "naacl", "jsonl", "csv"})
    CHECK(options(folder / ("a." + std::string(name))).effective_format() == name);
  CHECK(options(folder / "a.talp", "csv").effective_format() == "csv");
  CHECK(options(folder / "a.talp/").effective_format() == "matrix");
  CHECK(options("-").effective_format() == "csv");
  for (const auto* name : {"a.matrix", "talp", "a.talp.txt", "a.TALP"})
    CHECK(options(folder / name).effective_format() == "csv");
}

TEST_CASE("an ending says for writing what it says for reading", "[align][format][property]") {
  const TemporaryFolder folder;
  for (const auto* name : {"pharaoh", "talp", "naacl"}) {
    const auto path = folder.file("a." + std::string(name));
    const auto writer = make_alignment_writer(options(path));
    writer->write(1, kAlignment, {});
    writer->close();
    const auto read = read_links(path, link_format_of_file(path));
    REQUIRE(read.size() == 1);
    CHECK(read[0].sure == std::vector<Link>{{0, 0}, {1, 1}});
  }
}

TEST_CASE("options about alignments are refused where they would do nothing", "[align][format][unit]") {
  CHECK_NOTHROW(AlignmentOptions().validate());
  const auto refused = [](const auto& change) {
    AlignmentOptions fields;
    change(fields);
    try {
      fields.validate();
    } catch (const UsageError& error) {
      const std::string what = error.what();
      fields.path = "a.pharaoh";
      CHECK_NOTHROW(fields.validate());
      return what;
    }
    return std::string();
  };
  using Catch::Matchers::Contains;
  const auto without = Contains("--alignments FILE");
  CHECK_THAT(refused([](auto& o) { o.format = "talp"; }), Contains("--alignment-format: ") && without);
  CHECK_THAT(refused([](auto& o) { o.level = "piece"; }), Contains("--alignment-level: ") && without);
  CHECK_THAT(refused([](auto& o) { o.eos = true; }), Contains("--alignment-eos: ") && without);
  CHECK_THAT(refused([](auto& o) { o.threshold = 0.5; }), Contains("--alignment-threshold: ") && without);
  CHECK_THAT(refused([](auto& o) { o.shift = "on"; }), Contains("--alignment-shift: ") && without);
  CHECK_THAT(refused([](auto& o) { o.layer = o.head = 1; }),
             Contains("--alignment-layer, --alignment-head: ") && without);

  auto weights = options("a.csv");
  weights.threshold = 0.5;
  CHECK_THROWS_AS(weights.validate(), UsageError);
  CHECK_THROWS_WITH(weights.validate(),
                    Contains("--alignment-threshold") && Contains("pharaoh or talp or naacl"));
}

TEST_CASE("of matrices behind the last sentence only those that follow without a gap are removed",
          "[align][format][unit]") {
  const TemporaryFolder folder;
  for (const auto* name : {"000002.csv", "000003.csv", "000005.csv", "20240101.csv", "4.csv", "000004.txt"})
    folder.write(name, "old");
  const testing::LogCapture log;
  const auto writer = make_alignment_writer(options(folder.path()));
  writer->write(1, kAlignment, {});
  writer->close();
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder.path())) names.push_back(entry.path().filename());
  std::sort(names.begin(), names.end());
  CHECK(names == std::vector<std::string>{"000001.csv", "000004.txt", "000005.csv", "20240101.csv", "4.csv"});
  CHECK(log.text() == "warning: " + folder.path().string() + ": 2 matrices of an earlier run removed\n");
}

TEST_CASE("matrix writes a numbered file for each line, blank ones too", "[align][format][unit]") {
  const TemporaryFolder folder;
  const auto path = folder / "new" / "folder/";
  const auto writer = make_alignment_writer(options(path));
  writer->write(1, kAlignment, {});
  writer->write(2, {}, {});
  writer->write(1234567, kAlignment, {});
  writer->close();
  CHECK(bytes_of_file(path / "000001.csv") == "\"\",\"a,b\",c\nx,0.75,0.25\ny,0.333333,0.666667\n");
  CHECK(bytes_of_file(path / "000002.csv") == "\"\"\n");
  CHECK(parse_matrix_csv(bytes_of_file(path / "1234567.csv"), "m").source == kAlignment.source);
  CHECK(std::distance(fs::directory_iterator(path), {}) == 3);  // no temporary file is left
}

TEST_CASE("matrix can't go to stdout, and a folder that can't be made is found at once",
          "[align][format][unit]") {
  CHECK_THROWS_AS(make_alignment_writer(options("-", "matrix")), UsageError);
  const TemporaryFolder folder;
  std::ofstream(folder / "file") << "x";
  CHECK_THROWS_AS(make_alignment_writer(options(folder / "file" / "sub/")), OutputError);
}

TEST_CASE("csv is one long table with 0-based positions", "[align][format][unit]") {
  const std::string sentence1 =
      "1,0,0,x,\"a,b\",0.75\n1,0,1,x,c,0.25\n1,1,0,y,\"a,b\",0.333333\n1,1,1,y,c,0.666667\n";
  std::string sentence3 = sentence1;
  for (size_t at = 0; at != std::string::npos && at < sentence3.size(); at = sentence3.find('\n', at) + 1)
    sentence3[at] = '3';
  CHECK(written("csv") ==
        "sentence,target_index,source_index,target_token,source_token,weight\n" + sentence1 + sentence3);
}

TEST_CASE("pharaoh, talp and naacl write hard links with their own bases", "[align][format][unit]") {
  CHECK(written("pharaoh") == "0-0 1-1\n\n0-0 1-1\n");
  CHECK(written("talp") == "1-1 2-2\n\n1-1 2-2\n");
  CHECK(written("naacl") == "1 1 1 S\n1 2 2 S\n3 1 1 S\n3 2 2 S\n");
}

TEST_CASE("link formats obey threshold and end mark", "[align][format][unit]") {
  const TemporaryFolder folder;
  auto settings = options(folder / "links", "pharaoh");
  settings.threshold = 0.3;
  settings.eos = true;
  const auto writer = make_alignment_writer(settings);
  writer->write(1, {{"a", "b", "</s>"}, {"x", "</s>"}, {0.3, 0.3, 0.4, 0.2, 0.2, 0.6}}, {});
  writer->close();
  CHECK(bytes_of_file(folder / "links") == "0-0 1-0\n");
}

TEST_CASE("jsonl has an object for each sentence with tokens, weights, score and texts",
          "[align][format][unit]") {
  std::istringstream lines(written("jsonl"));
  std::vector<nlohmann::json> objects;
  for (std::string line; std::getline(lines, line);) objects.push_back(nlohmann::json::parse(line));
  REQUIRE(objects.size() == 3);
  CHECK(objects[0].at("sentence") == 1);
  CHECK(objects[0].at("source") == nlohmann::json{"a,b", "c"});
  CHECK(objects[0].at("target") == nlohmann::json{"x", "y"});
  CHECK(objects[0].at("weights") == nlohmann::json::parse("[[0.75,0.25],[0.333333,0.666667]]"));
  CHECK(objects[0].at("score") == -1.5);
  CHECK(objects[0].at("hypothesis") == "x y");
  CHECK(objects[0].at("source_text") == "a,b c");
  CHECK(objects[1].at("weights") == nlohmann::json::array());
}

TEST_CASE("every format of the table has a writer and unknown ones are refused",
          "[align][format][property]") {
  const TemporaryFolder folder;
  for (const auto& name : alignment_format_names()) {
    const auto path = folder.path() / ("out-" + name);
    const auto writer = make_alignment_writer(options(path, name));
    writer->write(1, kAlignment, {});
    writer->close();
    CHECK(fs::exists(path));
  }
  CHECK_THROWS_AS(make_alignment_writer(options(folder / "x", "xml")), UsageError);
}

TEST_CASE("the options accept every format's name and none, nothing else", "[align][format][unit]") {
  AlignmentOptions fields;
  Check check;
  fields.visit([&](const std::string& name, auto&, const char*, const Check& of_field) {
    if (name == "alignment-format") check = of_field;
  });
  for (const auto& name : alignment_format_names()) CHECK(check.fault(name).empty());
  CHECK(check.fault("").empty());
  CHECK_THAT(check.fault("xml"), Catch::Matchers::Contains("matrix, csv, pharaoh, talp, naacl, jsonl"));
}
