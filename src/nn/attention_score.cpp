#include "nn/attention_score.h"

#include <array>
#include <cmath>

#include "core/error.h"
#include "core/table.h"
#include "kernels/additive_energy.h"
#include "nn/linear.h"
#include "nn/precision.h"
#include "nn/repeated_linear.h"

namespace gloss {
namespace {

/// Bahdanau, Cho, Bengio 2015, A.1.2:  e_ij = v^T tanh(W s_i + U h_j).  U h_j is prepared once.
class AdditiveScoreImpl : public ScoreImpl {
 public:
  explicit AdditiveScoreImpl(const ScoreSizes& sizes)
      : W(register_module("W", Linear(sizes.query, sizes.hidden, /*with_bias=*/false))),
        U(register_module("U", Linear(sizes.key, sizes.hidden, /*with_bias=*/false))),
        v(register_parameter("v", at::empty({sizes.hidden}))) {
    torch::nn::init::uniform_(v, -1.0 / std::sqrt(sizes.hidden), 1.0 / std::sqrt(sizes.hidden));
  }

  Tensor prepare(const Tensor& keys) override { return U(keys); }
  Energies over(const Tensor& Uh) override {
    return [Ws = RepeatedLinear(W->weight), energies = AdditiveEnergies(Uh, v)](const Tensor& query) {
      return energies(Ws(query));
    };
  }

  Linear W, U;
  Tensor v;
};

/// Luong, Pham, Manning 2015, eq. 8, dot:  e = q^T h.
class DotScoreImpl : public ScoreImpl {
 public:
  explicit DotScoreImpl(const ScoreSizes&) {}
  Energies over(const Tensor& h) override { return RepeatedLinear(h); }
};

/// Vaswani et al. 2017, eq. 1, without projections:  e = q^T h / √d.
class ScaledDotScoreImpl : public ScoreImpl {
 public:
  explicit ScaledDotScoreImpl(const ScoreSizes& sizes)
      : scale_(1.0 / std::sqrt(static_cast<double>(sizes.key))) {}
  Energies over(const Tensor& h) override {
    return [scale = scale_, products = RepeatedLinear(h)](const Tensor& query) {
      return products(query * scale);
    };
  }

 private:
  double scale_;
};

/// Luong et al., eq. 8, general:  e = q^T W h.  W h is prepared once.
class GeneralScoreImpl : public ScoreImpl {
 public:
  explicit GeneralScoreImpl(const ScoreSizes& sizes)
      : W(register_module("W", Linear(sizes.key, sizes.query, /*with_bias=*/false))) {}
  Tensor prepare(const Tensor& keys) override { return W(keys); }
  Energies over(const Tensor& Wh) override { return RepeatedLinear(Wh); }

  Linear W;
};

/// Luong et al., eq. 8, concat:  e = v^T tanh(W [q; h]).  With W = [W_q W_h] the product falls into two halves, of
/// which W_h h is prepared once; the parameter keeps the paper's form, one matrix over the concatenation.
class ConcatScoreImpl : public ScoreImpl {
 public:
  explicit ConcatScoreImpl(const ScoreSizes& sizes)
      : query_size_(sizes.query),
        W(register_module("W", Linear(sizes.query + sizes.key, sizes.hidden, /*with_bias=*/false))),
        v(register_parameter("v", at::empty({sizes.hidden}))) {
    torch::nn::init::uniform_(v, -1.0 / std::sqrt(sizes.hidden), 1.0 / std::sqrt(sizes.hidden));
  }

  Tensor prepare(const Tensor& keys) override {
    return gloss::linear(keys, W->weight.slice(1, query_size_), Tensor());
  }
  Energies over(const Tensor& prepared) override {
    return [Wq = RepeatedLinear(W->weight.slice(1, 0, query_size_)),
            energies = AdditiveEnergies(prepared, v)](const Tensor& query) { return energies(Wq(query)); };
  }

 private:
  int64_t query_size_;

