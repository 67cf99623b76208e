// SPDX-License-Identifier: BSL-1.0
// The kernel of mine::softsign over ctnn's vectors (kernels/simd/simd-inl.hpp), compiled once for each target.
#include "softsign.hpp"

CTNN_BEGIN_TARGET

/// A share of the rows, whole vectors first.
inline void run(const mine::softsign&, const arguments& a) {
  const index_range rows = share_of(a.share, a.in[0].shape[0]);
  const std::ptrdiff_t columns = a.in[0].shape[1];
  for (std::ptrdiff_t r = rows.begin; r < rows.end; ++r) {
    const float* x = a.in[0].data + r * columns;
    float* y = a.out[0].data + r * columns;
    const vec gain = set(a.weights[0][r]), one = set(1);
    std::ptrdiff_t i = 0;
    for (; i + lanes <= columns; i += lanes) {
      const vec v = loadu(x + i);
      storeu(div(mul(gain, v), add(one, abs(v))), y + i);
    }
    if (i < columns) {
      const int left = static_cast<int>(columns - i);
      const vec v = load_part(x + i, left);
      store_part(div(mul(gain, v), add(one, abs(v))), y + i, left);
    }
  }
}

CTNN_END_TARGET
