#include <fcntl.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <nlohmann/json.hpp>
#include <stdexcept>

#include "run_gloss.h"
#include "support/catch.h"

using namespace gloss;

// The program as a whole; evaluate_report_test.cpp has what it prints under which options.

namespace {

/// What gloss prints when its stdout is a terminal.
std::string on_a_terminal(const std::vector<std::string>& arguments) {
  const int master = posix_openpt(O_RDWR | O_NOCTTY);
  if (master < 0 || grantpt(master) != 0 || unlockpt(master) != 0) throw std::runtime_error("no terminal");
  const std::string name = ptsname(master);
  const pid_t child = fork();
  if (child == 0) {
    dup2(open(name.c_str(), O_RDWR | O_NOCTTY), STDOUT_FILENO);
    std::vector<std::string> words{GLOSS_BINARY};
    words.insert(words.end(), arguments.begin(), arguments.end());
    std::vector<char*> argv;
    for (auto& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    execv(argv[0], argv.data());
    _exit(127);
  }
  std::string text;
  char block[4096];
  for (ssize_t count; (count = read(master, block, sizeof block)) > 0;)
    text.append(block, static_cast<size_t>(count));
  waitpid(child, nullptr, 0);
  close(master);
  std::erase(text, '\r');
  return text;
}

}  // namespace

TEST_CASE("evaluate prints its scores on stdout and nothing on stderr when quiet", "[cli][evaluate]") {
  const auto text = case_file("base/test.en");
  const auto outcome = run_gloss({"evaluate", "--quiet", "--hypothesis", text, "--reference", text});
  CHECK(outcome.code == 0);
  CHECK(outcome.err.empty());
  CHECK(outcome.out.find("100") != std::string::npos);
}

TEST_CASE("evaluate --json is an array with a full double for each metric", "[cli][evaluate]") {
  // sacreBLEU 2.6.0 on case M09: bleu 17.286039 with its defaults.
  const auto outcome = run_gloss({"evaluate", "--json", "--metrics", "bleu", "--hypothesis",
                                  case_file("M09/hyp.txt"), "--reference", case_file("M09/ref1.txt")});
  REQUIRE(outcome.code == 0);
  const auto scores = nlohmann::json::parse(outcome.out);
  REQUIRE(scores.is_array());
  CHECK(scores.at(0).at("score").get<double>() == Approx(17.286039).margin(1e-6));
}

TEST_CASE("evaluate takes every option from the command line", "[cli][evaluate]") {
  const auto outcome = run_gloss({"evaluate",
                                  "--hypothesis",
                                  case_file("M28/hyp.txt"),
                                  "--reference",
                                  case_file("M28/ref1.txt"),
                                  "--baseline",
                                  case_file("M28/ref2.txt"),
                                  "--metrics",
                                  "ter,chrf,bleu",
                                  "--ter-normalized",
                                  "--ter-no-punct",
                                  "--ter-asian-support",
                                  "--ter-case-sensitive",
                                  "--chrf-word-order",
                                  "2",
                                  "--tokenize",
                                  "intl",
                                  "--paired-bs",
                                  "--paired-ar",
                                  "--paired-bs-n",
                                  "100",
                                  "--paired-ar-n",
                                  "200",
                                  "--seed",
                                  "9"});
  INFO(outcome.err);
  REQUIRE(outcome.code == 0);
  const auto lines = lines_of(outcome.out);
  REQUIRE(lines.size() == 6);
  CHECK(holds(lines[1],
              "\tnrefs:1|bs:100|ar:200|seed:9|case:mixed|tok:tercom|norm:yes|punct:no|asian:yes|version"));
  CHECK(holds(lines[3], "chrF2++\t" + case_file("M28/hyp.txt") + "\t"));
  CHECK(holds(lines[5], "|tok:intl|"));
}

TEST_CASE("significance hangs on the seed, not on the threads", "[cli][evaluate]") {
  const auto with = [](const std::string& threads) {
    return run_gloss({"evaluate", "--hypothesis", case_file("M28/hyp.txt"), "--reference",
                      case_file("M28/ref1.txt"), "--baseline", case_file("M28/ref2.txt"), "--metrics",
                      "bleu,chrf,ter", "--paired-bs", "--paired-ar", "--json", "--threads", threads})
        .out;
  };
  CHECK(with("1") == with("2"));
}

TEST_CASE("on a terminal evaluate prints a table with a head", "[cli][evaluate]") {
  const auto text = on_a_terminal(
      {"evaluate", "--hypothesis", case_file("M28/hyp.txt"), "--reference", case_file("M28/ref1.txt")});
  CHECK(holds(text, "metric  score  signature\nBLEU    42.44  nrefs:1"));
}

TEST_CASE("faults of evaluate are told by exit code, without output", "[cli][evaluate]") {
  const auto refused = run_gloss({"evaluate", "--hypothesis", case_file("M28/hyp.txt"), "--reference",
                                  case_file("M28/ref1.txt"), "--paired-bs"});
  CHECK(refused.code == 2);
  CHECK(refused.out.empty());
  CHECK(holds(refused.err, "--baseline"));
  const auto empty = run_gloss({"evaluate", "--reference", case_file("M28/ref1.txt")});
  CHECK(empty.code == 3);
  CHECK(empty.out.empty());
  CHECK(holds(empty.err, "stdin: 0 lines, but " + case_file("M28/ref1.txt") + " has 200"));
}

TEST_CASE("values that no score can be made of are refused", "[cli][evaluate]") {
  for (const auto* value : {"-5", "-0.5", "inf", "nan", "1e308"}) {
    const auto refused =
        run_gloss({"evaluate", "--hypothesis", case_file("M28/hyp.txt"), "--reference",
                   case_file("M28/ref1.txt"), "--smooth-method", "add-k", "--smooth-value", value});
    CHECK(refused.code == 2);
    CHECK(holds(refused.err, "smooth-value"));
  }
}

TEST_CASE("a file name that is no UTF-8 doesn't break the JSON", "[cli][evaluate]") {
  const TemporaryFolder folder;
  const auto name = folder.write("x\xff", "a b c d\n"), reference = folder.write("r", "a b c d\n");
  const auto result = run_gloss({"evaluate", "--hypothesis", name, "--baseline", name, "--reference",
                                 reference, "--json", "--paired-bs-n", "10"});
  CHECK(result.code == 0);
  CHECK(holds(result.out, "\xef\xbf\xbd"));
}
