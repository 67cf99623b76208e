// SPDX-License-Identifier: BSL-1.0
// PyTorch's functions of tensors, as networks' forward() call them, with its names and defaults.
#pragma once

#include <array>

#include "word_calls.hpp"

namespace ctnn::detail {

template <class = void>
class tensor_calls : public word_calls<> {
 public:
  // Functions of each number
#define CTNN_CALL(name_)                                                 \
  constexpr value name_(value x, source_line at = source_line::here()) { \
    return function_of(#name_, x, ir::function::name_, {}, at);          \
  }
  CTNN_CALL(exp)
  CTNN_CALL(expm1) CTNN_CALL(log) CTNN_CALL(log1p) CTNN_CALL(log10) CTNN_CALL(sqrt) CTNN_CALL(rsqrt) CTNN_CALL(square)
      CTNN_CALL(reciprocal) CTNN_CALL(abs) CTNN_CALL(neg) CTNN_CALL(sign) CTNN_CALL(floor) CTNN_CALL(ceil)
          CTNN_CALL(round) CTNN_CALL(trunc) CTNN_CALL(sin) CTNN_CALL(cos) CTNN_CALL(tan) CTNN_CALL(asin) CTNN_CALL(acos)
              CTNN_CALL(atan) CTNN_CALL(sinh) CTNN_CALL(cosh) CTNN_CALL(tanh) CTNN_CALL(asinh) CTNN_CALL(acosh)
                  CTNN_CALL(atanh) CTNN_CALL(erf)
#undef CTNN_CALL
      /// torch.clamp
      constexpr value clamp(value x, double min, double max, source_line at = source_line::here()) {
    return function_of("clamp", x, ir::function::clip, {min, max}, at);
  }

  // Of two values, or a value and a number
  constexpr value add(value x, double scalar, source_line at = source_line::here()) {
    return by_number("add", op::binary_function::add, x, scalar, at);
  }
  constexpr value sub(value x, double scalar, source_line at = source_line::here()) {
    return by_number("sub", op::binary_function::sub, x, scalar, at);
  }
  constexpr value mul(value x, double scalar, source_line at = source_line::here()) {
    return by_number("mul", op::binary_function::mul, x, scalar, at);
  }
  constexpr value div(value x, double scalar, source_line at = source_line::here()) {
    return by_number("div", op::binary_function::div, x, scalar, at);
  }
  constexpr value div(value a, value b, source_line at = source_line::here()) {
    return call(ctnn::divide<"">::record, "div", {}, {a, b}, no_options{}, at);
  }
  constexpr value pow(value x, double exponent, source_line at = source_line::here()) {
    return by_number("pow", op::binary_function::pow, x, exponent, at);
  }
  constexpr value pow(value a, value b, source_line at = source_line::here()) {
    return call(ctnn::power<"">::record, "pow", {}, {a, b}, no_options{}, at);
  }
  /// torch.rsub: scalar - x.
  constexpr value rsub(value x, double scalar, source_line at = source_line::here()) {
    return by_number("rsub", op::binary_function::rsub, x, scalar, at);
  }
  /// scalar / x
  constexpr value rdiv(value x, double scalar, source_line at = source_line::here()) {
    return by_number("rdiv", op::binary_function::rdiv, x, scalar, at);
  }
  constexpr value maximum(value x, double scalar, source_line at = source_line::here()) {
    return by_number("maximum", op::binary_function::maximum, x, scalar, at);
  }
  constexpr value minimum(value x, double scalar, source_line at = source_line::here()) {
    return by_number("minimum", op::binary_function::minimum, x, scalar, at);
  }
  using word_calls<>::add, word_calls<>::sub, word_calls<>::mul, word_calls<>::maximum, word_calls<>::minimum;

  // Shapes
  /// torch.reshape: -1, once, is what is left over.
  constexpr value reshape(value x, const extents& shape, source_line at = source_line::here()) {
    return with_list(ctnn::reshape<"">::record, "reshape", x, "shape", setting(shape), at);
  }
  /// Tensor.view
  constexpr value view(value x, const extents& shape, source_line at = source_line::here()) {
    return with_list(ctnn::reshape<"">::record, "view", x, "shape", setting(shape), at);
  }
  /// torch.unflatten: axis `dim` becomes `sizes`.
  constexpr value unflatten(value x, int dim, const extents& sizes, source_line at = source_line::here()) {
    const value y = with_list(ctnn::unflatten<"">::record, "unflatten", x, "shape", setting(sizes), at);
    say("axis", setting(dim));
    return y;
  }
  /// torch.permute: axis i of the result is axis dims[i] of x, which may be counted from the end.
  constexpr value permute(value x, const extents& dims, source_line at = source_line::here()) {
    extents order = dims;
    for (int i = 0; i < order.rank; ++i) order[i] = normal_axis(order[i], order.rank);
    return with_list(ctnn::permute<"">::record, "permute", x, "order", setting(order), at);
  }
  /// torch.transpose: two axes change places.
  constexpr value transpose(value x, int dim0, int dim1, source_line at = source_line::here()) {
    const int rank = shape(x).rank, a = normal_axis(dim0, rank), b = normal_axis(dim1, rank);
    extents order;
    for (int i = 0; i < rank; ++i) order.push_back(i == a ? b : i == b ? a : i);
    return with_list(ctnn::permute<"">::record, "transpose", x, "order", setting(order), at);
  }
  /// torch.unsqueeze: an axis of 1 at `dim`.
  constexpr value unsqueeze(value x, int dim, source_line at = source_line::here()) {
    const extents s = shape(x);
    return with_list(ctnn::reshape<"">::record, "unsqueeze", x, "shape",
                     setting(s.with_axis(normal_axis(dim, s.rank + 1), 1)), at);
  }
  /// torch.squeeze: without the axis `dim` if it is 1.
  constexpr value squeeze(value x, int dim, source_line at = source_line::here()) {
    const extents s = shape(x);
    const int axis = normal_axis(dim, s.rank);
    return with_list(ctnn::reshape<"">::record, "squeeze", x, "shape",
                     setting(s[axis] == 1 && s.rank > 1 ? s.without_axis(axis) : s), at);
  }
  /// torch.Tensor.expand: -1 keeps an extent.
  constexpr value expand(value x, extents sizes, source_line at = source_line::here()) {
    const extents s = shape(x);
    for (int i = 0; i < sizes.rank; ++i)
      if (const int own = i - (sizes.rank - s.rank); sizes[i] == -1 && own >= 0) sizes[i] = s[own];
    return with_list(ctnn::expand<"">::record, "expand", x, "shape", setting(sizes), at);
  }
  /// torch.Tensor.repeat, torch.tile
  constexpr value repeat(value x, const extents& sizes, source_line at = source_line::here()) {
    const extents s = shape(x);
    if (sizes.rank > s.rank) {
      extents longer;
      for (int i = s.rank; i < sizes.rank; ++i) longer.push_back(1);
      longer.append(s);
      x = reshape(x, longer, at);
    }
    return with_list(ctnn::tile<"">::record, "repeat", x, "repeats", setting(sizes), at);
  }
  /// torch.cat
  constexpr value cat(values in, const axis_options& o = {}, source_line at = source_line::here()) {
    return call(ctnn::concat<"">::record, "cat", {}, in, o, at);
  }
  /// torch.stack: along a new axis `dim`.
  constexpr value stack(values in, int dim = 0, source_line at = source_line::here()) {
    value_list rows;
    for (const value& v : in) rows.push_back(unsqueeze(v, dim, at));
    const int rank = in.size() > 0 ? shape(in[0]).rank : 0;
    return call(ctnn::concat<"">::record, "stack", {}, rows, axis_options{.dim = normal_axis(dim, rank + 1)}, at);
  }
  /// torch.split into parts of these sizes.
  constexpr value_list split(value x, const long_setting& sizes, int dim = 0, source_line at = source_line::here()) {
    return parts("split", x, sizes, dim, at);
  }
  template <std::size_t Parts>
  constexpr std::array<value, Parts> split(value x, const long_setting& sizes, int dim = 0,
                                           source_line at = source_line::here()) {
    return first_of<Parts>(parts("split", x, sizes, dim, at));
  }
  /// torch.chunk: equal parts, of which the last may be smaller. auto [q, k, v] = m.chunk<3>(x, -1)
  constexpr value_list chunk(value x, int chunks, int dim = 0, source_line at = source_line::here()) {
    return parts("chunk", x, equal_parts(chunks), dim, at);
  }
  template <std::size_t Chunks>
  constexpr std::array<value, Chunks> chunk(value x, int dim = 0, source_line at = source_line::here()) {
    return first_of<Chunks>(parts("chunk", x, equal_parts(static_cast<int>(Chunks)), dim, at));
  }
  /// torch.unbind: the slices along an axis, without it.
  constexpr value_list unbind(value x, int dim = 0, source_line at = source_line::here()) {
    value_list all;
    const int n = size(x, dim);
    if (n < 2) {
      all.push_back(squeeze(x, dim, at));
      return all;
    }
    for (const value& part : parts("unbind", x, equal_parts(n), dim, at)) {
      all.push_back(squeeze(part, dim, at));
      allow_unread(all[all.size() - 1]);
    }
    return all;
  }
  /// torch.select: one index of an axis, without the axis.
  constexpr value select(value x, int dim, int index, source_line at = source_line::here()) {
    const int n = size(x, dim), first = index < 0 ? index + n : index;
    return squeeze(narrow(x, dim, first, 1, at), dim, at);
  }
  /// torch.narrow: `length` elements of an axis from `start` on.
  constexpr value narrow(value x, int dim, int start, int length, source_line at = source_line::here()) {
    return call(ctnn::slice<"">::record, "narrow", {}, x,
                slice_options{.dim = dim, .start = start, .end = start + length, .step = 1}, at);
  }
  /// torch.flip along one axis.
  constexpr value flip(value x, int dim, source_line at = source_line::here()) {
    return call(ctnn::slice<"">::record, "flip", {}, x,
                slice_options{.dim = dim, .start = -1, .end = -2147483647, .step = -1}, at);
  }
  /// torch.roll along one axis: what leaves at the end comes in at the beginning.
  constexpr value roll(value x, int shift, int dim, source_line at = source_line::here()) {
    const int n = size(x, dim), first = n > 0 ? ((shift % n) + n) % n : 0;
    if (first == 0) return identity(x, {}, at);
    const value end = narrow(x, dim, n - first, first, at), begin = narrow(x, dim, 0, n - first, at);
    return call(ctnn::concat<"">::record, "roll", {}, {end, begin}, axis_options{.dim = dim}, at);
  }

  // Over axes; without `dim` all of them.
#define CTNN_CALL(name_, function_)                                             \
  constexpr value name_(value x, const setting& dim = {}, bool keepdim = false, \
                        source_line at = source_line::here()) {                 \
    return over(#name_, op::reduction::function_, x, dim, keepdim, at);         \
  }
  CTNN_CALL(sum, sum)
  CTNN_CALL(mean, mean) CTNN_CALL(amax, max) CTNN_CALL(amin, min) CTNN_CALL(prod, prod)
      CTNN_CALL(logsumexp, log_sum_exp)
#undef CTNN_CALL
      /// torch.linalg.vector_norm, of order 1 or 2.
      constexpr value
      norm(value x, int p = 2, const setting& dim = {}, bool keepdim = false, source_line at = source_line::here()) {
    return over("norm", p == 1 ? op::reduction::l1 : op::reduction::l2, x, dim, keepdim, at);
  }
  /// torch.var: squares of distances from the mean, their sum by the count less `correction`.
  constexpr value var(value x, const setting& dim = {}, bool keepdim = false, int correction = 1,
                      source_line at = source_line::here()) {
    const value centred = sub(x, mean(x, dim, true, at), {}, at);
    const extents s = shape(x);
    std::int64_t count = dim.is_set() ? 1 : s.count();
    for (double d : dim) count *= s[normal_axis(static_cast<int>(d), s.rank)];
    const std::int64_t by = count - correction;
    return div(sum(square(centred, at), dim, keepdim, at), static_cast<double>(by), at);
  }
  /// torch.std
  constexpr value std_(value x, const setting& dim = {}, bool keepdim = false, int correction = 1,
                       source_line at = source_line::here()) {
    return sqrt(var(x, dim, keepdim, correction, at), at);
  }
  /// torch.argmax along an axis.
  constexpr value argmax(value x, int dim, bool keepdim = false, source_line at = source_line::here()) {
    return call(ctnn::arg_max<"">::record, "argmax", {}, x, arg_options{.dim = dim, .keepdim = keepdim}, at);
  }
  constexpr value argmin(value x, int dim, bool keepdim = false, source_line at = source_line::here()) {
    return call(ctnn::arg_min<"">::record, "argmin", {}, x, arg_options{.dim = dim, .keepdim = keepdim}, at);
  }
  struct found {
    value values, indices;
  };
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

  /// torch.masked_fill: `fill_value` where the mask is true.
  constexpr value masked_fill(value x, value mask, double fill_value, source_line at = source_line::here()) {
    const value filling = full({1}, fill_value, at);
    return call(ctnn::where<"">::record, "masked_fill", {}, {mask, filling, x}, no_options{}, at);
  }
  /// torch.outer of two vectors.
  constexpr value outer(value a, value b, source_line at = source_line::here()) {
    return mul(unsqueeze(a, 1, at), unsqueeze(b, 0, at), {}, at);
  }
  /// torch.einsum: einsum("bij,bjk->bik", {a, b}).
  constexpr value einsum(std::string_view equation, values in, source_line at = source_line::here()) {
    begin(ctnn::layer<op::einsum, "">::record, "einsum", {}, in, at, 1);
    long_setting letters = einsum_letters(equation);
    say("equation", letters);
    return last();
  }

 protected:
  constexpr value function_of(std::string_view word, value x, ir::function f, std::initializer_list<number> parameters,
                              source_line at) {
    begin(ctnn::layer<op::activation, "">::record, word, {}, x, at, 1);
    setting numbers(f);
    for (const number& p : parameters) numbers.append(p);
    say("activation", numbers);
    return last();
  }
  constexpr value by_number(std::string_view word, op::binary_function f, value x, double scalar, source_line at) {
    begin(ctnn::layer<op::binary, "">::record, word, {}, x, at, 1);
    if (f != op::binary_function::add) say("function", setting(f));
    say("scalar", setting(scalar));
    return last();
  }
  constexpr value with_list(const layer_record& word, std::string_view called_after, value x, std::string_view key,
                            const setting& list, source_line at) {
    begin(word, called_after, {}, x, at, 1);
    say(key, list);
    return last();
  }
  constexpr value over(std::string_view word, op::reduction f, value x, const setting& dim, bool keepdim,
                       source_line at) {
    begin(ctnn::layer<op::reduce, "">::record, word, {}, x, at, 1);
    if (f != op::reduction::sum) say("function", setting(f));
    say("axes", dim);
    if (!keepdim) say("keep", setting(false));
    return last();
  }
  constexpr value_list parts(std::string_view word, value x, const long_setting& sizes, int dim, source_line at) {
    begin(ctnn::split<"">::record, word, {}, x, at, static_cast<int>(sizes.size()));
    say("sizes", sizes);
    if (dim != 0) say("axis", setting(dim));
    value_list all;
    for (int k = 0; k < static_cast<int>(sizes.size()); ++k) all.push_back(output_of(last(), k));
    return all;
  }
  static constexpr long_setting equal_parts(int n) {
    const number each[] = {-1};
    long_setting sizes;
    for (int i = 0; i < n; ++i) sizes.append(each[0]);
    return sizes;
  }
  template <std::size_t N>
  static constexpr std::array<value, N> first_of(const value_list& list) {
    std::array<value, N> all{};
    for (std::size_t i = 0; i < N && i < list.size(); ++i) all[i] = list[i];
    return all;
  }
  /// As the operator's field has an equation: without blanks, "..." as one point.
  static constexpr long_setting einsum_letters(std::string_view equation) {
    long_setting letters;
    for (std::size_t i = 0; i < equation.size(); ++i) {
      if (equation[i] == ' ') continue;
      if (equation.substr(i, 3) == "...") i += 2;
      letters.append(static_cast<int>(equation[i]));
    }
    return letters;
  }
};

}  // namespace ctnn::detail
