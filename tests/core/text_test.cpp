#include "core/text.h"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <numeric>
#include <set>
#include <string>
#include <vector>

#include "core/error.h"
#include "core/lines.h"
#include "core/random.h"
#include "core/sha256.h"
#include "core/stop.h"
#include "core/table.h"
#include "core/unicode.h"
#include "support/catch.h"

using namespace gloss;
using namespace std::string_literals;

TEST_CASE("every character of Unicode's White_Space is blank", "[core][unicode][unit]") {
  // PropList.txt, White_Space.
  for (const auto* space :
       {"\t",     "\n",     "\v",     "\f",     "\r",     " ",      "\u0085", "\u00A0", "\u1680",
        "\u2000", "\u2001", "\u2002", "\u2003", "\u2004", "\u2005", "\u2006", "\u2007", "\u2008",
        "\u2009", "\u200A", "\u2028", "\u2029", "\u202F", "\u205F", "\u3000"})
    CHECK(is_blank(space));
  CHECK(is_blank(""));
  for (const auto* other : {"\u200B", "\uFEFF", "\u00AD", "\u2060", "\u200D", "\u180E", "\x1c", "x", "\xff"})
    CHECK_FALSE(is_blank(other));
  CHECK_FALSE(is_blank("\0"s));
}

TEST_CASE("words are what white space separates", "[core][unicode][unit]") {
  using Spans = std::vector<std::pair<size_t, size_t>>;
  CHECK(word_spans("").empty());
  CHECK(word_spans(" \u3000").empty());
  CHECK(word_spans("  je t'aime\u00A0.") == Spans{{2, 4}, {5, 11}, {13, 14}});
  CHECK(word_spans("a\0b c"s) == Spans{{0, 3}, {4, 5}});
  CHECK(word_spans("\xff \xe2") == Spans{{0, 1}, {2, 3}});
}

TEST_CASE("invalid UTF-8 becomes one replacement character per maximal subpart", "[core][unicode][unit]") {
  // The Unicode Standard, tables 3-8 to 3-11.
  const auto r = "\uFFFD"s;
  CHECK(replace_invalid_utf8("\xC0\xAF\xE0\x80\xBF\xF0\x81\x82\x41") == r + r + r + r + r + r + r + r + "A");
  CHECK(replace_invalid_utf8("\xED\xA0\x80\xED\xBF\xBF\xED\xAF\x41") == r + r + r + r + r + r + r + r + "A");
  CHECK(replace_invalid_utf8("\xF4\x91\x92\x93\xFF\x41\x80\xBF\x42") ==
        r + r + r + r + r + "A" + r + r + "B");
  CHECK(replace_invalid_utf8("\xE1\x80\xE2\xF0\x91\x92\xF1\xBF\x41") == r + r + r + r + "A");
}

TEST_CASE("valid UTF-8 stays as it is, and a mended line is valid", "[core][unicode][property]") {
  const auto text = "d\u00e9j\u00e0 \U0001F333 \uFFFD \0 \U0010FFFF"s;
  CHECK(valid_utf8(text));
  CHECK(replace_invalid_utf8(text) == text);
  Random random(1);
  for (int i = 0; i < 2000; ++i) {
    std::string bytes(random.below(12), ' ');
    for (char& c : bytes) c = static_cast<char>(random.below(256));
    const auto mended = replace_invalid_utf8(bytes);
    CHECK(valid_utf8(mended));
    CHECK((mended == bytes) == valid_utf8(bytes));
  }
}

TEST_CASE("text of a model fits on one line of valid UTF-8", "[core][lines][property]") {
  CHECK(one_line("je\n vois") == "je  vois");
  CHECK(one_line("je\r\n") == "je  ");
  CHECK(one_line("je\0s"s) == "je s");
  CHECK(one_line("je\ts") == "je\ts");
  CHECK(one_line("je\ts", /*tabs_too=*/true) == "je s");
  CHECK(one_line("\xF0\x9F") == "\uFFFD");
  CHECK(one_line("\u2028\u0085") == "\u2028\u0085");
}

TEST_CASE("the generator is splitmix64", "[core][random][unit]") {
  // First numbers of the published C code (Vigna, splitmix64.c) for the state 1234567.
  Random random(1234567);
  CHECK(random.next() == 6457827717110365317ULL);
  CHECK(random.next() == 3203168211198807973ULL);
  CHECK(random.next() == 9817491932198370423ULL);
}

TEST_CASE("a shuffle is a permutation, the same for the same seed", "[core][random][property]") {
  for (size_t size : {0, 1, 2, 3, 17, 1000}) {
    std::vector<int> items(size);
    std::iota(items.begin(), items.end(), 0);
    auto a = items;
    auto b = items;
    auto c = items;
    Random(7).shuffle(a);
    Random(7).shuffle(b);
    Random(8).shuffle(c);
    CHECK(a == b);
    CHECK(std::is_permutation(a.begin(), a.end(), items.begin()));
    if (size > 10) CHECK(a != c);
    if (size > 10) CHECK(a != items);
  }
}

