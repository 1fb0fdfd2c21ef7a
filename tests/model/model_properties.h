#pragma once

#include <algorithm>

#include "support/tiny_model.h"

// Properties that every kind of model has, for the tests of each.

namespace gloss {

/// A batch of n equals n batches of one, in hidden states and attention, and padding gets no attention.
inline void check_batch_invariance(Seq2Seq& model) {
  const TinyBatch batch;
  const auto together = model.decode(model.encode(batch.source, batch.lengths), batch.target_in, true);
  CHECK(together.attention[1].slice(1, 3).eq(0).all().item<bool>());
  for (int64_t b = 0; b < 2; ++b) {
    const auto lengths = batch.lengths.narrow(0, b, 1);
    const auto length = lengths.item<int64_t>();
    const auto memory = model.encode(batch.source.narrow(0, b, 1).slice(1, 0, length), lengths);
    const auto alone = model.decode(memory, batch.target_in.narrow(0, b, 1), true);
    CHECK(difference(alone.hidden, together.hidden.narrow(0, b, 1)) < 1e-12);
    CHECK(difference(alone.attention, together.attention.narrow(0, b, 1).slice(2, 0, length)) < 1e-12);
  }
}

/// The gradient of the loss against finite differences, for every parameter.
inline void check_gradients(Seq2Seq& model) {
  const TinyBatch batch;
  const auto loss = [&] {
    const auto decoded = model.decode(model.encode(batch.source, batch.lengths), batch.target_in, false);
    return model.output->loss(decoded.hidden, batch.target_out, 0.1, 7.0).loss;
  };
  CHECK(gradient_error(loss, model.parameters()) < 1e-6);
}

/// Dropout acts in training only, and comes from the seed. \return hidden states with dropout in them
inline Tensor check_dropout(Seq2Seq& model) {
  const TinyBatch batch;
  const auto run = [&] {
    return model.decode(model.encode(batch.source, batch.lengths), batch.target_in, false).hidden;
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
