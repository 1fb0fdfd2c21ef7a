#include "train/trainer.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <csignal>
#include <filesystem>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "checkpoint/attention_metadata.h"
#include "checkpoint/options_metadata.h"
#include "checkpoint/tokenizer_files.h"
#include "checkpoint/weights.h"
#include "core/error.h"
#include "core/file.h"
#include "data/batcher.h"
#include "train/adam.h"
#include "train/choose_attention.h"
#include "train/eval_mode.h"
#include "train/loss_scaler.h"
#include "train/report.h"
#include "train/smoothed_weights.h"
#include "train/training_state.h"
#include "train/training_step.h"
#include "train/validation.h"

namespace gloss {
namespace {

constexpr int64_t kMostSkippedInRow = 20;
constexpr size_t kMostLinesNamed = 20;
constexpr auto kRandomName = "random";  // the generator's state, beside the optimizer's tensors

// What the position in the data and the best validation hang on: a checkpoint is refused when one of these has changed.
const std::vector<std::string> kFixedSettings{"accumulate", "batch-tokens",         "max-length",
                                              "seed",       "training-text-sha256", "validation-text-sha256"};

Adam::Parameters named_parameters(Seq2Seq& model) {
  Adam::Parameters parameters;
  for (const auto& item : model.named_parameters()) parameters.emplace_back(item.key(), item.value());
  return parameters;
}

std::string line_list(const std::vector<Batch>& group) {
  std::string text;
  size_t named = 0;
  for (const auto& batch : group)
    for (const auto line : batch.lines) {
      if (++named > kMostLinesNamed) return text + ", …";
      text += (text.empty() ? "" : ", ") + std::to_string(line + 1);
    }
  return text;
}

Metadata metadata_of(const Tokenizers& tokenizers, const nlohmann::json& model_options) {
  auto metadata = tokenizer_metadata(tokenizers);
  metadata.merge(options_metadata(model_options));
  return metadata;
}

class Training {
 public:
  Training(Seq2Seq& model, const TrainingData& data, const TrainSettings& settings,
           const ModelDirectory& directory)
      : model_(model),
        data_(data),
        settings_(settings),
        options_(settings.train),
        directory_(directory),
        metadata_(metadata_of(data.tokenizers, settings.model_options)),
        limits_{options_.updates, options_.epoch_limit(), 60 * options_.time_limit},
        adam_(named_parameters(model), {.beta1 = options_.adam_beta1,
                                        .beta2 = options_.adam_beta2,
                                        .epsilon = options_.adam_epsilon,
                                        .weight_decay = options_.weight_decay}),
        smoothed_(named_parameters(model), options_.exponential_smoothing),
        scaler_(needs_loss_scale(options_.precision), model.device()) {
    options_.validate(/*has_validation=*/data.validation != nullptr);
  }

  TrainingResult run() {
    check_writable_directory(directory_.root().string());
    directory_.remove_leftovers();
    resume();
    open_epoch();
    if (state_.batch > 0 && state_.batch >= batches_an_epoch())
      throw CheckpointError(directory_.checkpoint(state_.update).string() + ": is at batch " +
                            std::to_string(state_.batch) + " of an epoch of " +
                            std::to_string(batches_an_epoch()) +
                            "; remove this checkpoint to go on from the one before");
    if (settings_.on_begin) settings_.on_begin();
    reporter_ =
        std::make_unique<Reporter>(TrainRecord(directory_.record(), state_.update, state_.validation_due),
                                   limits_, settings_.progress_bar);
    model_.train();
    std::string reason;
    while (true) {
      if (state_.validation_due) {
        if (saved_update_ == 0) save();  // no weights without a checkpoint to go on from
        run_validation();
      }
      reason = reason_to_stop();
      if (!reason.empty()) break;
      if (options_.save_every > 0 && state_.update % options_.save_every == 0) save();
      update();
    }
    return finish(reason);
  }

 private:
  nlohmann::json all_settings() const {
    auto settings = settings_json(options_, settings_.data);
    settings.update(settings_.model_options);
    settings.erase("model");  // the directory may move
    settings["seed"] = settings_.seed;
    settings["training-text-sha256"] = data_.corpus.digest();
    settings["validation-text-sha256"] = data_.validation ? data_.validation->digest : "";
    settings["threads"] = at::get_num_threads();
    return settings;
  }

