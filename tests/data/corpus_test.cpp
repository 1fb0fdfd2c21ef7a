#include "data/corpus.h"

#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <string>
#include <thread>
#include <vector>

#include "core/error.h"
#include "core/file.h"
#include "data/data_options.h"
#include "support/catch.h"
#include "support/files.h"
#include "support/log_capture.h"
#include "text/word_tokenizer.h"

using namespace gloss;
using gloss::testing::case_file;
using gloss::testing::LogCapture;
using gloss::testing::TemporaryFolder;
using namespace std::string_literals;

namespace {

/// Words a … e are 4 … 8 on both sides.
Tokenizers letters() {
  auto tokenizer = parse_tokenizer(word_list({"a", "b", "c", "d", "e"}), "letters");
  return {tokenizer, tokenizer, true};
}

std::vector<std::pair<std::string, std::string>> pairs_of(const ParallelText& text) {
  std::vector<std::pair<std::string, std::string>> pairs;
  text.for_each([&](LinePair& pair) {
    CHECK(pair.number == static_cast<int64_t>(pairs.size()));
    pairs.emplace_back(pair.source, pair.target);
    return true;
  });
  return pairs;
}

std::vector<std::string> lines_of(const TextSource& source) {
  std::vector<std::string> lines;
  const auto next = source.open();
  for (std::string line; next(line);) lines.push_back(line);
  return lines;
}

}  // namespace

TEST_CASE("C17: files of different length are refused with both names and counts", "[data][corpus][unit]") {
  const CorpusFiles files{{case_file("C17/src.txt")}, {case_file("C17/tgt.txt")}, {}};
  CHECK_THROWS_AS(ParallelText(files), DataError);
  CHECK_THROWS_WITH(ParallelText(files),
                    Catch::Contains("src.txt: 4 lines") && Catch::Contains("tgt.txt has 3"));
}

TEST_CASE("C17: counts must agree file by file, not only in the sum", "[data][corpus][unit]") {
  const TemporaryFolder folder;
  const CorpusFiles files{{folder.write("s1", "a\nb\n"), folder.write("s2", "c\n")},
                          {folder.write("t1", "a\n"), folder.write("t2", "b\nc\n")},
                          {}};
  CHECK_THROWS_WITH(ParallelText(files), Catch::Contains("s1: 2 lines") && Catch::Contains("t1 has 1"));
}

TEST_CASE("C04: only line feeds separate pairs", "[data][corpus][unit]") {
  const ParallelText text({{case_file("C04/src.txt")}, {case_file("C04/tgt.txt")}, {}});
  CHECK(text.size() == 5);
  CHECK(pairs_of(text).size() == 5);
}

TEST_CASE("C05: files with and without carriage returns give the same pairs", "[data][corpus][unit]") {
  const ParallelText text({{case_file("C05/crlf.txt")}, {case_file("C05/lf.txt")}, {}});
  REQUIRE(text.size() == 3);
  for (const auto& [source, target] : pairs_of(text)) CHECK(source == target);
}

TEST_CASE("several files and TSV files follow each other", "[data][corpus][unit]") {
  const TemporaryFolder folder;
  const ParallelText text({{folder.write("s1", "a\nb\n"), folder.write("s2", "c")},
                           {folder.write("t1", "A\nB\n"), folder.write("t2", "C\n")},
                           {folder.write("x.tsv", "d\tD\n\ne\tE\tmore\n")}});
  const std::vector<std::pair<std::string, std::string>> expected{{"a", "A"}, {"b", "B"}, {"c", "C"},
                                                                  {"d", "D"}, {"", ""},   {"e", "E"}};
  CHECK(text.size() == 6);
  CHECK(pairs_of(text) == expected);
  CHECK(lines_of(text.source()) == std::vector<std::string>{"a", "b", "c", "d", "", "e"});
  CHECK(lines_of(text.target()) == std::vector<std::string>{"A", "B", "C", "D", "", "E"});
  CHECK(lines_of(text.target()).size() == 6);  // a second pass
}

TEST_CASE("gzip files are read as their content", "[data][corpus][unit]") {
  const TemporaryFolder folder;
  gzFile packed = gzopen((folder / "s.gz").c_str(), "wb");
  gzwrite(packed, "a\nb\n", 4);
  gzclose(packed);
  const ParallelText text({{folder / "s.gz"}, {folder.write("t", "A\nB\n")}, {}});
  CHECK(pairs_of(text) == std::vector<std::pair<std::string, std::string>>{{"a", "A"}, {"b", "B"}});
}

TEST_CASE("a TSV line without a tab is named by file and line", "[data][corpus][unit]") {
  const TemporaryFolder folder;
  const CorpusFiles files{{}, {}, {folder.write("x.tsv", "a\tA\nb B\n")}};
  CHECK_THROWS_AS(ParallelText(files), DataError);
  CHECK_THROWS_WITH(ParallelText(files), Catch::Contains("x.tsv:2: no tab"));
}

