// SPDX-License-Identifier: BSL-1.0
// rnn, gru and lstm of any floating-point elements, as their definitions compute them; lstm of bytes.
#pragma once

#include "../../base/compiled.hpp"
#include "../../base/refuse.hpp"
#include "../reference/recurrent.hpp"
#include "byte_lstm.hpp"
#include "windows.hpp"

namespace ctnn::ir {

#if CTNN_DEFINES(CTNN_PART_TYPED)
CTNN_ONCE void require_lengths(std::string_view op, const const_tensor& lengths, int most) {
  for (int n = 0; n < lengths.shape[0]; ++n)
    if (const std::int64_t length = integer_at(lengths, n); length < 0 || length > most)
      refuse_at_run_time(op, "% steps of a sequence of %", length, most);
}
#endif

namespace typed {

template <op::recurrent Op>
void run_reals(const Op& p, const arguments& a) {
  require_numbers(p, a);
  for_floating_weights(p, a, [&]<class T>(const arguments& b, const auto& weights, tag<T>) {
    const auto apply = [](const activation_function& f, T x) { return applied(f, x); };
    reference::run_recurrence<T>(p, b, {weights.data(), weights.size()}, apply);
  });
}
inline void run(const op::rnn& p, const arguments& a) { run_reals(p, a); }
inline void run(const op::gru& p, const arguments& a) { run_reals(p, a); }
inline void run(const op::lstm& p, const arguments& a, scratch_memory memory) {
  if (p.weight) run_bytes(p, a, memory);
  else run_reals(p, a);
}

}  // namespace typed
}  // namespace ctnn::ir
