#include "evaluate_report.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/error.h"
#include "run_gloss.h"
#include "support/catch.h"
#include "support/log_capture.h"

using namespace gloss;
using testing::LogCapture;

namespace {

EvaluateOptions options_for(const std::string& hypothesis, const std::vector<std::string>& references,
                            const std::string& metrics = "bleu,chrf,ter") {
  EvaluateOptions options;
  options.hypothesis = hypothesis;
  options.reference = references;
  options.metrics = metrics;
  return options;
}

/// Case M28: 200 lines; its second reference serves as a baseline.
EvaluateOptions compared(const std::string& metrics = "bleu,chrf,ter") {
  auto options = options_for(case_file("M28/hyp.txt"), {case_file("M28/ref1.txt")}, metrics);
  options.significance.baseline = case_file("M28/ref2.txt");
  return options;
}

nlohmann::json json_of(EvaluateOptions options, const ReportSetting& setting = {}) {
  options.json = true;
  return nlohmann::json::parse(evaluate_report(options, setting));
}

template <class Fault>
void check_refused(const EvaluateOptions& options, const std::vector<std::string>& parts) {
  try {
    evaluate_report(options, {});
    FAIL("not refused");
  } catch (const Fault& fault) {
    for (const auto& part : parts) {
      INFO(fault.what() << " should hold " << part);
      CHECK(holds(fault.what(), part));
    }
  }
}

std::string warnings_of(const EvaluateOptions& options) {
  const LogCapture log;
  evaluate_report(options, {});
  return log.text();
}

}  // namespace

TEST_CASE("a report has a line for each metric in the order asked for", "[cli][evaluate]") {
  // sacreBLEU 2.6.0 on case M28, both references.
  const auto options = options_for(case_file("M28/hyp.txt"),
                                   {case_file("M28/ref1.txt"), case_file("M28/ref2.txt")}, "ter,bleu,chrf");
  CHECK(evaluate_report(options, {}) ==
        "TER\t33.65\tnrefs:2|case:lc|tok:tercom|norm:no|punct:yes|asian:no|version:2.6.0\n"
        "BLEU\t43.29\tnrefs:2|case:mixed|eff:no|tok:13a|smooth:exp|version:2.6.0\n"
        "chrF2\t74.25\tnrefs:2|case:mixed|eff:yes|nc:6|nw:0|space:no|version:2.6.0\n");
  const auto scores = json_of(options);
  CHECK(scores[0]["score"].get<double>() == Approx(33.654664).margin(1e-6));
  CHECK(scores[0]["num_edits"].is_number_integer());
  CHECK(scores[0]["ref_length"].is_number());
  CHECK(scores[1]["precisions"].size() == 4);
  CHECK(scores[2]["char_order"] == 6);
}

TEST_CASE("each option of TER changes the report as in sacreBLEU", "[cli][evaluate]") {
  // sacreBLEU 2.6.0 on case M20: normalized, without punctuation, case-sensitive.
  const auto [normalized, no_punct, case_sensitive, score] =
      GENERATE(table<bool, bool, bool, double>({{false, false, false, 65.217391},
                                                {true, false, false, 52.173913},
                                                {false, true, false, 54.545455},
                                                {false, false, true, 65.217391},
                                                {true, true, true, 52.272727}}));
  auto options = options_for(case_file("M20/hyp.txt"), {case_file("M20/ref1.txt")}, "ter");
  options.ter = {.normalized = normalized, .no_punct = no_punct, .case_sensitive = case_sensitive};
  CHECK(json_of(options)[0]["score"].get<double>() == Approx(score).margin(1e-6));
}

