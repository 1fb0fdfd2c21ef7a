#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "torch.h"

namespace gloss {

struct ScoreSizes {
  int64_t query;              ///< width of the decoder state that asks
  int64_t key;                ///< width of the encoder states
  int64_t hidden;             ///< inner width of additive, concat and qkv
  int64_t max_source_length;  ///< positions that the location score can tell apart
};

/// The lowest finite number of a type: the energy of what gets no weight.
double lowest_energy(at::ScalarType type);

/// Queries to energies: [batch, tgt_len, n] → [batch, tgt_len, src_len]. Holds for one run over a target, because what its
/// steps share gets its gradient once (nn/repeated_linear.h).
using Energies = std::function<Tensor(const Tensor& query)>;

/// energy = score(query, key). Keys are prepared once per batch and passed back in, so that no step repeats the work.
/// Legend: n query width, m key width, k inner width.
class ScoreImpl : public torch::nn::Module {
 public:
  /// \param keys encoder states [batch, src_len, m] → whatever over() wants of them, first axis batch
  virtual Tensor prepare(const Tensor& keys) { return keys; }
  /// What the weights average: [batch, src_len, m] → [batch, src_len, value_size]
  virtual Tensor values(const Tensor& keys) { return keys; }
  /// The energies of queries over these keys. \param prepared from prepare()
  virtual Energies over(const Tensor& prepared) = 0;

  int64_t value_size = 0;  ///< width of values()
};

/// Names of the table, in its order.
std::vector<std::string> score_names();

/// Does the score look at the keys at all? (location does not: it knows positions only, up to
/// ScoreSizes::max_source_length.)
bool score_reads_keys(const std::string& name);

/// Has the score a width of its own (ScoreSizes::hidden)?
bool score_has_width(const std::string& name);

/// Throws UsageError when the name is unknown or the sizes do not fit the score.
std::shared_ptr<ScoreImpl> make_score(const std::string& name, const ScoreSizes& sizes);

}  // namespace gloss
