#include "train/report.h"

#include <spdlog/spdlog.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <utility>

namespace gloss {
namespace {

constexpr auto kRedraw = std::chrono::milliseconds(200);
constexpr int kBarWidth = 24;

// JSON has no infinity: what is not finite is null.
nlohmann::ordered_json number(double value) {
  return std::isfinite(value) ? nlohmann::ordered_json(value) : nlohmann::ordered_json();
}

double share(double part, double whole) { return whole > 0 ? part / whole : 0.0; }

// Numbers of one report, from the sums of its window.
struct Figures {
  explicit Figures(const ReportWindow& window)
      : loss(share(window.nll, static_cast<double>(window.target_tokens))),
        grad_norm(share(window.grad_norm, static_cast<double>(window.updates))),
        target_rate(share(static_cast<double>(window.target_tokens), window.seconds)),
        source_rate(share(static_cast<double>(window.source_tokens), window.seconds)),
        padding(share(static_cast<double>(window.padding),
                      static_cast<double>(window.padding + window.source_tokens + window.target_tokens))) {}
  double loss, grad_norm, target_rate, source_rate, padding;
};

}  // namespace

std::optional<double> seconds_left(const TrainingState& state, const Limits& limits, double epochs_done) {
  std::optional<double> left;
  const auto nearer = [&](double seconds) {
    left = std::max(0.0, left ? std::min(*left, seconds) : seconds);
  };
  if (limits.seconds > 0) nearer(limits.seconds - state.elapsed);
  if (state.update > 0 && limits.updates > 0)
    nearer(state.elapsed * static_cast<double>(limits.updates - state.update) /
           static_cast<double>(state.update));
  if (epochs_done > 0 && limits.epochs > 0)
    nearer(state.elapsed * (static_cast<double>(limits.epochs) - epochs_done) / epochs_done);
  return left;
}

std::string clock_text(double seconds) {
  const auto whole = static_cast<int64_t>(std::llround(std::max(0.0, seconds)));
  return whole >= 3600 ? fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60)
                       : fmt::format("{}:{:02}", whole / 60, whole % 60);
}

double peak_memory_mib() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024.0;
}

Reporter::Reporter(TrainRecord record, const Limits& limits, bool bar)
    : record_(std::move(record)), limits_(limits), bar_(bar && isatty(STDERR_FILENO) != 0) {}

Reporter::~Reporter() { clear_bar(); }

void Reporter::report(const TrainingState& state, double learning_rate, double epochs_done) {
  const Figures figures(state.window);
  clear_bar();
  auto text = fmt::format(
      "update {}  epoch {}  loss {:.4f}  ppl {:.2f}  lr {:.3g}  norm {:.3g}  {:.0f} target tokens/s  {:.0f} "
      "source "
      "tokens/s  padding {:.1f}%  memory {:.0f} MiB",
      state.update, state.epoch_of_update(), figures.loss, std::exp(figures.loss), learning_rate,
      figures.grad_norm, figures.target_rate, figures.source_rate, 100 * figures.padding, peak_memory_mib());
  if (state.skipped > 0) text += fmt::format("  skipped {} (gradient not finite)", state.skipped);
  if (const auto left = seconds_left(state, limits_, epochs_done)) text += "  ETA " + clock_text(*left);
  spdlog::info("{}", text);
  record_.append({{"event", "report"},
                  {"update", state.update},
                  {"epoch", state.epoch_of_update()},
                  {"loss", number(figures.loss)},
                  {"perplexity", number(std::exp(figures.loss))},
                  {"learning_rate", learning_rate},
                  {"grad_norm", number(figures.grad_norm)},
                  {"target_tokens_per_second", figures.target_rate},
                  {"source_tokens_per_second", figures.source_rate},
                  {"padding", figures.padding},
                  {"skipped", state.skipped},
                  {"memory_mib", std::round(peak_memory_mib())},
                  {"elapsed", state.elapsed}});
}

void Reporter::validation(const TrainingState& state, const ValidationResult& result, bool is_best) {
  clear_bar();
  auto text = fmt::format("validation at update {}  loss {:.4f}  ppl {:.2f}", state.update,
                          result.cross_entropy, result.perplexity());
  if (result.bleu) text += fmt::format("  BLEU {:.2f}  chrF {:.2f}", *result.bleu, result.chrf.value_or(0.0));
  text += is_best ? "  best so far" : fmt::format("  {} without improvement", state.bad_validations);
  spdlog::info("{}", text);
  nlohmann::ordered_json line{{"event", "validation"},
                              {"update", state.update},
                              {"epoch", state.epoch_of_update()},
                              {"valid_loss", number(result.cross_entropy)},
                              {"valid_perplexity", number(result.perplexity())}};
  if (result.bleu) line["bleu"] = number(*result.bleu);
  if (result.chrf) line["chrf"] = number(*result.chrf);
  line["best"] = is_best;
  line["elapsed"] = state.elapsed;
  record_.append(line);
}

void Reporter::end(const TrainingState& state, const std::string& reason) {
  clear_bar();
  spdlog::info("training ends: {} ({} updates, {})", reason, state.update, clock_text(state.elapsed));
  record_.append({{"event", "end"},
                  {"update", state.update},
                  {"epoch", state.epoch_of_update()},
                  {"reason", reason},
                  {"best", state.best ? number(*state.best) : nlohmann::ordered_json()},
                  {"best_update", state.best_update},
                  {"skipped", state.skipped},
                  {"target_tokens", state.target_tokens},
                  {"elapsed", state.elapsed}});
}

void Reporter::tick(const TrainingState& state, double epochs_done) {
  if (!bar_) return;
  const auto now = std::chrono::steady_clock::now();
  if (drawn_ && now - last_drawn_ < kRedraw) return;
  auto text = fmt::format("update {}  epoch {}", state.update, state.epoch_of_update());
  if (const auto left = seconds_left(state, limits_, epochs_done)) {
    const double done = share(state.elapsed, state.elapsed + *left);
    const int filled = static_cast<int>(done * kBarWidth);
    text += fmt::format("  [{}{}] {:.0f}%  ETA {}", std::string(filled, '='),
                        std::string(kBarWidth - filled, ' '), 100 * done, clock_text(*left));
  }
  std::fprintf(stderr, "\r\033[K%s", text.c_str());
  std::fflush(stderr);
  drawn_ = true;
  last_drawn_ = now;
}

void Reporter::clear_bar() {
  if (!drawn_) return;
  std::fputs("\r\033[K", stderr);
  std::fflush(stderr);
  drawn_ = false;
}

}  // namespace gloss
