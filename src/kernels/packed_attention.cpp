#include "kernels/packed_attention.h"

#include <cmath>
#include <vector>

#include "kernels/cpu_kernels.h"

namespace gloss {
namespace {

// Floats of energies of one head: half of a second-level cache of a megabyte.
constexpr int64_t kMostEnergies = 1 << 17;

/// A tensor [batch, n, heads, d] as the matrices of its heads.
template <class T>
struct HeadRows {
  explicit HeadRows(const Tensor& x)
      : data(static_cast<T*>(const_cast<void*>(x.const_data_ptr()))),
        batch_stride(x.stride(0)),
        row_stride(x.stride(1)),
        head_stride(x.stride(2)) {}

  template <class Element>
  Rows<Element> of(int64_t batch, int64_t head) const {
    return {data + batch * batch_stride + head * head_stride, row_stride};
  }

  T* data;
  int64_t batch_stride, row_stride, head_stride;
};

/// What the masks of all sentences and heads share.
struct Masks {
  Masks(const Tensor& allowed_tensor, bool is_causal, int64_t n) : causal(is_causal) {
    if (!allowed_tensor.defined()) return;
    allowed = allowed_tensor.contiguous();
    batch_stride = allowed.size(0) == 1 ? 0 : allowed.stride(0);
    row_stride = allowed.size(1) == 1 && n > 1 ? 0 : allowed.stride(1);
  }

  AttentionProblem problem(int64_t batch, int64_t n, int64_t m, int64_t d) const {
    const bool* rows = allowed.defined() ? allowed.const_data_ptr<bool>() + batch * batch_stride : nullptr;
    return {n, m, d, rows, row_stride, causal, static_cast<float>(1.0 / std::sqrt(static_cast<double>(d)))};
  }

  Tensor allowed;
  int64_t batch_stride = 0, row_stride = 0;
  bool causal;
};

/// Calls `work(batch, head, scratch)` for every head of every sentence, on all threads.
template <class Work>
void for_each_head(int64_t batch, int64_t heads, int64_t scratch_size, const Work& work) {
  at::parallel_for(0, batch * heads, 4, [&](int64_t begin, int64_t end) {
    std::vector<float> scratch(static_cast<size_t>(scratch_size));
    for (int64_t i = begin; i < end; ++i) work(i / heads, i % heads, scratch.data());
  });
}

struct Forward {
  Tensor context;     // [batch, n, heads, d]
  Tensor statistics;  // [batch, heads, 2, whole_tiles(n)]
};

template <class T>
void run_forward(CpuKernels::Attention<T> kernel, const Tensor& query, const Tensor& key, const Tensor& value,
                 const Masks& masks, Forward& result) {
  const auto batch = query.size(0), n = query.size(1), heads = query.size(2), d = query.size(3);
  const auto m = key.size(1);
  const HeadRows<T> q(query), k(key), v(value), c(result.context);
  const auto size = result.statistics.stride(1);
  auto* all = result.statistics.mutable_data_ptr<float>();
  for_each_head(batch, heads, masks.problem(0, n, m, d).scratch(), [&](int64_t b, int64_t h, float* scratch) {
    kernel(masks.problem(b, n, m, d), q.template of<const T>(b, h), k.template of<const T>(b, h),
           v.template of<const T>(b, h), c.template of<T>(b, h), all + (b * heads + h) * size, scratch);
  });
}

template <class T>
void run_backward(CpuKernels::AttentionBackward<T> kernel, const Tensor& query, const Tensor& key,
                  const Tensor& value, const Masks& masks, const Tensor& dcontext, const Tensor& statistics,
                  const Tensor& dquery, const Tensor& dkey, const Tensor& dvalue) {
  const auto batch = query.size(0), n = query.size(1), heads = query.size(2), d = query.size(3);
  const auto m = key.size(1);
  const HeadRows<T> q(query), k(key), v(value), dc(dcontext), dq(dquery), dk(dkey), dv(dvalue);
  const auto size = statistics.stride(1);
  const auto* all = statistics.const_data_ptr<float>();
  for_each_head(batch, heads, masks.problem(0, n, m, d).scratch(), [&](int64_t b, int64_t h, float* scratch) {
    kernel(masks.problem(b, n, m, d), q.template of<const T>(b, h), k.template of<const T>(b, h),
           v.template of<const T>(b, h), dc.template of<const T>(b, h), all + (b * heads + h) * size,
           dq.template of<T>(b, h), dk.template of<T>(b, h), dv.template of<T>(b, h), scratch);
  });
}

Forward forward(const Tensor& query, const Tensor& key, const Tensor& value, const Masks& masks) {
  Forward result;
  result.context = at::empty(query.sizes(), query.options(), at::MemoryFormat::Contiguous);
  result.statistics = at::empty({query.size(0), query.size(2), 2, whole_tiles(query.size(1))},
                                query.options().dtype(at::kFloat));
  if (query.scalar_type() == at::kFloat) {
    run_forward<float>(cpu_kernels().attention, query, key, value, masks, result);
  } else {
    run_forward<uint16_t>(cpu_kernels().attention_bf16, query, key, value, masks, result);
  }
  return result;
}

/// Queries, keys and values within blocks of projections [batch, n, parts, heads, d]: one block of all three, given twice,
/// or one of queries and one of keys and values.
struct Parts {
  Parts(const Tensor& first, const Tensor& second, bool is_one_block)
      : query(first.select(2, 0)),
        key(is_one_block ? first.select(2, 1) : second.select(2, 0)),
        value(is_one_block ? first.select(2, 2) : second.select(2, 1)) {}
  Tensor query, key, value;  // [batch, n, heads, d]
};

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

struct PackedAttention : torch::autograd::Function<PackedAttention> {
  static Tensor forward(AutogradContext* context, const Tensor& first, const Tensor& second,
                        bool is_one_block, const Masks& masks) {
    const Parts parts(first, second, is_one_block);
    const auto result = gloss::forward(parts.query, parts.key, parts.value, masks);
    context->save_for_backward({first, second, masks.allowed, result.statistics});
    context->saved_data["causal"] = masks.causal;
    context->saved_data["is_one_block"] = is_one_block;
    return result.context.flatten(2);
  }

