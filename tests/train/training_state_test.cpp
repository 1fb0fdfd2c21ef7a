#include "train/training_state.h"

#include <filesystem>
#include <fstream>
#include <limits>

#include "checkpoint/options_metadata.h"
#include "core/error.h"
#include "support/catch.h"
#include "support/files.h"
#include "train/report.h"
#include "train/train_options.h"
#include "train/train_record.h"

using namespace gloss;

namespace {

TrainingState some_state() {
  TrainingState state;
  state.update = 1234;
  state.epoch = 7;
  state.batch = 56;
  state.best = 0.1 + 0.2;
  state.plateau_factor = 1.0 / 3;
  state.window.nll = 1e6 / 7;
  return state;
}

std::vector<std::string> lines_of(const std::filesystem::path& file) {
  std::ifstream stream(file);
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

}  // namespace

TEST_CASE("the training state survives JSON exactly", "[train][state][property]") {
  const auto state = some_state();
  const auto text = state.to_json().dump();
  const auto back = TrainingState::from_json(nlohmann::json::parse(text), "state.json");
  CHECK(back.to_json() == state.to_json());
  CHECK(back.best == state.best);
  CHECK(back.window.nll == state.window.nll);
  CHECK(back.batch == 56);
}

TEST_CASE("a state without a best value stays without one", "[train][state][unit]") {
  CHECK_FALSE(TrainingState::from_json(TrainingState{}.to_json(), "state.json").best.has_value());
}

TEST_CASE("a damaged or newer state is refused by name", "[train][state][unit]") {
  auto json = some_state().to_json();
  json.erase("epoch");
  CHECK_THROWS_AS(TrainingState::from_json(json, "x/state.json"), CheckpointError);
  json = some_state().to_json();
  json["format"] = 99;
  CHECK_THROWS_WITH(TrainingState::from_json(json, "x/state.json"),
                    Catch::Contains("x/state.json") && Catch::Contains("newer"));
  for (const auto* field : {"update", "epoch", "batch", "plateau_factor", "window_updates", "elapsed"}) {
    json = some_state().to_json();
    json[field] = -1;
    CHECK_THROWS_WITH(TrainingState::from_json(json, "x/state.json"),
                      Catch::Contains("x/state.json") && Catch::Contains(field));
  }
}

TEST_CASE("validations without improvement are counted in a row", "[train][patience][property]") {
  TrainingState state;
  CHECK(state.record_validation(5.0, false, 100, 0.5));
  CHECK_FALSE(state.record_validation(5.0, false, 100, 0.5));  // equal is no improvement
  CHECK_FALSE(state.record_validation(6.0, false, 100, 0.5));
  CHECK(state.bad_validations == 2);
  CHECK(state.record_validation(4.0, false, 100, 0.5));
  CHECK(state.bad_validations == 0);
  CHECK(*state.best == 4.0);
}

TEST_CASE("BLEU improves upwards and perplexity downwards", "[train][patience][unit]") {
  TrainingState state;
  CHECK(state.record_validation(10.0, true, 100, 0.5));
  CHECK(state.record_validation(11.0, true, 100, 0.5));
  CHECK_FALSE(state.record_validation(9.0, true, 100, 0.5));
  CHECK(*state.best == 11.0);
}

TEST_CASE("a value that is not finite is never the best", "[train][patience][unit]") {
  TrainingState state;
  CHECK_FALSE(state.record_validation(std::numeric_limits<double>::quiet_NaN(), false, 100, 0.5));
  CHECK_FALSE(state.best.has_value());
  CHECK(state.record_validation(3.0, false, 100, 0.5));
}

TEST_CASE("the plateau factor falls after its patience and counts anew", "[train][plateau][unit]") {
  TrainingState state;
  state.record_validation(1.0, false, 2, 0.5);
  state.record_validation(2.0, false, 2, 0.5);
  CHECK(state.plateau_factor == 1.0);
  state.record_validation(2.0, false, 2, 0.5);
  CHECK(state.plateau_factor == 0.5);
  state.record_validation(2.0, false, 2, 0.5);
  CHECK(state.plateau_factor == 0.5);
  state.record_validation(2.0, false, 2, 0.5);
  CHECK(state.plateau_factor == 0.25);
}

TEST_CASE("the random state brings the same numbers again", "[train][state][property]") {
  at::manual_seed(3);
  at::rand({5});
  const auto state = random_state();
  const auto first = at::rand({100}), normal = at::randn({17});
  at::rand({1000});
  set_random_state(state);
  CHECK(at::equal(at::rand({100}), first));
  CHECK(at::equal(at::randn({17}), normal));
}

TEST_CASE("changed settings are refused where the data position hangs on them and shown elsewhere",
          "[train][state][unit]") {
  TrainOptions before, after;
  after.learning_rate = 1e-4;
  const auto old_settings = settings_json(before);
  CHECK(old_settings.at("learning-rate") == 2e-3);
  const auto shown = changed_settings(old_settings, settings_json(after), {"accumulate"}, "c");
  REQUIRE(shown.size() == 1);
  CHECK(shown.front() == "learning-rate: 0.002, now 0.0001");
  after.accumulate = 4;
  CHECK_THROWS_AS(changed_settings(old_settings, settings_json(after), {"accumulate"}, "c"), CheckpointError);
  CHECK_THROWS_WITH(changed_settings(old_settings, settings_json(after), {"accumulate"}, "c"),
                    Catch::Contains("accumulate: 1, now 4"));
}

TEST_CASE("the record drops what a resumed training will do again", "[train][record][property]") {
  const testing::TemporaryFolder folder;
  const auto file = folder / "train.jsonl";
  {
    TrainRecord record(file, 0, /*validation_due=*/false);
    record.append({{"event", "report"}, {"update", 10}});
    record.append({{"event", "report"}, {"update", 20}});
    record.append({{"event", "validation"}, {"update", 20}});
    record.append({{"event", "end"}, {"update", 20}});
    record.append({{"event", "report"}, {"update", 30}});
  }
  std::ofstream(file, std::ios::app) << R"({"event":"report","upd)";
  {
    TrainRecord record(file, 20, /*validation_due=*/false);
    record.append({{"event", "report"}, {"update", 30}});
  }
  CHECK(lines_of(file) == std::vector<std::string>{
                              R"({"event":"report","update":10})", R"({"event":"report","update":20})",
                              R"({"event":"validation","update":20})", R"({"event":"report","update":30})"});
  const TrainRecord again(file, 20, /*validation_due=*/true);
  CHECK(lines_of(file) ==
        std::vector<std::string>{R"({"event":"report","update":10})", R"({"event":"report","update":20})"});
}

TEST_CASE("a record that can't be written is an error of its own", "[train][record][unit]") {
  CHECK_THROWS_AS(TrainRecord("/nonexistent-folder/train.jsonl", 0, false), OutputError);
}

TEST_CASE("the time left follows the nearest limit", "[train][report][unit]") {
  TrainingState state;
  state.update = 100;
  state.elapsed = 50;
  CHECK_FALSE(seconds_left(state, {}, 0.5).has_value());
  CHECK(*seconds_left(state, {.updates = 300}, 0.5) == Approx(100));
  CHECK(*seconds_left(state, {.epochs = 2}, 0.5) == Approx(150));
  CHECK(*seconds_left(state, {.updates = 300, .epochs = 2, .seconds = 60}, 0.5) == Approx(10));
  state.elapsed = 70;
  CHECK(*seconds_left(state, {.seconds = 60}, 0.5) == 0.0);
}

TEST_CASE("times read as a clock", "[train][report][unit]") {
  CHECK(clock_text(0) == "0:00");
  CHECK(clock_text(125.4) == "2:05");
  CHECK(clock_text(3723) == "1:02:03");
}
