#include "checkpoint/weights.h"

#include "core/error.h"
#include "support/catch.h"

using namespace gloss;

namespace {

struct Part : torch::nn::Module {
  Part(int64_t rows, int64_t columns) : weight(register_parameter("weight", at::rand({rows, columns}))) {}
  Tensor weight;
};

struct Toy : torch::nn::Module {
  Toy(int64_t source, int64_t target)
      : source_embedding(register_module("source_embedding", std::make_shared<Part>(source, 3))),
        target_embedding(register_module("target_embedding", std::make_shared<Part>(target, 3))),
        mean(register_buffer("mean", at::rand({2}))) {}
  std::shared_ptr<Part> source_embedding, target_embedding;
  Tensor mean;
};

NamedTensors copies(const torch::nn::Module& module) {
  NamedTensors result;
  for (const auto& [name, tensor] : module_tensors(module)) result[name] = tensor.detach().clone();
  return result;
}

bool are_equal(const NamedTensors& left, const NamedTensors& right) {
  if (left.size() != right.size()) return false;
  for (const auto& [name, tensor] : left)
    if (!right.contains(name) || !at::equal(tensor, right.at(name))) return false;
  return true;
}

std::string fault(torch::nn::Module& module, const NamedTensors& tensors) {
  try {
    load_strict(module, tensors, "m.safetensors");
  } catch (const CheckpointError& error) {
    return error.what();
  }
  return {};
}

}  // namespace

TEST_CASE("parameters and buffers are listed by their registered names", "[checkpoint][unit]") {
  const auto tensors = module_tensors(Toy(5, 4));
  REQUIRE(tensors.size() == 3);
  CHECK(tensors.contains("source_embedding.weight"));
  CHECK(tensors.contains("target_embedding.weight"));
  CHECK(tensors.contains("mean"));
}

TEST_CASE("loading copies values and keeps the parameters' identity", "[checkpoint][unit]") {
  const Toy from(5, 4);
  Toy to(5, 4);
  const auto* address = to.source_embedding->weight.const_data_ptr();
  load_strict(to, copies(from), "m.safetensors");
  CHECK(are_equal(copies(to), copies(from)));
  CHECK(to.source_embedding->weight.const_data_ptr() == address);
  CHECK(to.source_embedding->weight.requires_grad());
}

TEST_CASE("all differences are listed at once and nothing is changed", "[checkpoint][property]") {
  Toy model(6, 4);
  const auto before = copies(model);
  NamedTensors file = copies(Toy(6, 4));
  file["source_embedding.weight"] = at::zeros({5, 4});
  file["mean"] = file["mean"].to(at::kHalf);
  file["extra.weight"] = at::zeros({1});
  file.erase("target_embedding.weight");
  const auto message = fault(model, file);
  CHECK_THAT(message, Catch::StartsWith("m.safetensors: "));
  CHECK_THAT(message, Catch::Contains("'source_embedding.weight': [5, 4] in file, [6, 3] in model"));
  CHECK_THAT(message, Catch::Contains("'mean': F16 in file, F32 in model"));
  CHECK_THAT(message, Catch::Contains("'extra.weight': [1] in file, unexpected in model"));
  CHECK_THAT(message, Catch::Contains("'target_embedding.weight': missing in file, [4, 3] in model"));
  CHECK_THAT(message, !Catch::Contains("swap"));
  CHECK(are_equal(copies(model), before));
}

TEST_CASE("each single difference is refused and changes nothing", "[checkpoint][property]") {
  const int kind = GENERATE(range(0, 4));
  Toy model(5, 4);
  const auto before = copies(model);
  auto file = copies(Toy(5, 4));
  if (kind == 0) file.erase("mean");
  if (kind == 1) file["more"] = at::zeros({2});
  if (kind == 2) file["mean"] = at::zeros({3});
  if (kind == 3) file["target_embedding.weight"] = at::zeros({4, 3}, at::kDouble);
  CHECK_FALSE(fault(model, file).empty());
  CHECK(are_equal(copies(model), before));
}

TEST_CASE("swapped source and target vocabularies are recognised", "[checkpoint][unit]") {
  Toy model(5, 4);
  CHECK_THAT(fault(model, copies(Toy(4, 5))), Catch::Contains("did you swap source and target?"));
  CHECK_THAT(fault(model, copies(Toy(4, 4))), !Catch::Contains("swap"));
}