  static variable_list backward(AutogradContext* context, variable_list gradients) {
    const auto saved = context->get_saved_variables();
    const auto &first = saved[0], &second = saved[1];
    const bool is_one_block = context->saved_data["is_one_block"].toBool();
    const Parts parts(first, second, is_one_block);
    auto dfirst = at::empty(first.sizes(), first.options());
    auto dsecond = is_one_block ? Tensor() : at::empty(second.sizes(), second.options());
    const Parts results(dfirst, dsecond, is_one_block);
    const auto dcontext = gradients[0].contiguous().view(parts.query.sizes());
    const Masks masks(saved[2], context->saved_data["causal"].toBool(), parts.query.size(1));
    if (first.scalar_type() == at::kFloat) {
      run_backward<float>(cpu_kernels().attention_backward, parts.query, parts.key, parts.value, masks,
                          dcontext, saved[3], results.query, results.key, results.value);
    } else {
      run_backward<uint16_t>(cpu_kernels().attention_backward_bf16, parts.query, parts.key, parts.value,
                             masks, dcontext, saved[3], results.query, results.key, results.value);
    }
    return {dfirst, dsecond, Tensor(), Tensor()};
  }
};

}  // namespace

bool has_packed_attention(const Tensor& x, int64_t queries, int64_t keys) {
  return x.is_cpu() && (x.scalar_type() == at::kFloat || x.scalar_type() == at::kBFloat16) &&
         whole_tiles(queries) * keys <= kMostEnergies;
}

Tensor packed_attention(const Tensor& query, const Tensor& key, const Tensor& value, const Tensor& allowed,
                        bool causal) {
  return forward(query, key, value, Masks(allowed, causal, query.size(1))).context.flatten(2);
}

Tensor packed_self_attention(const Tensor& query_key_value, const Tensor& allowed, bool causal) {
  return PackedAttention::apply(query_key_value, query_key_value, /*is_one_block=*/true,
                                Masks(allowed, causal, query_key_value.size(1)));
}

Tensor packed_cross_attention(const Tensor& query, const Tensor& key_value, const Tensor& allowed) {
  return PackedAttention::apply(query, key_value, /*is_one_block=*/false,
                                Masks(allowed, /*is_causal=*/false, query.size(1)));
}

}  // namespace gloss
