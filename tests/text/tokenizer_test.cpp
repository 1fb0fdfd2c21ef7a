#include "text/tokenizer.h"

#include <set>
#include <string>
#include <vector>

#include "core/error.h"
#include "core/file.h"
#include "core/lines.h"
#include "core/special_tokens.h"
#include "core/unicode.h"
#include "support/catch.h"
#include "support/files.h"
#include "text/word_tokenizer.h"

using namespace gloss;
using gloss::testing::bytes_of_file;
using gloss::testing::case_file;
using gloss::testing::TemporaryFolder;
using namespace std::string_literals;
using Ids = std::vector<int32_t>;

namespace {

std::shared_ptr<const Tokenizer> tiny() {
  static const auto tokenizer = load_tokenizer(case_file("base/tiny.model"));
  return tokenizer;
}

std::shared_ptr<const Tokenizer> tiny_bytes() {
  static const auto tokenizer = load_tokenizer(case_file("base/tinybf.model"));
  return tokenizer;
}

std::shared_ptr<const Tokenizer> words() {
  static const auto tokenizer =
      parse_tokenizer(word_list({"je", "vois", "un", "pont", ".", "</s>", "l'\u00e9t\u00e9"}), "words");
  return tokenizer;
}

std::vector<std::string> lines_of(const std::string& name) {
  LineReader reader(case_file(name));
  std::vector<std::string> lines;
  for (std::string line; reader.next(line);) lines.push_back(line);
  return lines;
}

Ids ids_of(const Tokenizer& tokenizer, const std::vector<std::string>& pieces) {
  Ids ids;
  for (const auto& piece : pieces)
    for (int32_t id = 0; id < tokenizer.size(); ++id)
      if (tokenizer.piece(id) == piece) ids.push_back(id);
  return ids;
}

const std::vector<std::string> kOddLines{"je vois un pont .",
                                         "  je   vois\tun pont  ",
                                         "d\u00e9j\u00e0 \uFB01n e\u0301t\u00e9 \U0001D11E",
                                         "</s> <pad> <s> <unk>",
                                         "\u2581je\u2581vois",
                                         "je\0vois"s,
                                         "\u00ad",
                                         "a\u2028b\u0085c",
                                         "\uFF21\uFF22 \u2460 \u00BD",
                                         "\u5b57\u6f22 x"};

}  // namespace

TEST_CASE("C02: lines of white space alone give no pieces, other odd lines do",
          "[text][sentencepiece][unit]") {
  const auto lines = lines_of("C02/src.txt");
  REQUIRE(lines.size() == 16);
  const std::vector<size_t> expected{7, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 9, 2, 2, 2, 2};
  for (size_t i = 0; i < lines.size(); ++i) CHECK(tiny()->encode(lines[i]).size() == expected[i]);
}

TEST_CASE("C05: lines with a carriage return give the pieces of those without",
          "[text][sentencepiece][unit]") {
  const auto crlf = lines_of("C05/crlf.txt");
  const auto lf = lines_of("C05/lf.txt");
  const auto mixed = lines_of("C05/mixed.txt");
  REQUIRE(crlf.size() == 3);
  REQUIRE(mixed.size() == 3);
  for (size_t i = 0; i < crlf.size(); ++i) CHECK(tiny()->encode(crlf[i]) == tiny()->encode(lf[i]));
  std::vector<std::string> pieces;
  for (const auto& piece : tiny()->encode_with_offsets(mixed[1])) pieces.push_back(piece.text);
  CHECK(pieces == std::vector<std::string>{"\u2581", "ell", "e", "\u2581porte", "\u2581un", "e", "\u2581lamp",
                                           "e", "\u2581."});
}

TEST_CASE("C08: text behind a NUL still counts", "[text][sentencepiece][unit]") {
  const auto lines = lines_of("C08/line.txt");
  CHECK(tiny()->encode(lines.at(0)) == Ids{32, 4, 77, 6, 1, 11, 12, 82, 5});
}

TEST_CASE("C11: the space marker in raw text acts as a space", "[text][sentencepiece][unit]") {
  const auto lines = lines_of("C11/src.txt");
  const std::vector<Ids> expected{{32, 4, 77, 6, 10, 82, 5}, {32, 4, 77, 6}, {8, 115}, {82}};
  REQUIRE(lines.size() == expected.size());
  for (size_t i = 0; i < lines.size(); ++i) CHECK(tiny()->encode(lines[i]) == expected[i]);
}