TEST_CASE("scores of lines are CSV with a head and all digits, or objects", "[cli][evaluate]") {
  // sacreBLEU 2.6.0 on case M04, BLEU with effective order.
  auto options = options_for(case_file("M04/hyp.txt"), {case_file("M04/ref1.txt")}, "bleu,ter");
  options.sentence_level = true;
  const auto rows = lines_of(evaluate_report(options, {}));
  REQUIRE(rows.size() == 4);
  CHECK(rows[0] == "sentence,bleu,ter");
  CHECK(holds(rows[1], "1,76.72796"));
  CHECK(rows[2] == "2,0,100");
  CHECK(holds(rows[3], ",16.66666666666666"));
  const auto objects = json_of(options);
  REQUIRE(objects.size() == 3);
  CHECK(objects[0]["sentence"] == 1);
  CHECK(objects[0]["ter"].get<double>() == Approx(28.571429).margin(1e-6));
  CHECK(objects[2]["bleu"].get<double>() == Approx(64.345888).margin(1e-6));
}

TEST_CASE("a file's name can't break the table", "[cli][evaluate]") {
  const TemporaryFolder folder;
  const auto name = folder.write("tab\there\nline", "a b c d\n");
  auto options = options_for(name, {name}, "bleu");
  options.significance.baseline = name;
  const auto lines = lines_of(evaluate_report(options, {}));
  REQUIRE(lines.size() == 2);
  for (const auto& line : lines) {
    CHECK(std::count(line.begin(), line.end(), '\t') == 6);
    CHECK(holds(line, "tab here line\t"));
  }
}

TEST_CASE("a table for a terminal has columns of one width", "[cli][evaluate]") {
  auto options = compared();
  options.significance.paired_ar = options.significance.paired_bs = true;
  options.significance.paired_ar_n = options.significance.paired_bs_n = 50;
  const auto lines = lines_of(evaluate_report(options, {.for_terminal = true}));
  REQUIRE(lines.size() == 7);
  for (const auto* title : {"metric", "file", "score", "mean", "95% +-", "p (bs)", "p (ar)"})
    CHECK(holds(lines[0], title));
  for (size_t i = 1; i < lines.size(); ++i) CHECK(lines[i].find("nrefs:1") == lines[0].find("signature"));
}

TEST_CASE("a baseline is compared by bootstrap, or by randomisation, or both", "[cli][evaluate]") {
  auto options = compared("bleu,ter");
  options.significance.paired_bs_n = 200;
  for (const auto& metric : json_of(options)) {
    CHECK(metric["paired_bs"]["resamples"] == 200);
    CHECK(metric["paired_bs"]["p_value"].get<double>() <= 1.0);
    CHECK_FALSE(metric.contains("paired_ar"));
    CHECK(metric["confidence"]["low"] < metric["score"]);
    CHECK(metric["confidence"]["high"] > metric["score"]);
    CHECK(metric["baseline"]["confidence"]["half_width"].get<double>() > 0);
    CHECK(metric["baseline"]["file"] == case_file("M28/ref2.txt"));
    CHECK(holds(metric["signature"], "nrefs:1|bs:200|seed:1|"));
  }
  options = compared("bleu,ter");
  options.significance.paired_ar = true;
  options.significance.paired_ar_n = 300;
  const auto randomised = json_of(options, {.seed = 9})[0];
  CHECK(randomised["paired_ar"]["trials"] == 300);
  CHECK_FALSE(randomised.contains("paired_bs"));
  CHECK_FALSE(randomised.contains("confidence"));
  CHECK(holds(randomised["signature"], "nrefs:1|ar:300|seed:9|"));
  options.significance.confidence = true;
  CHECK(json_of(options)[1]["baseline"].contains("confidence"));
  options.significance.confidence = false;
  options.significance.paired_bs = true;
  options.significance.paired_bs_n = 200;
  const auto both = lines_of(evaluate_report(options, {}));
  REQUIRE(both.size() == 4);
  CHECK(holds(both[2], "TER\t" + case_file("M28/ref2.txt") + "\t"));
  CHECK(holds(both[3], "TER\t" + case_file("M28/hyp.txt") + "\t"));
  CHECK(holds(both[3], "|bs:200|ar:300|seed:1|"));
  CHECK(evaluate_report(options, {.seed = 2}) != evaluate_report(options, {.seed = 1}));
}

