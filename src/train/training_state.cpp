#include "train/training_state.h"

#include <ATen/CPUGeneratorImpl.h>

#include <algorithm>
#include <cmath>

#include "core/error.h"

namespace gloss {
namespace {

constexpr int kFormat = 1;

// One list of the fields for reading and writing.
template <class State, class Visitor>
void visit_state(State& state, Visitor&& field) {
  field("update", state.update);
  field("epoch", state.epoch);
  field("batch", state.batch);
  field("validation_due", state.validation_due);
  field("validated", state.validated);
  field("best_update", state.best_update);
  field("bad_validations", state.bad_validations);
  field("plateau_factor", state.plateau_factor);
  field("plateau_bad", state.plateau_bad);
  field("skipped", state.skipped);
  field("skipped_in_row", state.skipped_in_row);
  field("target_tokens", state.target_tokens);
  field("elapsed", state.elapsed);
  field("window_updates", state.window.updates);
  field("window_target_tokens", state.window.target_tokens);
  field("window_source_tokens", state.window.source_tokens);
  field("window_padding", state.window.padding);
  field("window_nll", state.window.nll);
  field("window_grad_norm", state.window.grad_norm);
  field("window_seconds", state.window.seconds);
}

[[noreturn]] void throw_no_state(const std::string& name, const std::string& fault) {
  throw CheckpointError(name + ": not a state that gloss wrote (" + fault +
                        "); remove this checkpoint to go on from the one before");
}

}  // namespace

nlohmann::json TrainingState::to_json() const {
  nlohmann::json json{{"format", kFormat}};
  visit_state(*this, [&](const char* name, const auto& value) { json[name] = value; });
  json["best"] = best ? nlohmann::json(*best) : nlohmann::json();
  return json;
}

TrainingState TrainingState::from_json(const nlohmann::json& json, const std::string& name) {
  TrainingState state;
  try {
    if (json.at("format").get<int>() > kFormat)
      throw CheckpointError(name +
                            ": written by a newer gloss; use that version or train into another directory");
    visit_state(state, [&](const char* field, auto& value) {
      json.at(field).get_to(value);
      if (static_cast<double>(value) < 0) throw_no_state(name, std::string(field) + " is negative");
    });
    if (const auto& saved = json.at("best"); !saved.is_null()) state.best = saved.get<double>();
  } catch (const nlohmann::json::exception& e) {
    throw_no_state(name, e.what());
  }
  if (state.epoch < 1 || state.plateau_factor == 0) throw_no_state(name, "epoch or plateau_factor is 0");
  return state;
}

bool TrainingState::record_validation(double value, bool higher_is_better, int64_t plateau_patience,
                                      double plateau_factor_step) {
  const bool better = std::isfinite(value) && (!best || (higher_is_better ? value > *best : value < *best));
  if (better) {
    best = value;
    best_update = update;
    bad_validations = 0;
    plateau_bad = 0;
    return true;
  }
  ++bad_validations;
  if (++plateau_bad >= plateau_patience) {
    plateau_factor *= plateau_factor_step;
    plateau_bad = 0;
  }
  return false;
}

Tensor random_state() {
  auto generator = at::detail::getDefaultCPUGenerator();
  const std::lock_guard lock(generator.mutex());
  return generator.get_state();
}

void set_random_state(const Tensor& state) {
  auto generator = at::detail::getDefaultCPUGenerator();
  const std::lock_guard lock(generator.mutex());
  generator.set_state(state);
}

std::vector<std::string> changed_settings(const nlohmann::json& old_settings,
                                          const nlohmann::json& new_settings,
                                          const std::vector<std::string>& fixed, const std::string& name) {
  std::vector<std::string> shown;
  std::string refused;
  for (const auto& [key, value] : new_settings.items()) {
    if (!old_settings.contains(key) || old_settings.at(key) == value) continue;
    auto change = key + ": " + old_settings.at(key).dump() + ", now " + value.dump();
    if (std::find(fixed.begin(), fixed.end(), key) != fixed.end())
      refused += "\n  " + change;
    else
      shown.push_back(std::move(change));
  }
  if (!refused.empty())
    throw CheckpointError(name +
                          ": was trained with other settings or texts, and what was reached hangs on them; "
                          "give the old values or another --model directory" +
                          refused);
  return shown;
}

}  // namespace gloss