 public:
  Linear W;
  Tensor v;
};

/// Query, key and value projections, e = (W_q q)^T (W_k h) / √k  (Vaswani et al. 2017, one head). The context is an
/// average of W_v h.
class QkvScoreImpl : public ScoreImpl {
 public:
  explicit QkvScoreImpl(const ScoreSizes& sizes)
      : scale_(1.0 / std::sqrt(static_cast<double>(sizes.hidden))),
        query(register_module("query", Linear(sizes.query, sizes.hidden, /*with_bias=*/false))),
        key(register_module("key", Linear(sizes.key, sizes.hidden, /*with_bias=*/false))),
        value(register_module("value", Linear(sizes.key, sizes.hidden, /*with_bias=*/false))) {
    value_size = sizes.hidden;
  }

  Tensor prepare(const Tensor& keys) override { return key(keys); }
  Tensor values(const Tensor& keys) override { return value(keys); }
  Energies over(const Tensor& k) override {
    return [scale = scale_, Wq = RepeatedLinear(query->weight),
            products = RepeatedLinear(k)](const Tensor& q) { return products(Wq(q) * scale); };
  }

 private:
  double scale_;

 public:
  Linear query, key, value;
};

/// Luong et al., eq. 9:  a = softmax(W q), W of max_source_length rows, the first src_len used. Source positions beyond
/// the maximum get no weight. With [embedding; state] as query this is the attention of the PyTorch tutorial.
class LocationScoreImpl : public ScoreImpl {
 public:
  explicit LocationScoreImpl(const ScoreSizes& sizes)
      : W(register_module("W", Linear(sizes.query, sizes.max_source_length))) {}

  Energies over(const Tensor& keys) override {
    return [Ws = RepeatedLinear(W->weight, W->bias), src_len = keys.size(1)](const Tensor& query) {
      const auto energies = in_full(Ws(query));  // [batch, tgt_len, max_source_length]
      const int64_t missing = src_len - energies.size(2);
      if (missing <= 0) return energies.narrow(2, 0, src_len);
      return at::constant_pad_nd(energies, {0, missing}, lowest_energy(energies.scalar_type()));
    };
  }

  Linear W;
};

struct ScoreEntry {
  const char* name;
  std::shared_ptr<ScoreImpl> (*make)(const ScoreSizes&);
  bool reads_keys;
  bool same_sizes;  ///< query and key must be equally wide
  bool has_width;   ///< reads ScoreSizes::hidden
};

template <class Score>
std::shared_ptr<ScoreImpl> make(const ScoreSizes& sizes) {
  return std::make_shared<Score>(sizes);
}

constexpr std::array kScores{
    ScoreEntry{"additive", make<AdditiveScoreImpl>, /*reads_keys=*/true, /*same_sizes=*/false,
               /*has_width=*/true},
    ScoreEntry{"dot", make<DotScoreImpl>, true, true, false},
    ScoreEntry{"scaled-dot", make<ScaledDotScoreImpl>, true, true, false},
    ScoreEntry{"general", make<GeneralScoreImpl>, true, false, false},
    ScoreEntry{"concat", make<ConcatScoreImpl>, true, false, true},
    ScoreEntry{"qkv", make<QkvScoreImpl>, true, false, true},
    ScoreEntry{"location", make<LocationScoreImpl>, false, false, false},
};

const ScoreEntry& find_score(const std::string& name) { return row_of(kScores, "attention score", name); }

}  // namespace

double lowest_energy(at::ScalarType type) {
  return type == at::kDouble ? std::numeric_limits<double>::lowest() : std::numeric_limits<float>::lowest();
}

std::vector<std::string> score_names() { return names_of(kScores); }

bool score_reads_keys(const std::string& name) { return find_score(name).reads_keys; }

bool score_has_width(const std::string& name) { return find_score(name).has_width; }

std::shared_ptr<ScoreImpl> make_score(const std::string& name, const ScoreSizes& sizes) {
  const auto& entry = find_score(name);
  if (entry.same_sizes && sizes.query != sizes.key)
    throw UsageError(
        "attention-score " + name +
        " multiplies decoder state and encoder state, so they must be equally wide, got " +
        std::to_string(sizes.query) + " and " + std::to_string(sizes.key) +
        " (a bidirectional encoder is twice hidden-size wide); use general or qkv, or bidirectional = false");
  auto score = entry.make(sizes);
  if (score->value_size == 0) score->value_size = sizes.key;
  return score;
}

}  // namespace gloss
