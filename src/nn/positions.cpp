#include "nn/positions.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/table.h"

namespace gloss {
namespace {

// p / 10000^{2i/width} for i < width/2. [n, width/2], in float64: float32 would lose the angle of far positions.
Tensor angles(const Tensor& positions, int64_t width) {
  const auto exponents = at::arange(0, width, 2, positions.options().dtype(at::kDouble)) / width;
  const auto frequencies = at::exp(exponents * -std::log(10000.0));
  return at::outer(positions.to(at::kDouble), frequencies);
}

}  // namespace

Tensor sinusoidal_positions(const Tensor& positions, int64_t width, const at::TensorOptions& options) {
  const auto angle = angles(positions, width);
  return at::stack({angle.sin(), angle.cos()}, 2).flatten(1).slice(1, 0, width).to(options);
}

Tensor rotate(const Tensor& heads, const Tensor& positions) {
  const auto angle = angles(positions, heads.size(3));
  const auto cosine = angle.cos().to(heads.options()), sine = angle.sin().to(heads.options());
  const auto pairs = heads.unflatten(3, {-1, 2});
  const auto even = pairs.select(4, 0), odd = pairs.select(4, 1);
  return at::stack({even * cosine - odd * sine, even * sine + odd * cosine}, 4).flatten(3);
}

Tensor alibi_bias(const Tensor& queries, const Tensor& keys, int64_t heads,
                  const at::TensorOptions& options) {
  const auto head = at::arange(1, heads + 1, queries.options().dtype(at::kDouble));
  const auto slopes = at::exp2(head * (-8.0 / static_cast<double>(heads))).view({1, heads, 1, 1});
  const auto distance = (queries.unsqueeze(1) - keys.unsqueeze(0)).abs().to(at::kDouble);  // [q, k]
  return (-slopes * distance).to(options);
}

/// Where a kind acts; nothing where it does not.
struct PositionKind {
  const char* name;
  Tensor (*add)(const Tensor& embedded, const Tensor& positions, const Tensor& table) = nullptr;
  Tensor (*turn)(const Tensor& heads, const Tensor& positions) = nullptr;
  Tensor (*bias)(const Tensor& queries, const Tensor& keys, int64_t heads,
                 const at::TensorOptions& options) = nullptr;
  bool has_table = false;
};

namespace {

Tensor add_sinusoids(const Tensor& embedded, const Tensor& positions, const Tensor& /*table*/) {
  return embedded + sinusoidal_positions(positions, embedded.size(2), embedded.options());
}

Tensor add_learned(const Tensor& embedded, const Tensor& positions, const Tensor& table) {
  return embedded + table.index_select(0, positions.clamp_max(table.size(0) - 1));
}

constexpr std::array kKinds{
    PositionKind{.name = "sinusoidal", .add = add_sinusoids},
    PositionKind{.name = "learned", .add = add_learned, .has_table = true},
    PositionKind{.name = "rotary", .turn = rotate},
    PositionKind{.name = "alibi", .bias = alibi_bias},
};
static_assert(std::ranges::all_of(kKinds, [](const PositionKind& kind) {
  return kind.add != nullptr || kind.turn != nullptr || kind.bias != nullptr;
}));

const PositionKind& kind_of(const std::string& name) { return row_of(kKinds, "kind of positions", name); }

}  // namespace

std::vector<std::string> position_names() { return names_of(kKinds); }

bool positions_have_table(const std::string& kind) { return kind_of(kind).has_table; }

PositionsImpl::PositionsImpl(const std::string& kind, int64_t width, int64_t heads, int64_t maximum)
    : kind_(kind_of(kind)), heads_(heads) {
  if (!kind_.has_table) return;
  table_ = register_parameter("table", at::empty({maximum, width}));
  torch::nn::init::normal_(table_, 0.0, 1.0 / std::sqrt(static_cast<double>(width)));
}

bool PositionsImpl::turns() const { return kind_.turn != nullptr; }

Tensor PositionsImpl::add_to(const Tensor& embedded, const Tensor& positions) {
  return kind_.add != nullptr ? kind_.add(embedded, positions, table_) : embedded;
}

Tensor PositionsImpl::turn(const Tensor& heads, const Tensor& positions) const {
  return turns() ? kind_.turn(heads, positions) : heads;
}

Tensor PositionsImpl::bias(const Tensor& queries, const Tensor& keys,
                           const at::TensorOptions& options) const {
  return kind_.bias != nullptr ? kind_.bias(queries, keys, heads_, options) : Tensor();
}

}  // namespace gloss
