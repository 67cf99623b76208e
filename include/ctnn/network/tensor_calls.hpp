// SPDX-License-Identifier: BSL-1.0
// PyTorch's functions of tensors, as networks' forward() call them, with its names and defaults: tensors that are made,
// elements by index or by a mask, products. Those before it: reduction_calls.hpp, shape_calls.hpp, number_calls.hpp.
#pragma once

#include "reduction_calls.hpp"

namespace ctnn::detail {

template <class = void>
class tensor_calls : public reduction_calls<> {
 protected:  // first: Clang makes no call of a template whose body it has not seen
  static constexpr dtype type_of(const constant_options& o, dtype instead) {
    return static_cast<dtype>(o.dtype.whole_or(static_cast<int>(instead)));
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
  constexpr value filled(const extents& shape, double number, dtype type, source_line at) {
    return as_type(full(shape, number, at), type, at);
  }
  constexpr value counted(std::string_view word, double start, double step, int count, dtype type, source_line at) {
    begin(ctnn::layer<op::arange, "">::record, word, {}, {}, at, 1);
    const number numbers[] = {exact{start}, exact{step}};
    setting first, by;
    first.append(numbers[0]);
    by.append(numbers[1]);
    say("start", first);
    say("step", by);
    say("count", setting(count));
    say("type", setting(type));
    return last();
  }
  constexpr value scattered(std::string_view word, op::scatter_reduction f, value x, int dim, value index, value src,
                            source_line at) {
    begin(ctnn::layer<op::scatter_elements, "">::record, word, {}, {x, index, src}, at, 1);
    say("axis", setting(dim));
    if (f != op::scatter_reduction::none) say("reduction", setting(f));
    return last();
  }

 public:
  // Tensors that are made; element types other than f32 are said, as in input(): {.dtype = nn::dtype::i64}.
  constexpr value zeros(const extents& size, const constant_options& o = {}, source_line at = source_line::here()) {
    return filled(size, 0, type_of(o, dtype::f32), at);
  }
  constexpr value ones(const extents& size, const constant_options& o = {}, source_line at = source_line::here()) {
    return filled(size, 1, type_of(o, dtype::f32), at);
  }
  constexpr value zeros_like(value x, source_line at = source_line::here()) { return full_like(x, 0, at); }
  constexpr value ones_like(value x, source_line at = source_line::here()) { return full_like(x, 1, at); }
  constexpr value full_like(value x, double fill_value, source_line at = source_line::here()) {
    return filled(shape(x), fill_value, described(x).type.type, at);
  }
  /// torch.arange: `bounds` are the end, {start, end} or {start, end, step}. Whole numbers are i64, others f32.
  constexpr value arange(const setting& bounds, const constant_options& o = {}, source_line at = source_line::here()) {
    const double start = bounds.size() > 1 ? bounds[0] : 0, end = bounds[bounds.size() > 1 ? 1 : 0];
    const double step = bounds.size() > 2 ? bounds[2] : 1;
    int count = 0;
    while (step > 0 ? start + count * step < end : start + count * step > end) ++count;
    bool whole = true;
    for (double d : {start, end, step}) whole = whole && d == static_cast<double>(static_cast<std::int64_t>(d));
    return counted("arange", start, step, count, type_of(o, whole ? dtype::i64 : dtype::f32), at);
  }
  /// torch.linspace: `steps` numbers, from the first to the last.
  constexpr value linspace(double start, double end, int steps, source_line at = source_line::here()) {
    return counted("linspace", start, steps > 1 ? (end - start) / (steps - 1) : 0, steps, dtype::f32, at);
  }
  /// torch.eye: n rows, and as many columns or `columns`.
  constexpr value eye(int n, int columns = 0, source_line at = source_line::here()) {
    begin(ctnn::layer<op::eye, "">::record, "eye", {}, {}, at, 1);
    say("shape", setting(extents{n, columns > 0 ? columns : n}));
    return last();
  }
  /// torch.nn.functional.one_hot: a new last axis, 1 at the index, as i64.
  constexpr value one_hot(value indices, int num_classes, source_line at = source_line::here()) {
    const value off_on = counted("arange", 0, 1, 2, dtype::i64, at);
    begin(ctnn::layer<op::one_hot, "">::record, "one_hot", {}, {indices, off_on}, at, 1);
    say("depth", setting(num_classes));
    return last();
  }

  // Elements by index, or by a mask
  /// torch.where: of a and b, values or numbers, by booleans.
  constexpr value where(value condition, const operand& a, const operand& b, source_line at = source_line::here()) {
    const operand& typed = a.is_number() ? b : a;
    const dtype type = typed.is_number() ? dtype::f32 : described(typed.of_graph()).type.type;
    const auto of = [&](const operand& o) {
      return o.is_number() ? as_type(full({1}, o.number(), at), type, at) : o.of_graph();
    };
    const value first = of(a), second = of(b);
    return call(ctnn::where<"">::record, "where", {}, {condition, first, second}, no_options{}, at);
  }
  /// torch.masked_fill: `fill_value` where the mask is true.
  constexpr value masked_fill(value x, value mask, double fill_value, source_line at = source_line::here()) {
    const value filling = of_type_of(x, fill_value, at);
    return call(ctnn::where<"">::record, "masked_fill", {}, {mask, filling, x}, no_options{}, at);
  }
  /// torch.gather: for each element of `index`, which has x's axes, the one at that place along `dim`.
  constexpr value gather(value x, int dim, value index, source_line at = source_line::here()) {
    begin(ctnn::layer<op::gather_elements, "">::record, "gather", {}, {x, index}, at, 1);
    say("axis", setting(dim));
    return last();
  }
  /// torch.index_select: slices of an axis by a list of integers, or by a table of any shape.
  constexpr value index_select(value x, int dim, value index, source_line at = source_line::here()) {
    begin(ctnn::layer<op::gather, "">::record, "index_select", {}, {x, index}, at, 1);
    if (dim != 0) say("axis", setting(dim));
    return last();
  }
  /// torch.take: elements as if x were a vector.
  constexpr value take(value x, value index, source_line at = source_line::here()) {
    return index_select(in_shape("flatten", x, {-1}, at), 0, index, at);
  }
  /// torch.scatter: x with the elements of `src` at the places that `index` says along `dim`.
  constexpr value scatter(value x, int dim, value index, value src, source_line at = source_line::here()) {
    return scattered("scatter", op::scatter_reduction::none, x, dim, index, src, at);
  }
  constexpr value scatter_add(value x, int dim, value index, value src, source_line at = source_line::here()) {
    return scattered("scatter_add", op::scatter_reduction::add, x, dim, index, src, at);
  }

  // Products
  /// torch.mm, torch.bmm, torch.mv and torch.dot are matmul. torch.addmm: beta x + alpha (a @ b); baddbmm is it, too.
  constexpr value addmm(value x, value a, value b, double beta = 1, double alpha = 1,
                        source_line at = source_line::here()) {
    return add(times(x, beta, at), times(matmul(a, b, {}, at), alpha, at), {}, at);
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
  /// torch.linalg.det of the last two axes.
  constexpr value det(value x, source_line at = source_line::here()) { return of_operator<op::det>("det", x, at); }
  /// torch.cdist: the distances of order `p` of the rows of a from those of b.
  constexpr value cdist(value a, value b, double p = 2, source_line at = source_line::here()) {
    return norm(sub(unsqueeze(a, -2, at), unsqueeze(b, -3, at), {}, at), p, -1, false, at);
  }
};

}  // namespace ctnn::detail
