#include "align/links.h"

#include "core/error.h"
#include "support/catch.h"
#include "support/files.h"

using namespace gloss;
using Catch::Matchers::Contains;

namespace {

std::vector<SentenceLinks> read(const std::string& name, const std::string& content,
                                std::optional<int64_t> base = std::nullopt) {
  const testing::TemporaryFolder folder;
  const auto file = folder.write(name, content);
  return read_links(file, link_format_of_file(file), base);
}

const Alignment kAlignment{{"a", "b", "c"}, {"x", "y", "z"}, {0.2, 0.5, 0.3, 0.4, 0.2, 0.4, 0.0, 0.0, 0.0}};

}  // namespace

TEST_CASE("each target unit links to its largest weight, the leftmost of equals", "[align][links][unit]") {
  CHECK(hard_links(kAlignment) == std::vector<Link>{{0, 1}, {1, 0}});  // z is all zeros: no link
}

TEST_CASE("with a threshold all weights from there on are links", "[align][links][unit]") {
  CHECK(hard_links(kAlignment, 0.3) == std::vector<Link>{{0, 1}, {1, 0}, {2, 0}, {2, 1}});
  CHECK(hard_links(kAlignment, 0.9).empty());
}

TEST_CASE("a unit drawn to the end mark has no link", "[align][links][unit]") {
  const Alignment kept{{"a", "</s>"}, {"x", "y", "</s>"}, {0.9, 0.1, 0.2, 0.8, 0.6, 0.4}};
  CHECK(hard_links(kept, 0.0, /*has_eos=*/true) == std::vector<Link>{{0, 0}});
  CHECK(hard_links(kept, 0.2, /*has_eos=*/true) == std::vector<Link>{{0, 0}, {0, 1}});
}

TEST_CASE("alignments without units have no links", "[align][links][unit]") {
  CHECK(hard_links({}).empty());
  CHECK(hard_links({{}, {"x"}, {}}).empty());
  CHECK(hard_links({{"a"}, {}, {}}).empty());
}

TEST_CASE("pharaoh counts from 0, talp and naacl from 1", "[align][links][unit]") {
  const std::vector<Link> links{{0, 0}, {2, 1}};
  CHECK(format_links(link_format("pharaoh"), 7, links) == "0-0 2-1\n");
  CHECK(format_links(link_format("talp"), 7, links) == "1-1 3-2\n");
  CHECK(format_links(link_format("naacl"), 7, links) == "7 1 1 S\n7 3 2 S\n");
  CHECK(format_links(link_format("pharaoh"), 7, {}) == "\n");
  CHECK(format_links(link_format("naacl"), 7, {}).empty());
}

TEST_CASE("links come back from each format as they were written", "[align][links][property]") {
  const std::string name = GENERATE("pharaoh", "talp", "naacl");
  const std::vector<std::vector<Link>> sentences{{{0, 0}, {2, 1}}, {}, {{10, 11}}};
  std::string text;
  for (size_t i = 0; i < sentences.size(); ++i)
    text += format_links(link_format(name), static_cast<int64_t>(i) + 1, sentences[i]);
  const auto again = read("round." + name, text);
  REQUIRE(again.size() == 3);
  for (size_t i = 0; i < 3; ++i) {
    CHECK(again[i].sure == sentences[i]);
    CHECK(again[i].possible.empty());
  }
}

TEST_CASE("sure and possible links are told apart", "[align][links][unit]") {
  const auto talp = read("gold.talp", "1-1 2p3\n\n3-3\r\n");
  REQUIRE(talp.size() == 3);
  CHECK(talp[0].sure == std::vector<Link>{{0, 0}});
  CHECK(talp[0].possible == std::vector<Link>{{1, 2}});
  CHECK(talp[1].sure.empty());
  CHECK(talp[2].sure == std::vector<Link>{{2, 2}});
  const auto naacl = read("gold.naacl", "0001 1 1 S\n0001 2 1 P\n0003 2 2\n");
  REQUIRE(naacl.size() == 3);
  CHECK(naacl[0].possible == std::vector<Link>{{1, 0}});
  CHECK(naacl[2].sure == std::vector<Link>{{1, 1}});
}

TEST_CASE("the index base can be overridden", "[align][links][unit]") {
  CHECK(read("gold.talp", "0-1\n", 0)[0].sure == std::vector<Link>{{0, 1}});
  CHECK(read("gold.txt", "1-1\n", 1)[0].sure == std::vector<Link>{{0, 0}});
}

TEST_CASE("links to NAACL's NULL word are left out", "[align][links][unit]") {
  const auto links = read("null.naacl", "1 0 2 S\n1 1 1 S\n");
  CHECK(links[0].sure == std::vector<Link>{{0, 0}});
}

TEST_CASE("malformed links are refused with file and line", "[align][links][unit]") {
  for (const std::string bad : {"0", "a-b", "1-", "-1", "1--2", "1-2-3", "1-99999999999999999999", "1.5-2"}) {
    INFO(bad);
    CHECK_THROWS_AS(read("bad.pharaoh", "0-0\n" + bad + "\n"), DataError);
    CHECK_THROWS_WITH(read("bad.pharaoh", "0-0\n" + bad + "\n"), Contains("bad.pharaoh:2: "));
  }
  CHECK_THROWS_WITH(read("bad.talp", "1-1\n1-1 0-1\n"), Contains("bad.talp:2: ") && Contains("count from 1"));
  CHECK_THROWS_WITH(read("bad.naacl", "1 1\n"), Contains("bad.naacl:1: "));
  CHECK_THROWS_AS(read("bad.naacl", "1 1 1 X\n"), DataError);
  CHECK_THROWS_AS(read("bad.naacl", "0 1 1\n"), DataError);
  CHECK_THROWS_AS(read("bad.naacl", "999999999999 1 1\n"), DataError);
}

TEST_CASE("a sentence number far beyond those before it is refused before memory is asked for",
          "[align][links][unit]") {
  CHECK_THROWS_AS(read("gold.naacl", "1 1 1\n99999999 1 1 S\n"), DataError);
  CHECK_THROWS_WITH(read("gold.naacl", "1 1 1\n99999999 1 1 S\n"),
                    Contains("gold.naacl:2: sentence 99999999") && Contains("mend the number"));
  CHECK_THROWS_AS(read("gold.naacl", "1000001 1 1\n1000000 1 1\n2000002 1 1\n"), DataError);
  CHECK(read("gold.naacl", "3 1 1\n1000003 1 1\n1 1 1\n").size() == 1000003);
}

TEST_CASE("an unknown link format is refused with the list", "[align][links][unit]") {
  CHECK_THROWS_WITH(link_format("giza"), Contains("pharaoh, talp, naacl"));
}