  void resume() {
    auto checkpoint = directory_.latest_checkpoint();
    if (!checkpoint) return;
    const auto folder = directory_.checkpoint(checkpoint->step).string();
    check_tokenizers(checkpoint->metadata, data_.tokenizers, folder);
    const auto& saved = checkpoint->state;
    if (!saved.contains("training") || !saved.contains("settings"))
      throw CheckpointError(folder +
                            ": has no training state; remove it to go on from the checkpoint before");
    state_ = TrainingState::from_json(saved.at("training"), folder);
    for (const auto& change : changed_settings(saved.at("settings"), all_settings(), kFixedSettings, folder))
      spdlog::warn("{}: changed since the checkpoint: {}", folder, change);
    load_strict(model_, checkpoint->model, folder + "/model.safetensors");
    const auto random = checkpoint->optimizer.extract(kRandomName);
    if (random.empty())
      throw CheckpointError(folder + ": has no random state; remove it to go on from the checkpoint before");
    scaler_.load_state(checkpoint->optimizer);
    smoothed_.load_state(checkpoint->optimizer);
    adam_.load_state(checkpoint->optimizer);
    set_random_state(random.mapped());
    saved_update_ = state_.update;
    elapsed_before_ = state_.elapsed;
    spdlog::info("resuming from {}: update {}, epoch {}, batch {}", folder, state_.update, state_.epoch,
                 state_.batch);
  }

  // One update: the gradient of a group of batches, clipping, the learning rate, Adam.
  void update() {
    const auto begin = std::chrono::steady_clock::now();
    auto group = next_group();
    const auto sums = add_gradients(model_, group, options_, scaler_.scale());
    ++state_.update;
    scaler_.unscale(adam_.gradients());
    const double norm = adam_.clip_gradients(options_.clip_norm);
    if (std::isfinite(norm) && std::isfinite(sums.nll)) {
      adam_.step(rate());
      smoothed_.follow(state_.update);
      state_.skipped_in_row = 0;
      state_.window.nll += sums.nll;
      state_.window.grad_norm += norm;
      state_.window.target_tokens += sums.target_tokens;
      state_.window.source_tokens += sums.source_tokens;
      state_.window.padding += sums.padding;
      state_.target_tokens += sums.target_tokens;
      ++state_.window.updates;
    } else {
      note_skipped(group);
    }
    adam_.clear_gradients();
    scaler_.update();
    advance(static_cast<int64_t>(group.size()));
    const auto now = std::chrono::steady_clock::now();
    state_.window.seconds += std::chrono::duration<double>(now - begin).count();
    state_.elapsed = elapsed_before_ + std::chrono::duration<double>(now - started_).count();
    if (state_.update % options_.report_every == 0) {
      reporter_->report(state_, rate(), epochs_done());
      state_.window = {};
    }
    reporter_->tick(state_, epochs_done());
  }

  double rate() const {
    return learning_rate(options_.schedule, options_.learning_rate_plan(), state_.update,
                         state_.plateau_factor);
  }

  // The batches of the running epoch from the first unused one on.
  void open_epoch() {
    batches_.emplace(data_.corpus,
                     plan_epoch(data_.corpus, settings_.data.batch_tokens,
                                static_cast<uint64_t>(settings_.seed), state_.epoch),
                     static_cast<size_t>(state_.batch));
  }

  int64_t batches_an_epoch() const { return static_cast<int64_t>(batches_->size()); }

  std::vector<Batch> next_group() {
    std::vector<Batch> group;
    while (static_cast<int64_t>(group.size()) < options_.accumulate) {
      auto batch = batches_->next();
      if (!batch) break;
      group.push_back(std::move(*batch));
    }
    if (group.empty()) throw DataError("training corpus: no pair is left to train on; check --max-length");
    return group;
  }

  void advance(int64_t used) {
    state_.batch += used;
    const bool epoch_ends = state_.batch >= batches_an_epoch();
    if (epoch_ends) {
      ++state_.epoch;
      state_.batch = 0;
      open_epoch();
    }
    const bool due = options_.valid_every > 0 ? state_.update % options_.valid_every == 0 : epoch_ends;
    state_.validation_due = due && data_.validation;
  }

  void note_skipped(const std::vector<Batch>& group) {
    ++state_.skipped;
    ++state_.skipped_in_row;
    const auto lines = line_list(group);
    spdlog::warn("update {}: skipped, its gradient is not finite (lines {})", state_.update, lines);
    if (state_.skipped_in_row >= kMostSkippedInRow)
      throw DataError("training corpus: " + std::to_string(kMostSkippedInRow) +
                      " updates in a row without a finite gradient, the last with lines " + lines +
                      "; lower --learning-rate or raise --warmup, and start from an earlier checkpoint");
  }

  // Stays due when a signal interrupts it, so that a resumed training makes up for it.
  void run_validation() {
    const bool translate = options_.valid_bleu || options_.valid_metric == "bleu";
    const SmoothedWeights::Use smoothed(smoothed_);
    const auto result = validate(model_, *data_.validation, data_.tokenizers,
                                 {.translate = translate,
                                  .batch_tokens = settings_.data.batch_tokens,
                                  .precision = options_.precision},
                                 settings_.stop);
    if (!result) return;
    state_.validation_due = false;
    state_.validated = state_.update;
    const bool is_best = state_.record_validation(metric_value(*result, options_.valid_metric),
                                                  higher_is_better(options_.valid_metric),
                                                  options_.plateau_patience, options_.plateau_factor);
    if (is_best) {
      choose_attention();
      write_weights();
    }
    reporter_->validation(state_, *result, is_best);
  }