TEST_CASE("shuffles of three items reach all six orders equally often", "[core][random][property]") {
  std::vector<int> seen(1000, 0);
  Random random(3);
  constexpr int kRounds = 6000;
  for (int i = 0; i < kRounds; ++i) {
    std::vector<int> items{1, 2, 3};
    random.shuffle(items);
    ++seen[items[0] * 100 + items[1] * 10 + items[2]];
  }
  for (int order : {123, 132, 213, 231, 312, 321}) CHECK(std::abs(seen[order] - kRounds / 6) < 150);
}

TEST_CASE("numbers below n stay below n and reach all of them", "[core][random][property]") {
  Random random(5);
  std::set<uint64_t> seen;
  for (int i = 0; i < 1000; ++i) seen.insert(random.below(7));
  CHECK(seen == std::set<uint64_t>{0, 1, 2, 3, 4, 5, 6});
  for (int i = 0; i < 1000; ++i) {
    const double u = random.uniform();
    CHECK((u >= 0.0 && u < 1.0));
  }
}

TEST_CASE("streams of one seed and of its neighbours differ", "[core][random][property]") {
  std::set<uint64_t> seeds;
  for (uint64_t seed = 0; seed < 30; ++seed)
    for (uint64_t stream = 0; stream < 30; ++stream) seeds.insert(mix(seed, stream));
  CHECK(seeds.size() == 900);
}

TEST_CASE("SHA-256 gives the digests of FIPS 180", "[core][sha256][unit]") {
  CHECK(sha256_hex("") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  CHECK(sha256_hex("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

TEST_CASE("a text is a number only as a whole", "[core][text][unit]") {
  CHECK(whole_number<int64_t>("-12") == -12);
  CHECK(whole_number<int64_t>("007") == 7);
  CHECK(whole_number<double>("1e3") == 1000.0);
  CHECK(whole_number<double>("-.5") == -0.5);
  for (const auto* text : {"", " 1", "1 ", "+1", "1e3", "0x1", "1.0", "-", "one"}) {
    INFO(text);
    CHECK_FALSE(whole_number<int64_t>(text));
  }
  for (const auto* text : {"", " 1", "1 ", "+1", "1e999", "1,5", "e3"}) {
    INFO(text);
    CHECK_FALSE(whole_number<double>(text));
  }
  CHECK(whole_number<int64_t>("9223372036854775807") == INT64_MAX);
  CHECK_FALSE(whole_number<int64_t>("9223372036854775808"));
  CHECK_FALSE(whole_number<int8_t>("128"));
}

TEST_CASE("splitting keeps empty parts, and joining undoes it", "[core][text][unit]") {
  using Parts = std::vector<std::string>;
  CHECK(split("a,,b", ',') == Parts{"a", "", "b"});
  CHECK(split("", ',') == Parts{""});
  CHECK(split(",", ',') == Parts{"", ""});
  CHECK(split("a b", ',') == Parts{"a b"});
  for (const std::string text : {"a,,b", "", ",", ",a", "a,"}) CHECK(join(split(text, ','), ",") == text);
  CHECK(join({}).empty());
  CHECK(join({"a"}) == "a");
  CHECK(join({"a", "", "b"}) == "a, , b");
}

TEST_CASE("a table gives its names, its rows and a message with all of them", "[core][table][unit]") {
  struct Row {
    const char* name;
    int value;
  };
  const std::vector<Row> table{{"dot", 1}, {"general", 2}};
  CHECK(names_of(table) == std::vector<std::string>{"dot", "general"});
  CHECK(row_of(table, "attention score", "general").value == 2);
  CHECK_THROWS_AS(row_of(table, "attention score", "luong"), UsageError);
  CHECK_THROWS_WITH(row_of(table, "attention score", "luong"),
                    "unknown attention score 'luong'; choose from: dot, general");
}

namespace {

/// Exit code of a child that runs `body`.
template <class Body>
int exit_code_of(Body body) {
  const pid_t child = ::fork();
  if (child == 0) {
    body();
    ::_exit(0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

}  // namespace

TEST_CASE("the first stop signal sets a flag, a second one ends the process", "[core][stop][unit]") {
  CHECK(exit_code_of([] {
          install_stop_handlers();
          if (stop_signal() != 0) ::_exit(1);
          ::raise(SIGTERM);
          ::_exit(stop_signal() == SIGTERM ? 42 : 2);
        }) == 42);
  CHECK(exit_code_of([] {
          install_stop_handlers();
          ::raise(SIGTERM);
          ::raise(SIGINT);
        }) == 130);
  CHECK(exit_code_of([] {
          install_stop_handlers();
          ::raise(SIGINT);
          ::raise(SIGTERM);
        }) == 143);
}
