#pragma once

#include <algorithm>

#include "support/bf16.h"
#include "support/tiny_model.h"

// Properties that every kind of model has, for the tests of each.

namespace gloss {

/// A batch of n equals n batches of one, in hidden states and attention, and padding gets no attention.
inline void check_batch_invariance(Seq2Seq& model) {
  const TinyBatch batch;
  const auto together =
      model.decode(model.encode(batch.source, batch.lengths), batch.target_in, AttentionChoice());
  CHECK(together.attention[1].slice(1, 3).eq(0).all().item<bool>());
  for (int64_t b = 0; b < 2; ++b) {
    const auto lengths = batch.lengths.narrow(0, b, 1);
    const auto length = lengths.item<int64_t>();
    const auto memory = model.encode(batch.source.narrow(0, b, 1).slice(1, 0, length), lengths);
    const auto alone = model.decode(memory, batch.target_in.narrow(0, b, 1), AttentionChoice());
    CHECK(difference(alone.hidden, together.hidden.narrow(0, b, 1)) < 1e-12);
    CHECK(difference(alone.attention, together.attention.narrow(0, b, 1).slice(2, 0, length)) < 1e-12);
  }
}

/// The gradient of the loss against finite differences, for every parameter.
inline void check_gradients(Seq2Seq& model) {
  const TinyBatch batch;
  const auto loss = [&] {
    const auto decoded =
        model.decode(model.encode(batch.source, batch.lengths), batch.target_in, std::nullopt);
    return model.output->loss(decoded.hidden, batch.target_out, 0.1, 7.0).loss;
  };
  CHECK(gradient_error(loss, model.parameters()) < 1e-6);
}

/// In bf16 a model says what it says in float32, within rounding: a whole target or step by step, with its gradients.
inline void check_bf16(const ModelOptions& options) {
  if (!has_bf16()) return;
  const auto model = tiny_model(options, 51, at::kFloat);
  const TinyBatch batch;
  const auto relative = [](const Tensor& a, const Tensor& b) {
    return ((a - b).norm() / b.norm()).item<double>();
  };
  std::vector<Tensor> hidden, attention, gradients;
  for (const std::string precision : {"float32", "bf16"}) {
    const PrecisionGuard guard(precision, at::kCPU);
    const auto memory = model->encode(batch.source, batch.lengths);
    const auto whole = model->decode(memory, batch.target_in, AttentionChoice());
    hidden.push_back(whole.hidden.to(at::kFloat));
    attention.push_back(whole.attention);
    const auto stepwise = model->Seq2Seq::decode(memory, batch.target_in, AttentionChoice());
    CHECK(relative(stepwise.hidden, hidden.back()) < 0.03);
    CHECK(relative(stepwise.attention, attention.back()) < 0.03);
    const auto plain = model->decode(memory, batch.target_in, std::nullopt).hidden;
    const auto loss = model->output->loss(plain, batch.target_out, 0.1, 7.0).loss;
    const auto parts = torch::autograd::grad({loss}, model->parameters(), {}, false, false, true);
    std::vector<Tensor> flat;
    for (const auto& part : parts)
      if (part.defined()) flat.push_back(part.flatten());
    gradients.push_back(at::cat(flat));
  }
  CHECK(relative(hidden[1], hidden[0]) < 0.03);
  CHECK(relative(attention[1], attention[0]) < 0.03);
  CHECK(relative(gradients[1], gradients[0]) < 0.1);
  CHECK_FALSE(at::equal(hidden[1], hidden[0]));
}

/// Dropout acts in training only, and comes from the seed. \return hidden states with dropout in them
inline Tensor check_dropout(Seq2Seq& model) {
  const TinyBatch batch;
  const auto run = [&] {
    return model.decode(model.encode(batch.source, batch.lengths), batch.target_in, std::nullopt).hidden;
  };
  CHECK(at::equal(run(), run()));
  model.train();
  torch::manual_seed(53);
  const auto first = run(), second = run();
  CHECK_FALSE(at::equal(first, second));
  torch::manual_seed(53);
  CHECK(at::equal(run(), first));
  return first;
}

/// An embedding serves as output layer where tied, and for the source where the vocabulary is shared.
inline void check_embeddings(ModelOptions options) {
  const auto tables = [&](bool tied, bool shared) {
    options.tie_embeddings = tied;
    const auto model = make_model(options, {.source = 11, .target = 11, .shared = shared});
    const auto all = model->parameters();
    return std::count_if(all.begin(), all.end(),
                         [](const Tensor& p) { return p.dim() == 2 && p.size(0) == 11; });
  };
  CHECK(tables(true, true) == 1);
  CHECK(tables(false, true) == 2);
  CHECK(tables(true, false) == 2);
  CHECK(tables(false, false) == 3);
}

}  // namespace gloss
