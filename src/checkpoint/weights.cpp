#include "checkpoint/weights.h"

#include <ATen/core/grad_mode.h>
#include <spdlog/fmt/fmt.h>

#include <vector>

#include "checkpoint/safetensors_header.h"
#include "core/error.h"
#include "core/text.h"

namespace gloss {
namespace {

std::string shape_text(const Tensor& tensor) {
  std::vector<std::string> extents;
  for (const auto extent : tensor.sizes()) extents.push_back(std::to_string(extent));
  return fmt::format("[{}]", join(extents));
}

/// Two embeddings whose sizes in the file are those of the other one in the model.
bool embeddings_look_swapped(const NamedTensors& model, const NamedTensors& file) {
  std::vector<std::pair<at::IntArrayRef, at::IntArrayRef>> sizes;  // in file, in model
  for (const auto& [name, tensor] : model) {
    if (name.find("embed") == std::string::npos) continue;
    if (const auto found = file.find(name); found != file.end() && found->second.sizes() != tensor.sizes())
      sizes.emplace_back(found->second.sizes(), tensor.sizes());
  }
  for (const auto& left : sizes)
    for (const auto& right : sizes)
      if (left.first == right.second && left.second == right.first) return true;
  return false;
}

}  // namespace

NamedTensors module_tensors(const torch::nn::Module& module) {
  NamedTensors tensors;
  for (const auto& item : module.named_parameters(/*recurse=*/true))
    tensors.emplace(item.key(), item.value());
  for (const auto& item : module.named_buffers(/*recurse=*/true)) tensors.emplace(item.key(), item.value());
  return tensors;
}

void load_strict(torch::nn::Module& module, const NamedTensors& tensors, const std::string& file) {
  auto wanted = module_tensors(module);
  std::string differences;
  const auto report = [&](const std::string& name, const std::string& what) {
    differences += "\n  '" + printable(name) + "': " + what;
  };
  for (const auto& [name, tensor] : wanted) {
    const auto found = tensors.find(name);
    if (found == tensors.end()) {
      report(name, "missing in file, " + shape_text(tensor) + " in model");
      continue;
    }
    if (found->second.sizes() != tensor.sizes())
      report(name, shape_text(found->second) + " in file, " + shape_text(tensor) + " in model");
    if (found->second.scalar_type() != tensor.scalar_type())
      report(name, safetensors_type_name(found->second.scalar_type()) + " in file, " +
                       safetensors_type_name(tensor.scalar_type()) + " in model");
  }
  for (const auto& [name, tensor] : tensors)
    if (!wanted.contains(name)) report(name, shape_text(tensor) + " in file, unexpected in model");

  if (!differences.empty())
    throw CheckpointError(file + ": does not fit the model:" + differences + "\n" +
                          (embeddings_look_swapped(wanted, tensors)
                               ? "did you swap source and target?"
                               : "build the model with the configuration that the file was saved with"));
  const at::NoGradGuard no_grad;
  for (auto& [name, tensor] : wanted) tensor.copy_(tensors.at(name));
}

}  // namespace gloss
