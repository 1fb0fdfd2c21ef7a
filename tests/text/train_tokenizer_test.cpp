#include "text/train_tokenizer.h"

#include <sentencepiece_trainer.h>

#include <algorithm>
#include <functional>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/error.h"
#include "core/file.h"
#include "core/special_tokens.h"
#include "support/catch.h"
#include "support/files.h"
#include "support/log_capture.h"
#include "support/text_files.h"
#include "text/sentencepiece_tokenizer.h"

using namespace gloss;
using gloss::testing::case_file;
using gloss::testing::LogCapture;
using gloss::testing::TemporaryFolder;
using gloss::testing::text_from_files;
using namespace std::string_literals;

namespace {

TextSource base() { return text_from_files({case_file("base/train.fr"), case_file("base/train.en")}); }

TokenizerOptions options_for(const std::string& type) {
  TokenizerOptions options;
  options.vocab_type = type;
  return options;
}

/// Each option that only SentencePiece reads, and how to change it.
std::vector<std::pair<std::string, std::function<void(TokenizerOptions&)>>> subword_options() {
  return {{"normalization", [](auto& options) { options.normalization = "identity"; }},
          {"character-coverage", [](auto& options) { options.character_coverage = 0.99; }},
          {"byte-fallback", [](auto& options) { options.byte_fallback = true; }},
          {"user-symbols", [](auto& options) { options.user_symbols = {"@@"}; }}};
}

std::string message_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("C52: the same text gives the same bytes", "[text][train][property]") {
  for (const auto* type : {"unigram", "bpe", "word"}) {
    LogCapture log;
    const auto a = train_tokenizer(base(), options_for(type), "120");
    const auto b = train_tokenizer(base(), options_for(type), "120");
    CHECK(a->serialized() == b->serialized());
    CHECK(a->size() == 120);
    CHECK_THAT(log.text(), Catch::Contains("832 lines"));
  }
}

TEST_CASE("C52: a missing second file is an error by name", "[text][train][unit]") {
  const auto text = text_from_files({case_file("base/train.fr"), "no-such-file.en"});
  CHECK_THROWS_AS(train_tokenizer(text, {}, "120"), DataError);
  CHECK_THROWS_WITH(train_tokenizer(text, {}, "120"), Catch::Contains("no-such-file.en"));
}

TEST_CASE("C16: when all lines are too long the limit and its option are named", "[text][train][unit]") {
  auto options = options_for("unigram");
  options.max_sentence_bytes = 4192;
  const auto text = text_from_files({case_file("C16/all_long.txt")});
  CHECK_THROWS_AS(train_tokenizer(text, options, "auto"), DataError);
  CHECK_THROWS_WITH(train_tokenizer(text, options, "auto"), Catch::Contains("4192") &&
                                                                Catch::Contains("--max-sentence-bytes") &&
                                                                Catch::Contains("all_long.txt"));
  LogCapture log;
  CHECK(train_tokenizer(text, options_for("unigram"), "auto")->size() > 4);
}

TEST_CASE("C16: long lines among others are left out and counted", "[text][train][unit]") {
  auto options = options_for("unigram");
  options.max_sentence_bytes = 4192;
  LogCapture log;
  const auto tokenizer = train_tokenizer(text_from_files({case_file("C16/mixed.txt")}), options, "auto");
  CHECK(tokenizer->size() > 4);
  CHECK_THAT(log.text(), Catch::Contains("warning") && Catch::Contains("2 of 32 lines"));
}

TEST_CASE("C16: empty and blank files are named as such", "[text][train][unit]") {
  const TemporaryFolder folder;
  for (const auto* type : {"unigram", "word"}) {
    const auto empty = text_from_files({folder.write("empty.txt", "")});
    CHECK_THROWS_WITH(train_tokenizer(empty, options_for(type), "auto"),
                      Catch::Contains("empty.txt: is empty"));
    const auto blank = text_from_files({folder.write("blank.txt", "\n \n\u3000\n")});
    CHECK_THROWS_AS(train_tokenizer(blank, options_for(type), "auto"), DataError);
    CHECK_THROWS_WITH(train_tokenizer(blank, options_for(type), "auto"), Catch::Contains("blank.txt"));
  }
}

TEST_CASE("text of which normalisation leaves nothing is an error, not an abort", "[text][train][unit]") {
  for (const auto* type : {"unigram", "bpe"})
    for (const auto* line : {"\u200B", "\u2047", "\u2581 \u2581"})
      CHECK_THROWS_AS(train_tokenizer(text_from_lines({line}), options_for(type), "auto"), DataError);
}

TEST_CASE("a coverage below 1 leaves the rarest characters to <unk>", "[text][train][unit]") {
  const auto [type, normalization] = GENERATE(table<std::string, std::string>(
      {{"unigram", "nmt_nfkc"}, {"unigram", "identity"}, {"bpe", "nmt_nfkc"}, {"bpe", "identity"}}));
  auto options = options_for(type);
  options.normalization = normalization;
  options.character_coverage = GENERATE(0.98, 0.99);
  INFO(type << " " << normalization << " " << options.character_coverage);
  const auto tokenizer = train_tokenizer(base(), options, "auto");
  const auto is_known = [&](const std::string& line) {
    const auto ids = tokenizer->encode(line);
    return std::find(ids.begin(), ids.end(), kUnk) == ids.end();
  };
  // Of the corpus' 27,000 characters 2,706 are e and 28 are x; all that are rarer than x make up less than 100.
  CHECK(is_known("e"));
  CHECK_FALSE(is_known("x"));
}

TEST_CASE("a coverage with which no vocabulary can be trained is refused by the option's own check",
          "[text][options][unit]") {
  TokenizerOptions options;
  const auto fault = [&](const std::string& coverage) {
    Check check;
    options.visit([&](const std::string& name, auto&, const char*, const Check& of_field) {
      if (name == "character-coverage") check = of_field;
    });
    return check.fault(coverage);
  };
  for (const std::string coverage : {"0.5", "0.8", "0.9", "0.95", "0.9799"})
    CHECK_THAT(fault(coverage), Catch::Contains("between 0.98 and 1"));
  for (const std::string coverage : {"0.98", "0.9995", "1"}) {
    CHECK(fault(coverage).empty());
    options.character_coverage = std::stod(coverage);
    CHECK(train_tokenizer(base(), options, "auto")->size() > 20);
  }
}

TEST_CASE("C08: NUL in the corpus is reported and no piece holds it", "[text][train][unit]") {
  for (const auto* type : {"unigram", "bpe", "word"}) {
    LogCapture log;
    const auto tokenizer =
        train_tokenizer(text_from_files({case_file("C08/corpus.txt")}), options_for(type), "auto");
    CHECK_THAT(log.text(), Catch::Contains("NUL"));
    for (int32_t id = 0; id < tokenizer->size(); ++id)
      CHECK(tokenizer->piece(id).find('\0') == std::string::npos);
    CHECK(parse_tokenizer(tokenizer->serialized(), "again")->size() == tokenizer->size());
  }
}

TEST_CASE("C05: no piece holds a carriage return, a tab or a line feed, whatever the normalisation",
          "[text][train][unit]") {
  for (const auto& normalization : normalization_names()) {
    auto options = options_for("unigram");
    options.normalization = normalization;
    const auto text =
        text_from_lines({"elle porte\rune lampe .", "je vois\tun pont .\r", "tu vois une lettre ."});
    const auto tokenizer = train_tokenizer(text, options, "auto");
    for (int32_t id = 0; id < tokenizer->size(); ++id)
      CHECK(tokenizer->piece(id).find_first_of("\r\n\t") == std::string::npos);
    const auto ids = tokenizer->encode("lampe");
    CHECK(std::find(ids.begin(), ids.end(), kUnk) == ids.end());
  }
}

TEST_CASE("C04: a line feed alone ends a training line", "[text][train][unit]") {
  LogCapture log;
  train_tokenizer(text_from_files({case_file("C04/src.txt")}), options_for("unigram"), "auto");
  CHECK_THAT(log.text(), Catch::Contains("from 5 lines"));
}

TEST_CASE("the special ids stand first, whatever was trained", "[text][train][property]") {
  for (const auto* type : {"unigram", "bpe", "word"}) {
    const auto tokenizer = train_tokenizer(base(), options_for(type), "auto");
    CHECK(tokenizer->piece(kPad) == "<pad>");
    CHECK(tokenizer->piece(kUnk) == "<unk>");
    CHECK(tokenizer->piece(kBos) == "<s>");
    CHECK(tokenizer->piece(kEos) == "</s>");
  }
}

TEST_CASE("every character of the training text has a piece", "[text][train][property]") {
  for (const auto* type : {"unigram", "bpe"}) {
    const auto tokenizer = train_tokenizer(base(), options_for(type), "auto");
    const auto next = base().open();
    for (std::string line; next(line);) {
      const auto ids = tokenizer->encode(line);
      CHECK(std::find(ids.begin(), ids.end(), kUnk) == ids.end());
      CHECK(tokenizer->decode(ids) == line);
    }
  }
}

TEST_CASE("a size that cannot be reached names the nearest that can, and that one works",
          "[text][train][property]") {
  for (const auto* type : {"unigram", "bpe"})
    for (const auto* wanted : {"6", "5000"}) {
      const auto options = options_for(type);
      CHECK_THROWS_AS(train_tokenizer(base(), options, wanted), UsageError);
      const auto message = message_of([&] { train_tokenizer(base(), options, wanted); });
      const std::string before = "the nearest size that works is ";
      const auto at = message.find(before);
      REQUIRE(at != std::string::npos);
      const auto nearest = std::stoi(message.substr(at + before.size()));
      CHECK(train_tokenizer(base(), options, std::to_string(nearest))->size() == nearest);
    }
}

TEST_CASE("auto follows the number of words up to 32,000", "[text][train][unit]") {
  CHECK(auto_vocabulary_size(40'000) == 2400);
  CHECK(auto_vocabulary_size(700'000) == 10040);
  CHECK(auto_vocabulary_size(1'000'000'000) == 32000);
  CHECK(auto_vocabulary_size(1) == 16);
}

TEST_CASE("auto works on a corpus of a single short line", "[text][train][unit]") {
  for (const auto* type : {"unigram", "bpe", "word"})
    for (const auto* line : {"a", "hello world",
                             "\u4f60\u597d\u4e16\u754c\u8fd9\u662f\u4e00\u4e2a\u957f\u53e5\u5b50\u6ca1\u6709"
                             "\u7a7a\u683c\u7684"}) {
      const auto tokenizer = train_tokenizer(text_from_lines({line}), options_for(type), "auto");
      const auto ids = tokenizer->encode(line);
      CHECK(!ids.empty());
      CHECK(tokenizer->decode(ids) == line);
    }
}

TEST_CASE("words are ranked by frequency, ties by their bytes, and cut at the size", "[text][train][unit]") {
  const auto text = text_from_lines({"b a c", "b a d", "b e"});
  const auto all = train_tokenizer(text, options_for("word"), "100");
  CHECK(all->serialized() == "<pad>\n<unk>\n<s>\n</s>\nb\na\nc\nd\ne\n");
  CHECK(train_tokenizer(text, options_for("word"), "6")->serialized() == "<pad>\n<unk>\n<s>\n</s>\nb\na\n");
  // auto: words seen once are left to <unk>
  CHECK(train_tokenizer(text, options_for("word"), "auto")->serialized() ==
        "<pad>\n<unk>\n<s>\n</s>\nb\na\n");
}

TEST_CASE("control pieces in the training text stay ordinary text", "[text][train][unit]") {
  for (const auto* type : {"unigram", "bpe", "word"}) {
    const auto text =
        text_from_lines({"a </s> b <s> <pad> <unk>", "a </s> b", "</s> a", "</s> b", "</s> </s> </s>"});
    const auto tokenizer = train_tokenizer(text, options_for(type), "auto");
    const auto ids = tokenizer->encode("</s> a");
    for (const int32_t id : ids) CHECK(id > kEos);
    CHECK(tokenizer->decode(ids) == "</s> a");
  }
}

TEST_CASE("byte fallback spells characters that were never seen", "[text][train][unit]") {
  auto options = options_for("unigram");
  options.byte_fallback = true;
  const auto tokenizer = train_tokenizer(base(), options, "auto");
  const auto ids = tokenizer->encode("je \U0001F333");
  CHECK(std::find(ids.begin(), ids.end(), kUnk) == ids.end());
  CHECK(tokenizer->decode(ids) == "je \U0001F333");
}

TEST_CASE("user symbols always stay one piece", "[text][train][unit]") {
  for (const auto* type : {"unigram", "bpe"}) {
    auto options = options_for(type);
    options.user_symbols = {"<NUM>", "@@"};
    const auto tokenizer = train_tokenizer(base(), options, "auto");
    std::vector<std::string> pieces;
    for (const auto& piece : tokenizer->encode_with_offsets("je<NUM>@@pont")) pieces.push_back(piece.text);
    CHECK(std::count(pieces.begin(), pieces.end(), "<NUM>") == 1);
    CHECK(std::count(pieces.begin(), pieces.end(), "@@") == 1);
  }
}

TEST_CASE("options that contradict each other are usage errors", "[text][options][unit]") {
  TokenizerOptions options;
  options.tokenizer = "a";
  options.source_tokenizer = "b";
  CHECK_THROWS_AS(options.validate(), UsageError);
  for (const auto* symbol : {"", "a b", "a,b", "</s>", " a"}) {
    options = {};
    options.user_symbols = {symbol};
    CHECK_THROWS_AS(options.validate(), UsageError);
  }
  for (const auto& [name, change] : subword_options()) {
    options = options_for("bpe");
    change(options);
    CHECK_NOTHROW(options.validate());
    options.vocab_type = "word";
    CHECK_THROWS_AS(options.validate(), UsageError);
    CHECK_THROWS_WITH(options.validate(),
                      Catch::StartsWith("--" + name + ": ") && Catch::Contains("unigram"));
    options = {};
    change(options);
    options.source_tokenizer = "a";
    CHECK_NOTHROW(options.validate());
    options.target_tokenizer = "b";
    CHECK_THROWS_WITH(options.validate(), Catch::StartsWith("--" + name + ": ") && Catch::Contains("ready"));
  }
  options = {};
  options.source_vocab_size = "80";
  options.target_tokenizer = "a";
  CHECK_NOTHROW(options.validate());
  options.target_vocab_size = "80";
  CHECK_THROWS_WITH(options.validate(), Catch::StartsWith("--target-vocab-size: "));
  options = {};
  options.source_vocab_size = "80";
  options.tokenizer = "a";
  CHECK_THROWS_WITH(options.validate(), Catch::StartsWith("--source-vocab-size: "));
  for (const auto* size : {"4", "0", "-1", "1.5", "many", "", "99999999999999999999"}) {
    CHECK_FALSE(vocabulary_size.fault(size).empty());
    CHECK_THROWS_AS(parse_vocabulary_size(size), UsageError);
  }
  CHECK(parse_vocabulary_size("8000") == 8000);
  CHECK_FALSE(parse_vocabulary_size("auto").has_value());
}

TEST_CASE("one vocabulary serves both sides unless the options ask for two", "[text][train][unit]") {
  const auto source = text_from_files({case_file("base/train.fr")});
  const auto target = text_from_files({case_file("base/train.en")});
  const auto joint = make_tokenizers({}, source, target);
  CHECK(joint.shared);
  CHECK(joint.source == joint.target);
  CHECK(joint.source->serialized() == train_tokenizer(base(), {}, "auto")->serialized());
  TokenizerOptions options;
  options.source_vocab_size = "80";
  options.target_vocab_size = "70";
  const auto two = make_tokenizers(options, source, target);
  CHECK_FALSE(two.shared);
  CHECK(two.source->size() == 80);
  CHECK(two.target->size() == 70);
  options = {};
  options.tokenizer = case_file("base/tiny.model");
  CHECK(make_tokenizers(options, source, target).source->size() == 132);
  options = {};
  options.source_tokenizer = case_file("base/tiny.model");
  options.vocab_size = "60";
  const auto half = make_tokenizers(options, source, target);
  CHECK(half.source->size() == 132);
  CHECK(half.target->size() == 60);
}

TEST_CASE("a model with SentencePiece's own special ids is refused with the flags that mend it",
          "[text][unit]") {
  struct Lines final : sentencepiece::SentenceIterator {
    std::vector<std::string> lines{"je vois un pont", "tu vois une lampe"};
    size_t at = 0;
    bool done() const override { return at == lines.size(); }
    void Next() override { ++at; }
    const std::string& value() const override { return lines[at]; }
    sentencepiece::util::Status status() const override { return {}; }
  } lines;
  std::string bytes;
  const std::unordered_map<std::string, std::string> settings{
      {"vocab_size", "30"}, {"hard_vocab_limit", "false"}, {"minloglevel", "3"}};
  REQUIRE(sentencepiece::SentencePieceTrainer::Train(settings, &lines, &bytes).ok());
  CHECK_THROWS_AS(parse_tokenizer(bytes, "theirs.model"), CheckpointError);
  CHECK_THROWS_WITH(
      parse_tokenizer(bytes, "theirs.model"),
      Catch::Contains("theirs.model") && Catch::Contains("--pad_id=0 --unk_id=1 --bos_id=2 --eos_id=3"));
}