TEST_CASE("C12: control pieces written out in text are ordinary characters", "[text][sentencepiece][unit]") {
  const auto lines = lines_of("C12/src.txt");
  const std::vector<Ids> expected{{7, 1, 6, 1, 32, 4, 77, 6, 10, 82, 5, 7, 1, 6, 1},
                                  {7, 1, 6, 1},
                                  {7, 1, 11, 12, 70, 1, 7, 1, 27, 95, 29, 1},
                                  {7, 65, 4, 30, 44, 7, 1, 6, 1, 78, 45, 7, 27, 49, 45, 5},
                                  {7, 1, 6, 1}};
  REQUIRE(lines.size() == expected.size());
  for (size_t i = 0; i < lines.size(); ++i) CHECK(tiny()->encode(lines[i]) == expected[i]);
}

TEST_CASE("C14: byte pieces decode to their characters, halves to replacement characters",
          "[text][sentencepiece][unit]") {
  const auto decode = [](const std::vector<std::string>& pieces) {
    const auto ids = ids_of(*tiny_bytes(), pieces);
    REQUIRE(ids.size() == pieces.size());
    return tiny_bytes()->decode(ids);
  };
  CHECK(decode({"\u2581j", "e", "\u2581", "<0xF0>", "<0x9F>", "<0x8C>", "<0xB3>"}) == "je \U0001F333");
  CHECK(decode({"\u2581", "<0xC3>", "<0xA9>", "t"}) == "\u00e9t");
  CHECK(decode({"<0xF0>", "<0x9F>"}) == "\uFFFD\uFFFD");
  CHECK(decode({"\u2581j", "e", "<0x0A>", "\u2581voi", "s"}) == "je\n vois");
  CHECK(decode({"\u2581j", "e", "<0x0D>", "<0x0A>"}) == "je\r\n");
  CHECK(decode({"\u2581j", "e", "<0x00>", "s"}) == "je\0s"s);
  CHECK(decode({"<0xE2>", "\u2581j", "e"}) == "\uFFFD je");
  CHECK(decode({"\u2581j", "e", "<0x09>", "s"}) == "je\ts");
}

TEST_CASE("C14: whatever a byte-fallback model emits fits on one line", "[text][sentencepiece][property]") {
  const auto tokenizer = tiny_bytes();
  for (uint64_t row = 0; row < 200; ++row) {
    Ids ids;
    for (uint64_t i = 0; i < 20; ++i)
      ids.push_back(static_cast<int32_t>((row * 7919 + i * i * 104729 + i) % 390));
    const auto line = one_line(tokenizer->decode(ids));
    CHECK(valid_utf8(line));
    CHECK(line.find_first_of("\n\r\0"s) == std::string::npos);
  }
}

TEST_CASE("encode never gives pad, bos or eos, and both encoders agree", "[text][property]") {
  for (const auto& tokenizer : {tiny(), tiny_bytes(), words()})
    for (const auto& line : kOddLines) {
      const auto ids = tokenizer->encode(line);
      for (const int32_t id : ids) {
        CHECK((id == kUnk || id > kEos));
        CHECK(id < tokenizer->size());
      }
      Ids from_pieces;
      for (const auto& piece : tokenizer->encode_with_offsets(line)) from_pieces.push_back(piece.id);
      CHECK(from_pieces == ids);
    }
}

TEST_CASE("offsets run through the raw line in order and cover each word", "[text][property]") {
  for (const auto& tokenizer : {tiny(), tiny_bytes(), words()})
    for (const auto& line : kOddLines) {
      size_t reached = 0;
      std::vector<bool> covered(line.size(), false);
      for (const auto& piece : tokenizer->encode_with_offsets(line)) {
        CHECK(piece.begin <= piece.end);
        CHECK(piece.end <= line.size());
        CHECK(piece.end >= reached);
        reached = piece.end;
        for (size_t i = piece.begin; i < piece.end; ++i) covered[i] = true;
      }
      for (const auto& [begin, end] : word_spans(line))
        for (size_t i = begin; i < end; ++i)
          CHECK((covered[i] || line.starts_with("\u2581")));  // the marker is a space
    }
}

