#include "trained_model.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <utility>

#include "run_gloss.h"

namespace gloss {

namespace fs = std::filesystem;

std::vector<std::string> tiny_training(const std::string& directory, const std::vector<std::string>& more) {
  const std::vector<std::pair<std::string, std::string>> options{
      {"--model", directory},
      {"--train-source", case_file("base/train.fr")},
      {"--train-target", case_file("base/train.en")},
      {"--valid-source", case_file("base/valid.fr")},
      {"--valid-target", case_file("base/valid.en")},
      {"--tokenizer", case_file("base/tiny.model")},
      {"--embedding-size", "16"},
      {"--hidden-size", "16"},
      {"--batch-tokens", "400"},
      {"--updates", "30"},
      {"--valid-every", "15"},
      {"--save-every", "15"},
      {"--threads", "1"},
      {"--device", "cpu"}};
  std::vector<std::string> arguments{"train"};
  for (const auto& [name, value] : options)
    if (std::find(more.begin(), more.end(), name) == more.end())
      arguments.insert(arguments.end(), {name, value});
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

std::string trained_model() {
  const fs::path folder = GLOSS_TEST_FOLDER;
  fs::create_directories(folder);
  // Tests run as processes of their own, at the same time: the first one trains, the others wait.
  const int lock = open((folder / "lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (lock < 0 || flock(lock, LOCK_EX) != 0) throw std::runtime_error("cannot lock " + folder.string());
  const auto model = folder / "model", stamp = folder / "stamp";
  const auto built = std::to_string(fs::last_write_time(GLOSS_BINARY).time_since_epoch().count());
  if (bytes_of_file(stamp) != built) {
    fs::remove_all(model);
    const auto outcome = run_gloss(tiny_training(model.string()));
    if (outcome.code != 0) throw std::runtime_error("training failed: " + outcome.err);
    std::ofstream(stamp) << built;
  }
  close(lock);
  return model.string();
}

}  // namespace gloss
