#pragma once

#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <random>
#include <vector>

#include "core/special_tokens.h"
#include "model/seq2seq.h"
#include "search/sentence_search.h"

namespace gloss::test {

inline constexpr int32_t kA = 4, kB = 5, kC = 6;
inline constexpr int64_t kWords = 7;  ///< four special ids and a b c

/// A second-order chain: the probability of a word given the two before it, table[before][previous][word].
/// It needs no training, can be enumerated, and its state is wrong as soon as beams are mixed up.
using Table = std::array<std::array<std::array<double, kWords>, kWords>, kWords>;

inline Table first_order(const std::array<std::array<double, kWords>, kWords>& next) {
  Table table;
  table.fill(next);
  return table;
}

/// Probabilities for every id, the special ones too.
inline Table random_table(uint32_t seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> uniform(0.02, 1.0);
  Table table{};
  for (auto& rows : table)
    for (auto& row : rows) {
      double sum = 0.0;
      for (auto& p : row) sum += p = std::pow(uniform(random), 3.0);
      for (auto& p : row) p /= sum;
    }
  return table;
}

/// The first source id chooses the table, so that sentences of a batch differ. Words without probability anywhere in
/// the tables get none at all. Attention: 3/4 on one position, chosen by the previous word, the rest even.
class ChainModel : public Seq2Seq {
 public:
  explicit ChainModel(std::vector<Table> tables)
      : Seq2Seq(OutputLayer(static_cast<int64_t>(tables.size()) * kWords * kWords, kWords)) {
    const at::NoGradGuard no_grad;
    output->weight.zero_();
    output->bias.fill_(-std::numeric_limits<float>::infinity());
    auto weight = output->weight.accessor<float, 2>();
    auto bias = output->bias.accessor<float, 1>();
    for (size_t kind = 0; kind < tables.size(); ++kind)
      for (int64_t before = 0; before < kWords; ++before)
        for (int64_t previous = 0; previous < kWords; ++previous)
          for (int64_t word = 0; word < kWords; ++word) {
            const double p = tables[kind][before][previous][word];
            if (p <= 0.0) continue;
            bias[word] = 0.0F;
            weight[word][(static_cast<int64_t>(kind) * kWords + before) * kWords + previous] =
                static_cast<float>(std::log(p));
          }
  }

  Memory encode(const Tensor& source, const Tensor& lengths) override {
    const auto mask = at::arange(source.size(1)).unsqueeze(0) < lengths.unsqueeze(1);
    return {.mask = mask, .lengths = lengths, .parts = {{"kind", source.select(1, 0).clone()}}};
  }

  DecoderState start(const Memory& memory, int64_t beam) override {
    return {{{"before", at::full({memory.mask.size(0), beam}, kBos, at::kLong)}}};
  }

  Step step(const Memory& memory, const Tensor& previous, const DecoderState& state,
            const std::optional<AttentionChoice>& wanted) override {
    batch_sizes.push_back(previous.size(0));
    beam_widths.push_back(previous.size(1));
    const auto& before = state.parts.at("before");
    TORCH_CHECK(before.sizes() == previous.sizes() && memory.mask.size(0) == previous.size(0));
    const auto index = (memory.parts.at("kind").unsqueeze(1) * kWords + before) * kWords + previous;
    Step step{.hidden = at::one_hot(index, output->weight.size(1)).to(at::kFloat),
              .attention = {},
              .state = {{{"before", previous}}}};
    if (wanted) {
      const auto position =
          previous.remainder(memory.lengths.unsqueeze(1)).unsqueeze(-1);  // [batch, beam, 1]
      const auto even =
          (memory.mask / memory.lengths.unsqueeze(1) * 0.25).unsqueeze(1);  // [batch, 1, src_len]
      step.attention = even.expand({-1, previous.size(1), -1})
                           .clone()
                           .scatter_add_(2, position, at::full_like(position, 0.75, at::kFloat));
    }
    return step;
  }

  std::vector<int64_t> batch_sizes, beam_widths;  ///< of every step taken
};

/// Memory for sentences of the given kinds, all of length 1.
inline Memory memory_of(ChainModel& model, const std::vector<int64_t>& kinds) {
  const auto count = static_cast<int64_t>(kinds.size());
  return model.encode(torch::tensor(kinds, at::kLong).view({count, 1}), at::ones({count}, at::kLong));
}

/// Every sentence up to `limit` words, best first: the reference that needs no search.
inline std::vector<Hypothesis> enumerate(const Table& table, int64_t limit, double penalty) {
  std::vector<Hypothesis> all;
  const auto extend = [&](auto& self, std::vector<int32_t> ids, double log_probability) -> void {
    const auto length = ids.size();
    const auto previous = static_cast<size_t>(length > 0 ? ids[length - 1] : kBos);
    const auto before = static_cast<size_t>(length > 1 ? ids[length - 2] : kBos);
    const auto& row = table[before][previous];
    if (row[kEos] > 0) {
      const double total = log_probability + std::log(row[kEos]);
      all.push_back({ids, total, total / std::pow(static_cast<double>(length + 1), penalty)});
    }
    if (static_cast<int64_t>(length) == limit) return;
    for (const int32_t word : {kUnk, kA, kB, kC}) {
      if (row[static_cast<size_t>(word)] <= 0) continue;
      ids.push_back(word);
      self(self, ids, log_probability + std::log(row[static_cast<size_t>(word)]));
      ids.pop_back();
    }
  };
  extend(extend, {}, 0.0);
  std::sort(all.begin(), all.end(), is_better);
  return all;
}

}  // namespace gloss::test
