#include "search/score.h"

#include <spdlog/fmt/fmt.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>
#include <numeric>

#include "command.h"
#include "core/error.h"
#include "core/file.h"
#include "core/special_tokens.h"
#include "core/unicode.h"
#include "data/parallel_text.h"
#include "different_files.h"
#include "length_border.h"
#include "load_model.h"
#include "nn/precision.h"
#include "search/sentence_search.h"
#include "translation_lines.h"

namespace gloss {
namespace {

// Pairs in memory at a time: many, so that their batches have little padding.
constexpr size_t kChunkPairs = 8000;

struct ScoreCommandOptions {
  ModelUseOptions use;
  std::string source = "-";
  std::string target = "-";
  std::string output = "-";
  bool per_token = false;
  double length_penalty = 0.0;
  int64_t batch_tokens = 4096;
  bool strict = false;

  template <class Visitor>
  void visit(Visitor&& field) {
    field("source", source, "Source text, a sentence a line; - is stdin (of one side only).", any);
    field("target", target, "Its translation, line by line, to be scored; - is stdin.", any);
    field("output", output, "Where to write, a line for each pair; - is stdout.", any);
    field("per-token", per_token, "Write a JSON object a line with the log-probability of every piece.", any);
    field("length-penalty", length_penalty,
          "A: log-probabilities are divided by length^A (end mark counted); 0 is the plain sum, 1 is what "
          "translate --scores prints unless told otherwise.",
          non_negative);
    field("batch-tokens", batch_tokens,
          "Tokens a batch on the longer side, padding counted. Changes scores by rounding only.", positive);
    field("strict", strict, "Invalid UTF-8 in the text is an error, not a warning.", any);
  }

  void validate() const {
    if (is_stdin(source) && is_stdin(target))
      throw UsageError("--source and --target: stdin cannot be both; name a file for one of them");
    check_different_files(source, output, "--source and --output");
    check_different_files(target, output, "--target and --output");
    check_not_of_model(output, use.model, "--output");
  }
};

/// What perplexity is counted over.
struct Totals {
  int64_t lines = 0;
  int64_t tokens = 0;      ///< target pieces and end marks
  int64_t unknown = 0;     ///< of them, <unk>
  int64_t long_pairs = 0;  ///< longer than any in training
  int64_t words = 0;       ///< of the raw target lines, between white space
  int64_t characters = 0;  ///< code points of the raw target lines
  double log_probability = 0.0;

  void count_text(const std::string& target) {
    words += static_cast<int64_t>(word_spans(target).size());
    characters += std::count_if(target.begin(), target.end(),
                                [](char byte) { return (static_cast<unsigned char>(byte) & 0xC0) != 0x80; });
  }

  /// exp(-log p / count), for each unit that there is any of.
  std::string perplexities() const {
    std::string text = fmt::format("perplexity {:.6g} per token ({}, end marks counted)",
                                   std::exp(-log_probability / static_cast<double>(tokens)), tokens);
    for (const auto& [count, unit] : {std::pair(words, "word"), std::pair(characters, "character")})
      if (count > 0)
        text += fmt::format(", {:.6g} per {} ({})", std::exp(-log_probability / static_cast<double>(count)),
                            unit, count);
    return text;
  }
};

/// Pairs in, a line for each, in order.
class PairScorer {
 public:
  PairScorer(const ScoreCommandOptions& options, LoadedModel model, OutputStream& output)
      : options_(options),
        model_(std::move(model)),
        border_(length_border(model_.config.model)),
        output_(output) {}

  void run(const ParallelText& text) {
    const PrecisionGuard precision(options_.use.precision, model_.model->device());
    text.for_each([this](LinePair& pair) {
      pairs_.push_back(encode(pair));
      if (pairs_.size() == kChunkPairs) write_scores();
      return true;
    });
    write_scores();
    log_totals();
  }

