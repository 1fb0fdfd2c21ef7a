#include "model_description.h"

#include <spdlog/spdlog.h>

#include "nn/precision.h"

namespace gloss {
namespace {

std::string backend_text(const ModelOptions& options, double dropout, const at::TensorOptions& tensors) {
  return describe_attention_backend(options.attention_backend, options.model_size / options.heads, dropout,
                                    tensors);
}

std::string describe_rnn(const ModelOptions& options) {
  return row("attention", fmt::format("{}, score {}, window {}", options.attention, options.attention_score,
                                      options.attention_window)) +
         row("encoder", fmt::format("{} {}{}, hidden {}", options.encoder_layers, options.cell,
                                    options.bidirectional ? ", bidirectional" : "", options.hidden_size)) +
         row("decoder", fmt::format("{} {}, hidden {}, readout {}", options.decoder_layers, options.cell,
                                    options.hidden_size, options.readout)) +
         row("embedding", std::to_string(options.embedding_size));
}

std::string describe_transformer(const ModelOptions& options, const at::Device& device) {
  return row("layers",
             fmt::format("{} encoder, {} decoder", options.encoder_layers, options.decoder_layers)) +
         row("sizes", fmt::format("model {}, feed-forward {} ({}), {} heads", options.model_size,
                                  options.ffn_size, options.activation, options.heads)) +
         row("norm", options.norm) + row("positions", options.positions) +
         row("attention", backend_text(options, /*dropout=*/0.0, device));
}

}  // namespace

std::string row(const std::string& name, const std::string& value) {
  return fmt::format("{:<18} {}\n", name, value);
}

std::string describe_model(const ModelOptions& options, const at::Device& device) {
  return row("type", options.type) +
         (options.is_rnn() ? describe_rnn(options) : describe_transformer(options, device));
}

void log_computation(const ModelOptions& options, const at::Device& device, const std::string& precision,
                     bool is_training) {
  if (options.is_rnn()) {
    spdlog::info("matrix products in {}", precision);
    return;
  }
  spdlog::info("attention: {}; matrix products in {}",
               backend_text(options, is_training ? options.attention_dropout : 0.0,
                            at::TensorOptions(device).dtype(precision_type(precision))),
               precision);
}

}  // namespace gloss