TEST_CASE("text from a pipe can be read more than once", "[data][corpus][unit]") {
  const TemporaryFolder folder;
  const auto path = folder / "pipe";
  REQUIRE(::mkfifo(path.c_str(), 0600) == 0);
  std::thread writer([&] { std::ofstream(path) << "a\tA\nb\tB\n"; });
  const ParallelText text({{}, {}, {path}});
  writer.join();
  CHECK(text.name() == path);
  CHECK(pairs_of(text) == pairs_of(text));
  CHECK(lines_of(text.source()) == std::vector<std::string>{"a", "b"});
}

TEST_CASE("missing, empty and unpaired inputs are errors", "[data][corpus][unit]") {
  const TemporaryFolder folder;
  const auto some = folder.write("s", "a\n");
  CHECK_THROWS_WITH(ParallelText({{some}, {folder / "none"}, {}}), Catch::Contains("none"));
  CHECK_THROWS_AS(ParallelText({{some}, {}, {}}), UsageError);
  CHECK_THROWS_AS(ParallelText({{}, {}, {}}), UsageError);
  CHECK_THROWS_AS(ParallelText({{"-"}, {"-"}, {}}), UsageError);
  const auto empty = folder.write("e", "");
  CHECK_THROWS_AS(ParallelText({{empty}, {empty}, {}}), DataError);
}

TEST_CASE("pairs are kept or left out for one counted reason each", "[data][corpus][property]") {
  const TemporaryFolder folder;
  const ParallelText text({{folder.write("s", "a b\n\na b c d\na\n \u00A0\nb\nunseen\n")},
                           {folder.write("t",
                                         "A\nb\nb\na b c d\n\n\xff"
                                         "c\na b c\n")},
                           {}});
  for (int64_t threads : {1, 3}) {
    LogCapture log;
    const auto corpus = encode_corpus(text, letters(), 3, threads);
    CHECK_THAT(log.text(), Catch::Contains("t:6: bytes that are not UTF-8") &&
                               Catch::Contains("3 of 7 pairs kept") &&
                               Catch::Contains("2 with an empty side, 2 longer than 3 pieces"));
    REQUIRE(corpus.size() == 3);
    CHECK(corpus.pair(0).source == std::vector<int32_t>{4, 5});
    CHECK(corpus.pair(0).target == std::vector<int32_t>{1});
    CHECK(corpus.pair(0).line == 0);
    CHECK(corpus.pair(1).line == 5);
    CHECK(corpus.pair(2).line == 6);
    CHECK(corpus.pair(2).target == std::vector<int32_t>{4, 5, 6});
    CHECK(corpus.source_length(0) == 2);
    CHECK(corpus.target_length(2) == 3);
  }
}

TEST_CASE("encoded pairs are the pairs of the files, whatever the number of threads",
          "[data][corpus][property]") {
  const auto tokenizer = load_tokenizer(case_file("base/tiny.model"));
  const ParallelText text({{case_file("base/train.fr")}, {case_file("base/train.en")}, {}});
  const auto corpus = encode_corpus(text, {tokenizer, tokenizer, true}, 100, 2);
  REQUIRE(corpus.size() == 416);
  const auto lines = pairs_of(text);
  for (size_t i = 0; i < corpus.size(); ++i) {
    const auto pair = corpus.pair(i);
    CHECK(pair.line == static_cast<int64_t>(i));
    CHECK(pair.source == tokenizer->encode(lines[i].first));
    CHECK(pair.target == tokenizer->encode(lines[i].second));
  }
}

TEST_CASE("a corpus of which nothing is left is an error that says why", "[data][corpus][unit]") {
  const TemporaryFolder folder;
  const ParallelText text({{folder.write("s", "a b\n\n")}, {folder.write("t", "a b\nb\n")}, {}});
  CHECK_THROWS_AS(encode_corpus(text, letters(), 1), DataError);
  CHECK_THROWS_WITH(encode_corpus(text, letters(), 1), Catch::Contains("--max-length"));
}

TEST_CASE("C51: a validation set keeps every line, and marks those outside the loss",
          "[data][corpus][unit]") {
  const TemporaryFolder folder;
  const ParallelText text(
      {{folder.write("s", "a\n\na b c d\nb\n\n")}, {folder.write("t", "a\nb\nc\n\n\n")}, {}});
  const auto set = load_validation_set(text, letters(), 3);
  REQUIRE(set.pairs.size() == 5);
  CHECK(set.source == std::vector<std::string>{"a", "", "a b c d", "b", ""});
  CHECK(set.target == std::vector<std::string>{"a", "b", "c", "", ""});
  CHECK(set.in_loss == std::vector<bool>{true, false, false, false, false});
  CHECK(set.pairs[2].source == std::vector<int32_t>{4, 5, 6, 7});
  CHECK(set.pairs[2].line == 2);
}

TEST_CASE("data options want a target file for each source file", "[data][options][unit]") {
  DataOptions options;
  CHECK_THROWS_AS(options.validate(), UsageError);
  options.train_source = {"a", "b"};
  options.train_target = {"c"};
  CHECK_THROWS_AS(options.validate(), UsageError);
  options.train_target = {"c", "d"};
  CHECK_NOTHROW(options.validate());
  options.valid_source = {"e"};
  CHECK_THROWS_AS(options.validate(), UsageError);
}