TEST_CASE("offsets are those of the raw bytes, not of the normalised ones", "[text][sentencepiece][unit]") {
  // U+FB01 (3 bytes, "fi" once normalised) and an accent written as two characters.
  const auto line = "e\u0301t\u00e9 \uFB01n"s;
  const auto pieces = tiny_bytes()->encode_with_offsets(line);
  CHECK(pieces.front().begin == 0);
  CHECK(pieces.back().end == line.size());
  std::set<size_t> ends;
  for (const auto& piece : pieces) ends.insert(piece.end);
  CHECK(ends.contains(3));   // behind the first é
  CHECK(ends.contains(4));   // behind t
  CHECK(ends.contains(11));  // end
}

TEST_CASE("byte pieces of one character share its bytes", "[text][sentencepiece][unit]") {
  const auto pieces = tiny_bytes()->encode_with_offsets("a\U0001F333\u00e9");
  size_t tree = 0;
  size_t accent = 0;
  for (const auto& piece : pieces) {
    if (piece.begin == 1 && piece.end == 5) ++tree;
    if (piece.begin == 5 && piece.end == 7) ++accent;
  }
  CHECK(tree == 4);
  CHECK(accent == 2);
}

TEST_CASE("encoding a decoded line changes nothing any more", "[text][property]") {
  for (const auto& tokenizer : {tiny_bytes(), words()})
    for (const auto& line : kOddLines) {
      const auto once = tokenizer->decode(tokenizer->encode(line));
      CHECK(tokenizer->decode(tokenizer->encode(once)) == once);
    }
  for (const auto& line : lines_of("base/test.fr")) CHECK(tiny()->decode(tiny()->encode(line)) == line);
}

TEST_CASE("special ids decode to nothing, and each id keeps its place", "[text][property]") {
  for (const auto& tokenizer : {tiny(), tiny_bytes(), words()}) {
    auto ids = tokenizer->encode("je vois un pont .");
    const auto text = tokenizer->decode(ids);
    ids.insert(ids.begin(), kBos);
    ids.insert(ids.begin() + 3, kPad);
    ids.push_back(kEos);
    ids.push_back(kPad);
    CHECK(tokenizer->decode(ids) == text);
    const auto pieces = tokenizer->decode_with_offsets(ids);
    REQUIRE(pieces.size() == ids.size());
    std::string rebuilt;
    for (size_t i = 0; i < ids.size(); ++i) {
      CHECK(pieces[i].id == ids[i]);
      CHECK(pieces[i].begin <= pieces[i].end);
      CHECK(pieces[i].end <= text.size());
      if (ids[i] <= kEos && ids[i] != kUnk) CHECK(pieces[i].begin == pieces[i].end);
    }
    CHECK(pieces[ids.size() - 3].end == text.size());
  }
}

TEST_CASE("an unknown piece decodes to a visible mark", "[text][unit]") {
  CHECK(tiny()->decode(Ids{32, 4, kUnk}) == "je \u2047 ");
  CHECK(words()->decode(Ids{4, kUnk, 5}) == "je <unk> vois");
}

TEST_CASE("ids out of range are refused", "[text][unit]") {
  for (const auto& tokenizer : {tiny(), words()}) {
    CHECK_THROWS_AS(tokenizer->decode(Ids{tokenizer->size()}), std::out_of_range);
    CHECK_THROWS_AS(tokenizer->decode(Ids{-1}), std::out_of_range);
    CHECK_THROWS_AS(tokenizer->piece(tokenizer->size()), std::out_of_range);
  }
}

TEST_CASE("a sampled segmentation spells the same text and hangs on the seed alone", "[text][property]") {
  const auto line = "elle porte une lampe et une lettre ."s;
  std::set<Ids> seen;
  for (uint64_t seed = 0; seed < 30; ++seed) {
    const auto ids = tiny()->sample(line, 0.2, seed);
    CHECK(ids == tiny()->sample(line, 0.2, seed));
    CHECK(tiny()->decode(ids) == line);
    seen.insert(ids);
  }
  CHECK(seen.size() > 5);
  CHECK(words()->sample("je vois", 0.5, 1) == words()->encode("je vois"));
}

