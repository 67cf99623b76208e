// SPDX-License-Identifier: BSL-1.0
// PyTorch's functions along axes: sums and their kin, statistics, extremes and their places, orders.
#pragma once

#include "shape_calls.hpp"

namespace ctnn {

/// What functions that look for numbers give: auto [values, indices] = m.topk(x, 5)
struct found {
  value values, indices;
};

}  // namespace ctnn

namespace ctnn::detail {

template <class = void>
class reduction_calls : public shape_calls<> {
 protected:  // first: Clang makes no call of a template whose body it has not seen
  constexpr value over(std::string_view word, op::reduction f, value x, const setting& dim, bool keepdim,
                       source_line at) {
    begin(ctnn::layer<op::reduce, "">::record, word, {}, x, at, 1);
    if (f != op::reduction::sum) say("function", setting(f));
    say("axes", dim);
    if (!keepdim) say("keep", setting(false));
    return last();
  }
  /// How many numbers become one.
  constexpr std::int64_t count_over(value x, const setting& dim) {
    const extents s = shape(x);
    std::int64_t count = dim.is_set() ? 1 : s.count();
    for (double d : dim) count *= s[as_axis(d, s.rank)];
    return count;
  }
  /// Of all numbers if there is no axis.
  constexpr value place(const layer_record& word, std::string_view called_after, value x, const setting& dim,
                        bool keepdim, source_line at) {
    if (!dim.is_set()) x = in_shape("flatten", x, {-1}, at);
    return call(word, called_after, {}, x, arg_options{.dim = dim.whole_or(0), .keepdim = keepdim}, at);
  }
  constexpr found with_place(value values, value indices) {
    allow_unread(values);
    allow_unread(indices);
    return {values, indices};
  }

 public:
  // Over axes; without `dim` all of them.
#define CTNN_REDUCTION(name_, function_)                                        \
  constexpr value name_(value x, const setting& dim = {}, bool keepdim = false, \
                        source_line at = source_line::here()) {                 \
    return over(#name_, op::reduction::function_, x, dim, keepdim, at);         \
  }
  CTNN_REDUCTION(sum, sum)
  CTNN_REDUCTION(mean, mean)
  CTNN_REDUCTION(amax, max)
  CTNN_REDUCTION(amin, min)
  CTNN_REDUCTION(prod, prod)
  CTNN_REDUCTION(logsumexp, log_sum_exp)
#undef CTNN_REDUCTION
  /// torch.any: is one of them not 0?
  constexpr value any(value x, const setting& dim = {}, bool keepdim = false, source_line at = source_line::here()) {
    return over("any", op::reduction::max, truth_of(x, at), dim, keepdim, at);
  }
  /// torch.all
  constexpr value all(value x, const setting& dim = {}, bool keepdim = false, source_line at = source_line::here()) {
    return over("all", op::reduction::min, truth_of(x, at), dim, keepdim, at);
  }
  /// torch.linalg.vector_norm of order `p`: 1, 2, infinity (the largest magnitude, or the least one) or another one.
  constexpr value norm(value x, double p = 2, const setting& dim = {}, bool keepdim = false,
                       source_line at = source_line::here()) {
    if (p == 1 || p == 2) return over("norm", p == 1 ? op::reduction::l1 : op::reduction::l2, x, dim, keepdim, at);
    const double most = std::numeric_limits<double>::max();
    if (p > most) return over("norm", op::reduction::max, abs(x, at), dim, keepdim, at);
    if (p < -most) return over("norm", op::reduction::min, abs(x, at), dim, keepdim, at);
    return pow(sum(pow(abs(x, at), p, at), dim, keepdim, at), 1 / p, at);
  }
  /// torch.var: squares of distances from the mean, their sum by the count less `correction`.
  constexpr value var(value x, const setting& dim = {}, bool keepdim = false, int correction = 1,
                      source_line at = source_line::here()) {
    const value centred = sub(x, mean(x, dim, true, at), {}, at);
    const std::int64_t by = count_over(x, dim) - correction;
    return div(sum(square(centred, at), dim, keepdim, at), static_cast<double>(by), at);
  }
  /// torch.std
  constexpr value std(value x, const setting& dim = {}, bool keepdim = false, int correction = 1,
                      source_line at = source_line::here()) {
    return sqrt(var(x, dim, keepdim, correction, at), at);
  }
  /// torch.argmax along an axis, or of all numbers.
  constexpr value argmax(value x, const setting& dim = {}, bool keepdim = false, source_line at = source_line::here()) {
    return place(ctnn::arg_max<"">::record, "argmax", x, dim, keepdim, at);
  }
  constexpr value argmin(value x, const setting& dim = {}, bool keepdim = false, source_line at = source_line::here()) {
    return place(ctnn::arg_min<"">::record, "argmin", x, dim, keepdim, at);
  }
  /// torch.max along an axis, and where it is; of all numbers it is amax, of two values maximum.
  constexpr found max(value x, int dim, bool keepdim = false, source_line at = source_line::here()) {
    return with_place(amax(x, dim, keepdim, at), argmax(x, dim, keepdim, at));
  }
  constexpr found min(value x, int dim, bool keepdim = false, source_line at = source_line::here()) {
    return with_place(amin(x, dim, keepdim, at), argmin(x, dim, keepdim, at));
  }
  /// torch.topk, sorted.
  constexpr found topk(value x, int k, int dim = -1, bool largest = true, source_line at = source_line::here()) {
    const value y =
        call(ctnn::topk<"">::record, "topk", {}, x, topk_options{.k = k, .dim = dim, .largest = largest}, at, 2);
    return {y, output_of(y, 1)};
  }
  /// torch.sort
  constexpr found sort(value x, int dim = -1, bool descending = false, source_line at = source_line::here()) {
    return topk(x, size(x, dim), dim, descending, at);
  }
  /// torch.argsort
  constexpr value argsort(value x, int dim = -1, bool descending = false, source_line at = source_line::here()) {
    return sort(x, dim, descending, at).indices;
  }
  /// torch.kthvalue: the k-th smallest of an axis, and where it is.
  constexpr found kthvalue(value x, int k, int dim = -1, bool keepdim = false, source_line at = source_line::here()) {
    const found least = topk(x, k, dim, false, at);
    const value last_one = narrow(least.values, dim, k - 1, 1, at), place = narrow(least.indices, dim, k - 1, 1, at);
    if (keepdim) return with_place(last_one, place);
    return with_place(squeeze(last_one, dim, at), squeeze(place, dim, at));
  }
  /// torch.median along an axis: of an even count the lower one.
  constexpr found median(value x, int dim = -1, bool keepdim = false, source_line at = source_line::here()) {
    return kthvalue(x, (size(x, dim) + 1) / 2, dim, keepdim, at);
  }
  /// torch.cumprod
  constexpr value cumprod(value x, int dim, source_line at = source_line::here()) {
    return call(ctnn::cumsum<"">::record, "cumprod", {}, x, cumsum_options{.dim = dim, .product = true}, at);
  }
  /// torch.diff: each element less the one before it, `n` times.
  constexpr value diff(value x, int n = 1, int dim = -1, source_line at = source_line::here()) {
    for (int i = 0; i < n; ++i) {
      const int left = size(x, dim) - 1;
      x = sub(narrow(x, dim, 1, left, at), narrow(x, dim, 0, left, at), {}, at);
    }
    return x;
  }
};

}  // namespace ctnn::detail
