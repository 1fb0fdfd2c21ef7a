#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "torch.h"

namespace gloss {

/// How a transformer knows the order of words. Where each acts:
///   sinusoidal, learned   added to the embeddings
///   rotary                turns queries and keys of self-attention
///   alibi                 added to the energies of self-attention
std::vector<std::string> position_names();

/// Do positions of this kind have parameters, for so many positions only?
bool positions_have_table(const std::string& kind);

/// A row of the table in positions.cpp.
struct PositionKind;

/// Vaswani et al. 2017, section 3.5:  PE(p, 2i) = sin(p/10000^{2i/d}),  PE(p, 2i+1) = cos(p/10000^{2i/d}).
/// \param positions [n] int64 → [n, width]
Tensor sinusoidal_positions(const Tensor& positions, int64_t width, const at::TensorOptions& options);

/// Su et al. 2021, eq. 34: the pair (2i, 2i+1) of a head turned by the angle p/10000^{2i/d}, so that the product of a
/// query and a key depends on the distance of their positions alone.
/// \param heads [batch, heads, n, d], d even  \param positions [n] int64
Tensor rotate(const Tensor& heads, const Tensor& positions);

/// Press, Smith, Lewis 2022: energies fall by m_h·|p_query - p_key|, m_h = 2^{-8h/H} for head h = 1 … H. The paper has
/// it for decoders; in the encoder it counts the distance to both sides. H need not be a power of two here.
/// \param queries [q] int64  \param keys [k] int64 → [1, heads, q, k]
Tensor alibi_bias(const Tensor& queries, const Tensor& keys, int64_t heads, const at::TensorOptions& options);

/// One of the kinds as a transformer's encoder or decoder uses it: the places where another kind acts do nothing.
class PositionsImpl : public torch::nn::Module {
 public:
  /// Throws UsageError for an unknown kind.
  /// \param maximum entries of the learned table; later positions share its last entry
  PositionsImpl(const std::string& kind, int64_t width, int64_t heads, int64_t maximum);

  /// \param embedded [batch, n, width]  \param positions [n] int64
  Tensor add_to(const Tensor& embedded, const Tensor& positions);

  bool turns() const;

  /// Queries or keys [batch, heads, n, d].
  Tensor turn(const Tensor& heads, const Tensor& positions) const;

  /// To be added to energies [batch, heads, q, k]; undefined where there is none.
  Tensor bias(const Tensor& queries, const Tensor& keys, const at::TensorOptions& options) const;

 private:
  const PositionKind& kind_;
  int64_t heads_;
  Tensor table_;  // [maximum, width], learned
};
TORCH_MODULE(Positions);

}  // namespace gloss