TEST_CASE("a confidence interval of one system lies around its score", "[cli][evaluate]") {
  auto options = options_for(case_file("M28/hyp.txt"), {case_file("M28/ref1.txt")}, "bleu");
  options.significance.confidence = true;
  options.significance.confidence_n = 500;
  const auto object = json_of(options)[0];
  CHECK(object["confidence"]["low"] < object["score"]);
  CHECK(object["confidence"]["high"] > object["score"]);
  CHECK(holds(object["signature"], "|bs:500|seed:1|"));
  CHECK(lines_of(evaluate_report(options, {})).size() == 1);
}

TEST_CASE("options of evaluate that can't be meant are refused", "[cli][evaluate]") {
  const auto plain = options_for(case_file("M28/hyp.txt"), {case_file("M28/ref1.txt")});
  auto options = plain;
  options.significance.paired_bs = true;
  check_refused<UsageError>(options, {"--paired-bs", "--baseline FILE"});
  options = plain;
  options.significance.paired_ar = true;
  check_refused<UsageError>(options, {"--paired-ar", "--baseline FILE"});
  options = plain;
  options.sentence_level = options.significance.confidence = true;
  check_refused<UsageError>(options, {"--sentence-level", "--confidence"});
  options = compared();
  options.sentence_level = true;
  check_refused<UsageError>(options, {"--sentence-level", "--baseline"});
  options = compared();
  options.significance.confidence = true;
  check_refused<UsageError>(options, {"--confidence", "--paired-bs"});
  options = plain;
  options.significance.confidence_n = 500;
  check_refused<UsageError>(options, {"--confidence-n"});
  options = plain;
  options.significance.paired_bs_n = 500;
  check_refused<UsageError>(options, {"--paired-bs-n", "--baseline"});
  options = compared();
  options.significance.paired_ar_n = 500;
  check_refused<UsageError>(options, {"--paired-ar-n"});
  options = plain;
  options.gold_base = "1";
  check_refused<UsageError>(options, {"--gold-base", "give that too"});
  options = plain;
  options.bleu.smooth_value = 0.5;
  for (const std::string method : {"exp", "none"}) {
    options.bleu.smooth_method = method;
    check_refused<UsageError>(options, {"--smooth-value", "floor and add-k", method});
  }
  for (const auto* method : {"floor", "add-k"}) {
    options.bleu.smooth_method = method;
    CHECK_NOTHROW(evaluate_report(options, {}));
  }
  auto of_links = options_for("links.pharaoh", {}, "bleu,chrf");
  of_links.gold = "gold.pharaoh";
  check_refused<DataError>(of_links, {"links.pharaoh"});  // the options themselves are fine
  of_links.metrics = "ter";
  check_refused<UsageError>(of_links, {"--metrics", "--gold"});
  of_links.metrics = "bleu,chrf";
  of_links.bleu.lowercase = true;
  check_refused<UsageError>(of_links, {"--lowercase", "--gold"});
  of_links.bleu.lowercase = false;
  of_links.ter.no_punct = true;
  check_refused<UsageError>(of_links, {"--ter-no-punct", "--gold"});
  options = plain;
  options.reference.clear();
  options.metrics = "bleu,chrf";
  check_refused<UsageError>(options, {"--reference FILE"});
  options.gold = "gold.pharaoh";
  options.significance.confidence = true;
  check_refused<UsageError>(options, {"--gold", "--confidence"});
  check_refused<UsageError>(options_for("-", {"-"}), {"stdin"});
  check_refused<UsageError>(options_for("/dev/stdin", {"-"}), {"stdin"});
  auto links = options_for("-", {}, "bleu,chrf");
  links.gold = "-";
  check_refused<UsageError>(links, {"--gold", "stdin"});
  check_refused<UsageError>(options_for(plain.hypothesis, plain.reference, "bleu,meteor"),
                            {"'meteor'", "bleu, chrf, ter"});
  check_refused<UsageError>(options_for(plain.hypothesis, plain.reference, "bleu,bleu"), {"'bleu'", "twice"});
}