TEST_CASE("a tokenizer keeps the bytes of its file and loads again from them", "[text][property]") {
  CHECK(tiny()->serialized() == bytes_of_file(case_file("base/tiny.model")));
  CHECK(tiny()->extension() == "spm");
  CHECK(tiny()->size() == 132);
  CHECK(words()->extension() == "vocab");
  CHECK(parse_tokenizer(words()->serialized(), "again")->encode("je vois") == words()->encode("je vois"));
}

TEST_CASE("files that are no vocabulary are checkpoint errors by name", "[text][unit]") {
  const TemporaryFolder folder;
  const auto model = bytes_of_file(case_file("base/tiny.model"));
  for (const auto& bytes : {""s, "garbage"s, std::string(100, '\0'), model.substr(0, 1000), model.substr(1),
                            model.substr(0, model.size() - 3)}) {
    const auto path = folder.write("broken.spm", bytes);
    CHECK_THROWS_AS(load_tokenizer(path), CheckpointError);
    CHECK_THROWS_WITH(load_tokenizer(path), Catch::Contains("broken.spm"));
  }
  CHECK_THROWS_AS(load_tokenizer(folder / "missing"), CheckpointError);
  CHECK_THROWS_WITH(load_tokenizer(folder / "missing"), Catch::Contains("missing"));
}

TEST_CASE("a word list numbers its words by their lines", "[text][word][unit]") {
  CHECK(word_list({"a", "b"}) == "<pad>\n<unk>\n<s>\n</s>\na\nb\n");
  CHECK(words()->encode(" je\u00A0vois  un train\n") == Ids{4, 5, 6, kUnk});
  CHECK(words()->encode("</s> <s>") == Ids{9, kUnk});
  CHECK(words()->piece(10) == "l'\u00e9t\u00e9");
  CHECK(words()->size() == 11);
  const auto edited = parse_tokenizer("<pad>\r\n<unk>\r\n<s>\r\n</s>\r\nje\r\n", "edited");
  CHECK(edited->encode("je") == Ids{4});
}

TEST_CASE("a byte order mark before a word list is no part of it", "[text][word][unit]") {
  const auto marked = parse_tokenizer("\xEF\xBB\xBF" + words()->serialized(), "marked");
  CHECK(marked->serialized() == words()->serialized());
  CHECK(marked->encode("je") == Ids{4});
}

TEST_CASE("faults of a word list are named by line", "[text][word][unit]") {
  const auto head = "<pad>\n<unk>\n<s>\n</s>\n"s;
  CHECK_THROWS_AS(parse_tokenizer(head, "list"), CheckpointError);
  const auto lines = Catch::Contains("<pad>, <unk>, <s>, </s> first");
  CHECK_THROWS_WITH(parse_tokenizer("je\nvois\n", "list"),
                    Catch::StartsWith("list:1: is not <pad>") && lines);
  CHECK_THROWS_WITH(parse_tokenizer("<pad>\n<unk>\n</s>\n<s>\na\n", "list"),
                    Catch::StartsWith("list:3: is not <s>") && lines);
  CHECK_THROWS_WITH(parse_tokenizer("<unk>\n<s>\n</s>\na\n", "list"), Catch::StartsWith("list:1:") && lines);
  CHECK_THROWS_WITH(parse_tokenizer("<pad>\n<unk>\n", "list"), Catch::StartsWith("list:3:") && lines);
  CHECK_THROWS_WITH(parse_tokenizer("", "list"), Catch::StartsWith("list: is empty"));
  CHECK_THROWS_WITH(parse_tokenizer("\xEF\xBB\xBF", "list"), Catch::StartsWith("list: is empty"));
  CHECK_THROWS_WITH(parse_tokenizer(head + "a\nb c\n", "list"), Catch::StartsWith("list:6:"));
  CHECK_THROWS_WITH(parse_tokenizer(head + "a\n\nb\n", "list"), Catch::StartsWith("list:6:"));
  CHECK_THROWS_WITH(parse_tokenizer(head + "a\nb\na\n", "list"), Catch::StartsWith("list:7:"));
}
