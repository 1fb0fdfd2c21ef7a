#include <spdlog/fmt/fmt.h>

#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>

#include "checkpoint/attention_metadata.h"
#include "checkpoint/model_directory.h"
#include "checkpoint/options_metadata.h"
#include "checkpoint/tokenizer_files.h"
#include "command.h"
#include "core/file.h"
#include "load_model.h"
#include "model_description.h"
#include "nn/device.h"

namespace gloss {
namespace {

struct InfoOptions {
  std::string model;

  template <class Visitor>
  void visit(Visitor&& field) {
    field("model", model, "Model directory.", any);
  }
};

/// Last line of each event ("validation", "end") of train.jsonl; a line cut off by a crash is passed over.
std::map<std::string, nlohmann::json> last_events(const std::filesystem::path& record) {
  std::map<std::string, nlohmann::json> events;
  std::ifstream input(record);
  for (std::string line; std::getline(input, line);) {
    auto object = nlohmann::json::parse(line, nullptr, /*allow_exceptions=*/false);
    if (!object.is_object() || !object.contains("event") || !object["event"].is_string()) continue;
    const auto name = object["event"].get<std::string>();
    events[name] = std::move(object);
  }
  return events;
}

std::string tokenizer_text(const Tokenizer& tokenizer) {
  const auto kind = tokenizer.extension() == "spm" ? "SentencePiece" : "word list";
  return fmt::format("{}, {} entries", kind, tokenizer.size());
}

std::string event_text(const nlohmann::json& event) {
  std::string text;
  for (const auto& [key, value] : event.items()) {
    if (key == "event") continue;
    text += (text.empty() ? "" : ", ") + key + " " +
            (value.is_string() ? value.get<std::string>() : value.dump());
  }
  return text;
}

std::string attention_text(const AttentionChoice& choice) {
  return (choice.layer == 0 ? std::string("last but one decoder layer")
                            : "decoder layer " + std::to_string(choice.layer)) +
         ", " + (choice.head == 0 ? std::string("mean over heads") : "head " + std::to_string(choice.head)) +
         (choice.shift ? ", shifted by one step" : "");
}

std::string describe(const ModelDirectory& directory, const at::Device& device) {
  const auto config = read_train_config(directory.config());
  const auto tokenizers = load_tokenizers(directory.root());
  const auto weights = read_safetensors(directory.weights());
  check_options(weights.metadata, settings_json(config.model), directory.weights().string());
  int64_t parameters = 0;
  for (const auto& [name, tensor] : weights.tensors) parameters += tensor.numel();

  auto text = row("directory", directory.root().string()) + describe_model(config.model.resolved(), device);
  text += row("parameters", std::to_string(parameters));
  if (tokenizers.shared) {
    text += row("vocabulary", tokenizer_text(*tokenizers.source) + ", shared");
  } else {
    text += row("source vocabulary", tokenizer_text(*tokenizers.source));
    text += row("target vocabulary", tokenizer_text(*tokenizers.target));
  }
  if (!config.model.is_rnn())
    text += row("alignments",
                attention_text(read_attention_metadata(
                    weights.metadata, {config.model.decoder_layers, config.model.heads, /*shifts=*/true},
                    directory.weights().string())));
  std::string steps;
  for (const auto step : directory.steps()) steps += (steps.empty() ? "" : ", ") + std::to_string(step);
  text += row("checkpoints", steps.empty() ? "none" : steps);
  const auto events = last_events(directory.record());
  for (const auto& [event, name] :
       {std::pair("validation", "last validation"), std::pair("end", "training end")}) {
    const auto found = events.find(event);
    text += row(name, found == events.end() ? "none" : event_text(found->second));
  }
  return text;
}

}  // namespace

Command info_command() {
  return {"info", "what a model directory holds", [](Fields& fields) -> Command::Run {
            auto options = std::make_shared<InfoOptions>();
            fields.add(*options, "Info");
            return [options](const SharedOptions& shared) {
              OutputStream output("-");
              check_model_directory(options->model);
              output.write(describe(ModelDirectory(options->model), select_device(shared.device)));
              output.close();
              return 0;
            };
          }};
}

}  // namespace gloss