TEST_CASE("missing, empty and unequal files are named before anything is scored", "[cli][evaluate]") {
  const TemporaryFolder folder;
  const auto two = folder.write("two", "a\nb\n"), one = folder.write("one", "a\n"),
             none = folder.write("none", "");
  const auto absent = folder.file("absent");
  check_refused<DataError>(options_for(absent, {two}), {absent + ": cannot be read"});
  check_refused<DataError>(options_for(two, {absent}), {absent + ": cannot be read"});
  check_refused<DataError>(options_for(two, {two, one}), {two + ": 2 lines", one + " has 1"});
  check_refused<DataError>(options_for(none, {none}), {none + ": 0 lines"});
  check_refused<DataError>(options_for(none, {two}), {none + ": 0 lines", two + " has 2"});
  auto options = options_for(two, {two});
  options.significance.baseline = absent;
  check_refused<DataError>(options, {absent + ": cannot be read"});
  options.significance.baseline = one;
  check_refused<DataError>(options, {one + ": 1 lines", two + " has 2"});
}

TEST_CASE("files without a last line feed or with CR LF pair up and score the same", "[cli][evaluate]") {
  const TemporaryFolder folder;
  const auto reference = folder.write("reference", "the cat sat\non the mat\n");
  const auto report = [&](const std::string& text) {
    return evaluate_report(options_for(folder.write("hypothesis", text), {reference}), {});
  };
  const auto plain = report("the cat sat\non a mat\n");
  CHECK(report("the cat sat\non a mat") == plain);
  CHECK(report("the cat sat\r\non a mat\r\n") == plain);
}

TEST_CASE("a byte order mark stays and counts, as in sacreBLEU, with a warning", "[cli][evaluate]") {
  const TemporaryFolder folder;
  const auto marked = folder.write("marked",
                                   "\xEF\xBB\xBF"
                                   "a b c d\n"),
             plain = folder.write("plain", "a b c d\n");
  CHECK(json_of(options_for(marked, {plain}, "ter"))[0]["score"] == 25.0);
  CHECK(holds(warnings_of(options_for(marked, {plain})), marked + ": begins with a byte order mark"));
  CHECK(holds(warnings_of(options_for(plain, {marked})), marked + ": begins with a byte order mark"));
}

TEST_CASE("evaluate warns of what lowers a score for no good reason", "[cli][evaluate]") {
  const TemporaryFolder folder;
  std::string tokenized, plain, lower;
  for (int i = 0; i < 100; ++i) {
    tokenized += "It is so .\n";
    plain += "It is so.\n";
    lower += "it is so.\n";
  }
  const auto reference = folder.write("reference", plain);
  const auto warnings = [&](const std::string& text, const auto& change) {
    auto options = options_for(folder.write("hypothesis", text), {reference}, "bleu,chrf");
    change(options);
    return warnings_of(options);
  };
  const auto as_it_is = [](EvaluateOptions& /*options*/) {};
  CHECK(warnings(plain, as_it_is).empty());

  CHECK(holds(warnings(tokenized, as_it_is), "hypothesis: 100 lines end in ' .'"));
  CHECK(warnings(tokenized, [](auto& options) { options.metrics = "chrf"; }).empty());
  CHECK(warnings(tokenized.substr(0, tokenized.size() - 3) + ".\n", as_it_is).empty());  // 99 lines

  CHECK(holds(warnings(lower, as_it_is), "hypothesis: all lower case"));
  CHECK(
      warnings(lower, [](auto& options) { options.bleu.lowercase = options.chrf.lowercase = true; }).empty());
  CHECK(warnings(lower, [](auto& options) { options.metrics = "ter"; }).empty());
  CHECK_FALSE(warnings(lower, [](auto& options) {
                options.metrics = "ter";
                options.ter.case_sensitive = true;
              }).empty());
  CHECK(warnings("I" + lower.substr(1), as_it_is).empty());  // one capital
  CHECK(warnings(
            [](std::string text) {
              for (char& c : text)
                if (c != '\n') c = '1';
              return text;
            }(lower),
            as_it_is)
            .empty());  // no letters

  CHECK(holds(warnings("\xFF" + plain, as_it_is), "hypothesis:1: not UTF-8"));
  CHECK(holds(warnings(plain, [&](auto& options) { options.significance.baseline = options.hypothesis; }),
              "hold the same lines"));
}