  std::string reason_to_stop() {
    signal_ = settings_.stop();
    if (signal_ != 0) return std::string("stopped by ") + (signal_ == SIGINT ? "SIGINT" : "SIGTERM");
    if (options_.patience > 0 && state_.bad_validations >= options_.patience)
      return "no improvement in " + std::to_string(state_.bad_validations) + " validations";
    if (limits_.updates > 0 && state_.update >= limits_.updates)
      return "reached " + std::to_string(state_.update) + " updates";
    if (limits_.epochs > 0 && state_.epoch > limits_.epochs)
      return "reached " + std::to_string(limits_.epochs) + " epochs";
    if (limits_.seconds > 0 && state_.elapsed >= limits_.seconds) return "reached the time limit";
    return {};
  }

  double epochs_done() const {
    return static_cast<double>(state_.epoch - 1) +
           static_cast<double>(state_.batch) / static_cast<double>(std::max<int64_t>(batches_an_epoch(), 1));
  }

  void write_weights() {
    auto metadata = metadata_;
    metadata.merge(attention_metadata(attention_));
    write_safetensors(directory_.weights(), module_tensors(model_), metadata);
  }

  /// Of the layers and steps that alignments can be read from, those that do best on the validation set.
  void choose_attention() {
    if (!data_.validation || !model_.attention_counts().shifts) return;
    const EvalMode eval(model_);
    const auto qualities = measure_attention(model_, *data_.validation, data_.tokenizers, data_.gold,
                                             settings_.data.batch_tokens);
    const auto& best = best_attention(qualities);
    if (attention_ == best.choice) return;
    attention_ = best.choice;
    const auto quality =
        best.aer ? fmt::format("AER {:.3f}", *best.aer) : fmt::format("association {:.3f}", best.association);
    spdlog::info("alignments are read from decoder layer {}, at the step that {} a word ({})",
                 attention_.layer, attention_.shift ? "reads" : "writes", quality);
  }

  // No finite gradient any more: probably the weights are beyond repair. (fp16 skips some now and then to adapt its
  // loss scale.)
  bool seems_broken() const {
    return state_.skipped_in_row > (needs_loss_scale(options_.precision) ? 10 : 0);
  }

  void save() {
    if (saved_update_ == state_.update) return;
    if (seems_broken()) {  // an older checkpoint must not make room for it
      spdlog::warn("update {}: not saved, its gradient was not finite", state_.update);
      return;
    }
    auto optimizer = adam_.state();
    optimizer[kRandomName] = random_state();
    optimizer.merge(scaler_.state());
    optimizer.merge(smoothed_.state());
    directory_.save_checkpoint({.step = state_.update,
                                .model = module_tensors(model_),
                                .optimizer = std::move(optimizer),
                                .metadata = metadata_,
                                .state = {{"training", state_.to_json()}, {"settings", all_settings()}}});
    directory_.prune(options_.keep_checkpoints);
    saved_update_ = state_.update;
    spdlog::info("saved {}", directory_.checkpoint(state_.update).string());
  }

  TrainingResult finish(const std::string& reason) {
    if (signal_ == 0 && data_.validation && state_.validated != state_.update) {
      run_validation();
      saved_update_ = -1;
    }
    save();
    const bool has_best = data_.validation && state_.best && std::filesystem::exists(directory_.weights());
    const bool is_lost = !has_best && seems_broken();
    if (!has_best && !is_lost && state_.update > 0) {
      const SmoothedWeights::Use smoothed(smoothed_);
      choose_attention();
      write_weights();
    }
    reporter_->end(state_, reason);
    model_.eval();
    if (is_lost)
      throw DataError(
          "training: the last " + std::to_string(state_.skipped_in_row) +
          " updates had no finite gradient, so nothing was saved of them; lower --learning-rate or "
          "raise --warmup");
    return {.reason = reason, .signal = signal_, .updates = state_.update, .best = state_.best};
  }

  Seq2Seq& model_;
  const TrainingData& data_;
  const TrainSettings& settings_;
  const TrainOptions& options_;
  const ModelDirectory& directory_;
  Metadata metadata_;
  Limits limits_;
  Adam adam_;
  SmoothedWeights smoothed_;
  LossScaler scaler_;
  TrainingState state_;
  AttentionChoice attention_;  // that alignments are read from
  std::optional<BatchStream> batches_;
  std::unique_ptr<Reporter> reporter_;
  std::chrono::steady_clock::time_point started_ = std::chrono::steady_clock::now();
  double elapsed_before_ = 0.0;  // seconds of earlier runs
  int64_t saved_update_ = 0;     // nothing is worth saving before the first update
  int signal_ = 0;
};

}  // namespace

TrainingResult train(Seq2Seq& model, const TrainingData& data, const TrainSettings& settings,
                     const ModelDirectory& directory) {
  return Training(model, data, settings, directory).run();
}

}  // namespace gloss
