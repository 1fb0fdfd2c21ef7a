#include "search/translate.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <chrono>
#include <memory>

#include "align/alignment_options.h"
#include "align/format.h"
#include "command.h"
#include "core/error.h"
#include "core/file.h"
#include "different_files.h"
#include "length_border.h"
#include "line_translation.h"
#include "load_model.h"
#include "nn/precision.h"
#include "translation_lines.h"
#include "translation_writer.h"

namespace gloss {
namespace {

constexpr size_t kChunkLines = 2000;

struct TranslateCommandOptions {
  ModelUseOptions use;
  std::string input = "-";
  std::string output = "-";
  int64_t max_length = 0;
  int64_t batch_tokens = 2048;
  bool scores = false;
  bool jsonl = false;
  bool strict = false;
  SearchOptions search;
  AlignmentOptions alignments;

  template <class Visitor>
  void visit(Visitor&& field) {
    field("input", input, "Text to translate, a sentence a line; - is stdin.", any);
    field("output", output, "Where to write, a line for each line; - is stdout.", any);
    field("max-length", max_length,
          "Longer lines, in pieces, are translated in parts; 0: as long as in training. Never more than the "
          "model can tell apart.",
          non_negative);
    field("batch-tokens", batch_tokens, "Source tokens a batch, padding counted. Does not change the result.",
          positive);
    field("scores", scores, "Write score TAB text.", any);
    field("jsonl", jsonl, "Write a JSON object a line with texts, scores and pieces.", any);
    field("strict", strict, "Invalid UTF-8 in the input is an error, not a warning.", any);
  }

  void validate() const {
    search.validate();
    alignments.validate();
    check_files_differ();
    if (jsonl && scores) throw UsageError("--scores: --jsonl holds the scores; leave one of them out");
    if (!alignments.path.empty() && is_stdout(alignments.path) && is_stdout(output))
      throw UsageError(
          "--alignments: stdout takes the translations already; give --output or --alignments a file");
  }

  /// No two of input, output and alignments may be one file, nor one of the model's: the later would replace the earlier.
  void check_files_differ() const {
    check_different_files(input, output, "--input and --output");
    check_different_files(input, alignments.path, "--input and --alignments");
    check_different_files(output, alignments.path, "--output and --alignments");
    check_not_of_model(output, use.model, "--output");
    check_not_of_model(alignments.path, use.model, "--alignments");
  }

  OutputForm form() const {
    if (jsonl) return OutputForm::kJson;
    if (search.n_best > 1) return OutputForm::kNBest;
    return scores ? OutputForm::kScores : OutputForm::kText;
  }
};

/// Lines in, lines out, in order.
class LineTranslator {
 public:
  LineTranslator(const TranslateCommandOptions& options, LoadedModel model)
      : options_(options), model_(std::move(model)), form_(options.form()) {
    const auto asked = options.max_length > 0 ? options.max_length : model_.config.data.max_length;
    policy_.max_pieces = std::clamp<int64_t>(length_border(model_.config.model).source, 1, asked);
    policy_.strict = options.strict;
    choose_attention();
  }

  void run(LineReader& input, OutputStream& output, AlignmentWriter* alignments) {
    const PrecisionGuard precision(options_.use.precision, model_.model->device());
    for (auto lines = next_chunk(input, kChunkLines); !lines.empty();
         lines = next_chunk(input, kChunkLines)) {
      for (const auto& translation : translate_lines(std::move(lines), input.name())) {
        output.write(format_translation(translation, form_));
        if (!alignments) continue;
        const auto& best = translation.hypotheses.front();
        alignments->write(translation.number, translation.alignment,
                          {best.score, best.text, translation.source});
      }
      output.flush();
    }
    log_speed();
    if (cut_count_ > 0)
      spdlog::warn(
          "{} of {} translations reached the output limit before their end; see --max-output-length and "
          "--max-output-ratio",
          cut_count_, line_count_);
  }

 private:
  /// What the flags say about the attention that alignments are read from.
  void choose_attention() {
    auto& choice = model_.attention;
    const auto& asked = options_.alignments;
    if (asked.layer > 0) choice.layer = asked.layer;
    if (asked.head > 0) choice.head = asked.head;
    if (!asked.shift.empty()) choice.shift = asked.shift == "on";
    check_attention(choice, model_.model->attention_counts());
  }

  std::vector<LineTranslation> translate_lines(std::vector<std::string> raw, const std::string& input) {
    std::vector<SourceLine> lines;
    std::vector<std::vector<int32_t>> sources;  // of all segments of all lines
    for (auto& text : raw) {
      lines.push_back(
          prepare_line(std::move(text), ++line_count_, input, *model_.tokenizers.source, policy_));
      for (const auto& segment : lines.back().segments) {
        auto& ids = sources.emplace_back();
        for (const auto& piece : segment) ids.push_back(piece.id);
        source_pieces_ += static_cast<int64_t>(ids.size());
      }
    }
    const bool want_alignment = !options_.alignments.path.empty();
    TranslateOptions translation{.search = options_.search, .batch_tokens = options_.batch_tokens};
    if (want_alignment) translation.attention = model_.attention;
    const auto found = translate(*model_.model, sources, translation);

    std::vector<LineTranslation> translations;
    size_t first = 0;
    for (auto& line : lines) {
      const auto count = line.segments.size();
      translations.push_back(join_segments(std::move(line), std::span(found).subspan(first, count),
                                           *model_.tokenizers.target, options_.search.length_penalty,
                                           want_alignment ? &options_.alignments : nullptr));
      first += count;
      cut_count_ += !translations.back().hypotheses.front().is_finished;
    }
    return translations;
  }

  void log_speed() const {
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start_;
    spdlog::info("{} lines, {} source pieces in {:.1f} s ({:.0f} pieces/s)", line_count_, source_pieces_,
                 seconds.count(), static_cast<double>(source_pieces_) / std::max(seconds.count(), 1e-9));
  }

  const TranslateCommandOptions& options_;
  LoadedModel model_;
  OutputForm form_;
  LinePolicy policy_;
  int64_t line_count_ = 0;
  int64_t source_pieces_ = 0;
  int64_t cut_count_ = 0;  // translations that ended at the limit
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

int run_translate(const TranslateCommandOptions& options, const SharedOptions& shared) {
  options.validate();
  check_model_directory(options.use.model);
  // Files before the model: what cannot be read or written is known at once.
  LineReader input(options.input);
  OutputStream output(options.output);
  std::unique_ptr<AlignmentWriter> alignments;
  if (!options.alignments.path.empty()) alignments = make_alignment_writer(options.alignments);

  LineTranslator translator(options, load_for_use(options.use, shared.device));
  translator.run(input, output, alignments.get());
  if (alignments) alignments->close();
  output.close();
  return 0;
}

}  // namespace

Command translate_command() {
  return {"translate", "text in, translated text out, with alignments if wanted",
          [](Fields& fields) -> Command::Run {
            auto options = std::make_shared<TranslateCommandOptions>();
            fields.add(options->use, "Translate");
            fields.add(*options, "Translate");
            fields.add(options->search, "Search");
            fields.add(options->alignments, "Alignments");
            return [options](const SharedOptions& shared) { return run_translate(*options, shared); };
          }};
}

}  // namespace gloss