 private:
  EncodedPair encode(LinePair& pair) {
    const auto place = [&](const std::string& file) { return file + ":" + std::to_string(pair.file_line); };
    const auto source_place = place(pair.source_file), target_place = place(pair.target_file);
    pair.source = valid_line(std::move(pair.source), source_place, options_.strict);
    pair.target = valid_line(std::move(pair.target), target_place, options_.strict);
    EncodedPair encoded{.source = {}, .target = {}, .line = pair.number};
    if (!is_blank(pair.source)) encoded.source = model_.tokenizers.source->encode(pair.source);
    if (!is_blank(pair.target)) encoded.target = model_.tokenizers.target->encode(pair.target);
    check_length(border_, encoded.source.size(), encoded.target.size(), source_place, target_place);
    totals_.count_text(pair.target);
    totals_.unknown += std::count(encoded.target.begin(), encoded.target.end(), kUnk);
    note_length(encoded, source_place);
    return encoded;
  }

  void note_length(const EncodedPair& pair, const std::string& place) {
    const auto known = model_.config.data.max_length;
    const auto pieces = static_cast<int64_t>(std::max(pair.source.size(), pair.target.size()));
    if (pieces > known && ++totals_.long_pairs == 1)
      spdlog::warn("{}: {} pieces, and training saw no more than {}: the score means little, and takes long",
                   place, pieces, known);
  }

  /// Of the pairs read so far.
  void write_scores() {
    const auto scores = score(*model_.model, pairs_, options_.batch_tokens);
    for (size_t i = 0; i < pairs_.size(); ++i) {
      const double sum = std::accumulate(scores[i].begin(), scores[i].end(), 0.0);
      totals_.log_probability += sum;
      totals_.tokens += static_cast<int64_t>(scores[i].size());
      ++totals_.lines;
      const double normalized =
          length_normalized(sum, static_cast<int64_t>(scores[i].size()), options_.length_penalty);
      output_.write(options_.per_token ? json_line(pairs_[i], scores[i], normalized, sum)
                                       : fmt::format("{:.6f}\n", normalized));
    }
    output_.flush();
    pairs_.clear();
  }

  std::string json_line(const EncodedPair& pair, const std::vector<double>& log_probability,
                        double normalized, double sum) const {
    auto tokens = nlohmann::ordered_json::array();
    for (size_t t = 0; t < log_probability.size(); ++t) {
      const auto id = t < pair.target.size() ? pair.target[t] : kEos;
      tokens.push_back(
          {{"token", model_.tokenizers.target->piece(id)}, {"log_probability", log_probability[t]}});
    }
    const nlohmann::ordered_json object{{"sentence", pair.line + 1},
                                        {"score", normalized},
                                        {"log_probability", sum},
                                        {"tokens", std::move(tokens)}};
    return object.dump(-1, ' ', /*ensure_ascii=*/false, nlohmann::ordered_json::error_handler_t::replace) +
           "\n";
  }

  void log_totals() const {
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start_;
    spdlog::info("{} lines, {} target tokens in {:.1f} s ({:.0f} tokens/s)", totals_.lines, totals_.tokens,
                 seconds.count(), static_cast<double>(totals_.tokens) / std::max(seconds.count(), 1e-9));
    spdlog::info("log-probability {:.6f}, {}", totals_.log_probability, totals_.perplexities());
    if (totals_.long_pairs > 1) spdlog::warn("{} pairs are longer than any in training", totals_.long_pairs);
    if (totals_.unknown > 0)
      spdlog::warn(
          "{} of {} target tokens are <unk>, which stands for any unknown word: do not compare these figures "
          "with those of another vocabulary",
          totals_.unknown, totals_.tokens);
  }

  const ScoreCommandOptions& options_;
  LoadedModel model_;
  LengthBorder border_;
  OutputStream& output_;
  std::vector<EncodedPair> pairs_;
  Totals totals_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

int run_score(const ScoreCommandOptions& options, const SharedOptions& shared) {
  options.validate();
  check_model_directory(options.use.model);
  // Text before the model: files of different length are known at once, and the output is made after them.
  const ParallelText text({.source = {options.source}, .target = {options.target}, .tsv = {}});
  OutputStream output(options.output);

  PairScorer(options, load_for_use(options.use, shared.device), output).run(text);
  output.close();
  return 0;
}

}  // namespace

Command score_command() {
  return {"score", "source and target in, log-probability of every line out, and perplexity",
          [](Fields& fields) -> Command::Run {
            auto options = std::make_shared<ScoreCommandOptions>();
            fields.add(options->use, "Score");
            fields.add(*options, "Score");
            return [options](const SharedOptions& shared) { return run_score(*options, shared); };
          }};
}

}  // namespace gloss
