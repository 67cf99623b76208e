// SPDX-License-Identifier: BSL-1.0
// Convolutions, products with weights, pooling, normalisation: ctnn's own operators where they say the same, so that
// the rules and the vector kernels apply, and the general ones otherwise.
#pragma once

#include <algorithm>

#include "math.hpp"

namespace ctnn::onnx::readers {

/// kernel_shape, strides, dilations, pads and auto_pad, every list as long as there are spatial axes.
struct window_attributes {
  integers kernel, stride, dilation, pads;
  same_padding same = same_padding::none;
};

inline window_attributes read_window(node_reader& n, int axes) {
  window_attributes w{n.list_of("kernel_shape"), n.list_of("strides"), n.list_of("dilations"), n.list_of("pads"),
                      same_padding::none};
  const auto size = static_cast<std::size_t>(axes);
  const auto check = [&](integers& list, const char* what, std::size_t count, std::int64_t otherwise,
                         std::int64_t least) {
    if (list.empty()) list.assign(count, otherwise);
    if (list.size() != count)
      n.fail(std::string(what) + " has " + std::to_string(list.size()) + " numbers, expected " + std::to_string(count));
    for (std::int64_t v : list)
      if (v < least || v > most_of_window)
        n.fail(std::string(what) + " has " + std::to_string(v) + ", which is out of range");
  };
  if (!w.kernel.empty()) check(w.kernel, "kernel_shape", size, 1, 1);
  check(w.stride, "strides", size, 1, 1);
  check(w.dilation, "dilations", size, 1, 1);
  const std::string how = n.text("auto_pad", "NOTSET");
  if (how == "SAME_UPPER") w.same = same_padding::upper;
  else if (how == "SAME_LOWER") w.same = same_padding::lower;
  else if (how == "VALID") w.pads.clear();
  else if (how != "NOTSET" && !how.empty())
    n.fail("auto_pad is '" + how + "', expected NOTSET, SAME_UPPER, SAME_LOWER or VALID");
  if (w.same != same_padding::none) w.pads.clear();
  check(w.pads, "pads", 2 * size, 0, 0);
  return w;
}

using ir::as_list;
inline list<int> as_list(const integers& from) {
  list<int> out;
  for (std::int64_t v : from) out.push_back(static_cast<int>(v));
  return out;
}
inline by_axis as_numbers(const integers& from) {
  by_axis out;
  for (std::int64_t v : from) out.push_back(static_cast<int>(v));
  return out;
}
inline void set_sliding(op::sliding& s, const window_attributes& w) {
  s.stride = as_list(w.stride);
  s.dilation = as_list(w.dilation);
  const auto axes = static_cast<std::ptrdiff_t>(w.stride.size());
  s.before = as_list({w.pads.begin(), w.pads.begin() + axes});
  s.after = as_list({w.pads.begin() + axes, w.pads.end()});
  s.same = w.same;
}

/// Copies what the file says of windows into a convolution over `Axes` axes and checks the weight's rank and kernel.
template <int Axes>
void set_windows(node_reader& n, op::convolution_windows<Axes>& op, const window_attributes& a, const extents& weight) {
  for (std::size_t i = 0; i < static_cast<std::size_t>(Axes); ++i) {
    const int k = weight[static_cast<int>(i) + 2];
    if (!a.kernel.empty() && a.kernel[i] != k) n.fail("kernel_shape differs from the weight of " + describe(weight));
    op.kernel[i] = k;
    op.stride[i] = static_cast<int>(a.stride[i]);
    op.dilation[i] = static_cast<int>(a.dilation[i]);
  }
  for (std::size_t i = 0; i < op.pad.size(); ++i) op.pad[i] = static_cast<int>(a.pads[i]);
  op.groups = n.small("group", 1);
  op.bias = n.has(2);
  op.given = op.bias ? 3 : 1;
}

/// What the file says of a convolution whose weight has this shape.
template <int Axes>
void set_convolution(node_reader& n, op::conv<Axes>& op, const extents& weight) {
  const window_attributes a = read_window(n, Axes);
  op.out = weight[0];
  set_windows(n, op, a, weight);
  op.same = a.same;
}

inline std::vector<term> inputs_that_are_there(node_reader& n) {
  std::vector<term> in;
  for (std::size_t i = 0; i < n.input_count(); ++i)
    if (n.has(i)) in.push_back(n.input(i));
  return in;
}

/// Calls read(op), the op for as many axes as the input has.
template <template <int> class Op>
void for_axes(node_reader& n, const extents& x, const extents& w, auto&& read) {
  if (x.rank < 3) n.fail("input is " + describe(x) + ", expected at least 3 dimensions");
  if (w.rank != x.rank) n.fail("weight is " + describe(w) + " for an input of " + describe(x));
  if (x.rank == 3) return read(Op<1>{});
  if (x.rank == 4) return read(Op<2>{});
  if (x.rank == 5) return read(Op<3>{});
  node_reader::refuse("windows over " + std::to_string(x.rank - 2) + " axes");
}
/// The same for input 0 and a weight that is another input: weights are inputs, whatever they are.
template <template <int> class Op>
void for_axes(node_reader& n, std::size_t weight, auto&& read) {
  for_axes<Op>(n, extents(n.shape(n.input(0))), extents(n.shape(n.input(weight))), read);
}

/// x by the weight and the bias that the node has.
inline term convolved(node_reader& n, term x) {
  std::vector<term> in{x, n.input(1)};
  if (n.has(2)) in.push_back(n.input(2));
  term y = none;
  const extents weight = n.shape(in[1]);
  for_axes<op::conv>(n, extents(n.shape(x)), weight, [&]<int Axes>(op::conv<Axes> op) {
    set_convolution(n, op, weight);
    y = n.add(op, in);
  });
  return y;
}
inline void conv(node_reader& n) {
  n.expect(2, 3);
  n.result(convolved(n, n.input(0)));
}

inline void conv_transpose(node_reader& n) {
  n.expect(2, 3);
  for_axes<op::conv_transpose>(n, 1, [&]<int Axes>(op::conv_transpose<Axes> op) {
    const window_attributes a = read_window(n, Axes);
    const extents x = n.shape(n.input(0)), w = n.shape(n.input(1));
    set_windows(n, op, a, w);
    op.out = n.to_int(std::int64_t{w[1]} * op.groups, "group");
    integers more = n.list_of("output_padding"), size = n.list_of("output_shape");
    constexpr auto axes = static_cast<std::size_t>(Axes);
    for (std::size_t i = 0; i < more.size(); ++i)
      if (more[i] < 0 || i >= axes || more[i] >= std::max(a.stride[i], a.dilation[i]))
        n.fail("output_padding has " + std::to_string(more[i]) + ", which is out of range");
    for (std::int64_t v : size)
      if (v < 1 || v > 1 << 28) n.fail("output_shape has " + std::to_string(v));
    if (size.size() == axes + 2) size.erase(size.begin(), size.begin() + 2);
    if (!size.empty() && size.size() != axes)
      n.fail("output_shape has " + std::to_string(size.size()) + " numbers, expected " + std::to_string(Axes));
    for (std::size_t i = 0; i < more.size(); ++i) op.output_padding[i] = static_cast<int>(more[i]);
    // An output's size asked for, or SAME, is padding: what is too much is cut off, what lacks is added on the far
    // side.
    for (std::size_t i = 0; i < axes && (!size.empty() || a.same != same_padding::none); ++i) {
      op.pad[i] = op.pad[i + axes] = 0;
      const int extent = x[static_cast<int>(i) + 2];
      const std::int64_t full = op.extent(i, extent),
                         wanted = size.empty() ? std::int64_t{extent} * a.stride[i] : size[i];
      const std::int64_t total = std::max<std::int64_t>(full - wanted, 0);
      op.pad[i] = n.to_int(a.same == same_padding::upper ? total / 2 : total - total / 2, "pads");
      op.pad[i + axes] = n.to_int(total - op.pad[i], "pads");
      op.output_padding[i] += n.to_int(std::max<std::int64_t>(wanted - full, 0), "output_shape");
    }
    n.result(n.add(op, inputs_that_are_there(n)));
  });
}

/// MaxPool, AveragePool and LpPool.
template <op::pooling f>
void pool(node_reader& n) {
  n.expect(1, 1);
  const term x = n.input();
  const int axes = n.rank(x) - 2;
  if (axes < 1) n.fail("input is " + describe(n.shape(x)) + ", expected at least 3 dimensions");
  const window_attributes a = read_window(n, axes);
  if (a.kernel.empty()) n.fail("attribute 'kernel_shape' is missing");
  op::pool op;
  op.function = f;
  op.axes = axes;
  op.kernel = as_numbers(a.kernel);
  op.stride = as_numbers(a.stride);
  op.dilation = as_numbers(a.dilation);
  op.pad = as_numbers(a.pads);
  op.same = a.same;
  op.ceil = n.flag("ceil_mode", false);
  op.count_include_pad = f == op::pooling::average && n.flag("count_include_pad", false);
  op.column_major = f == op::pooling::max && n.flag("storage_order", false);
  if (f == op::pooling::lp) {
    if (n.version < 2) op.p = saturated<int>(n.real("p", 2));
    else op.p = n.small("p", 2);
  }
  op.indices = n.wants(1);
  for (std::size_t i = 0; i < a.kernel.size(); ++i)
    if (a.same == same_padding::none)
      for (std::size_t side : {i, i + a.kernel.size()})
        if (a.pads[side] >= a.kernel[i] * a.dilation[i] + (f == op::pooling::max ? 0 : 1) && a.pads[side] > 0)
          n.fail("pads has " + std::to_string(a.pads[side]) + ", not below the kernel");
  const std::vector<term> out = n.nodes(op, {x});
  n.result(0, out[0]);
  if (op.indices) n.result(1, out[1]);
}

template <op::pooling f>
void global_pool(node_reader& n) {
  n.expect(1, 1);
  const term x = n.input();
  if (n.rank(x) < 2) n.fail("input is " + describe(n.shape(x)) + ", expected at least 2 dimensions");
  n.result(n.rank(x) == 2 ? x : n.add(op::adaptive_pool{f, {1}, false, n.rank(x) - 2}, {x}));
}
inline void global_lp_pool(node_reader& n) {
  n.expect(1, 1);
  const std::int64_t p = n.version < 2 ? saturated<std::int64_t>(n.real("p", 2)) : n.integer("p", 2);
  if (p != 1 && p != 2) node_reader::refuse("attribute 'p' (" + std::to_string(p) + ")");
  op::reduce op{p == 1 ? op::reduction::l1 : op::reduction::l2};
  for (int i = 2; i < n.rank(n.input()); ++i) op.axes.push_back(i);
  n.result(n.add(op, {n.input()}));
}
/// What a padding makes; one that leaves nothing is no node.
inline term padded(node_reader& n, const op::pad& p, const std::vector<term>& in) {
  extents y = n.shape(in[0]);
  bool empty = false;
  for (int i = 0; i < y.rank; ++i) {
    const auto k = static_cast<std::size_t>(i);
    const std::int64_t size = std::int64_t{y[i]} + p.before[k] + p.after[k];
    if (size < 0 || size > 2147483647) return n.add(p, in);  // refused there
    y[i] = static_cast<int>(size);
    empty = empty || size == 0;
  }
  return empty ? n.constant(n.allocate(y, n.type(in[0]))) : n.add(p, in);
}

inline void max_unpool(node_reader& n) {
  n.expect(2, 3);
  const term x = n.input(0);
  const int axes = n.rank(x) - 2;
  if (axes < 1) n.fail("input is " + describe(n.shape(x)) + ", expected at least 3 dimensions");
  const window_attributes a = read_window(n, axes);
  if (a.kernel.empty()) n.fail("attribute 'kernel_shape' is missing");
  // Positions count through the extents that follow from the window; a larger output has zeros behind them.
  op::max_unpool op;
  for (std::size_t i = 0; i < a.kernel.size(); ++i)
    op.size.push_back(n.to_int(
        (n.shape(x)[static_cast<int>(i) + 2] - 1) * a.stride[i] + a.kernel[i] - a.pads[i] - a.pads[i + a.kernel.size()],
        "output_shape"));
  const term y = n.add(op, {x, n.input(1)});
  if (!n.has(2)) return n.result(y);
  const integers wanted = n.whole(2);
  if (static_cast<int>(wanted.size()) != n.rank(x))
    n.fail("output_shape has " + std::to_string(wanted.size()) + " numbers");
  op::pad rest;
  for (int i = 0; i < n.rank(x); ++i) {
    rest.before.push_back(0);
    rest.after.push_back(n.to_int(wanted[static_cast<std::size_t>(i)] - n.shape(y)[i], "output_shape"));
  }
  n.result(padded(n, rest, {y}));
}

/// alpha A B + beta C: a product and a sum; what becomes of them where B or C are constants, rules decide.
inline term product_and_sum(node_reader& n) {
  n.expect(2, 3);
  const float alpha = n.real("alpha", 1), beta = n.real("beta", 1);
  n.ignore("broadcast");
  for (std::size_t i = 0; i < 2; ++i)
    if (n.rank(n.input(i)) != 2)
      n.fail("input " + std::to_string(i) + " is " + describe(n.shape(n.input(i))) + ", expected a matrix");
  const bool real = is_floating(n.type(n.input(0)));
  if (!real && (alpha != std::floor(alpha) || beta != std::floor(beta))) node_reader::refuse("fractions of integers");
  const auto times = [&](term t, float factor) {
    return factor == 1 ? t : n.add(op::binary{op::binary_function::mul, factor}, {t});
  };
  op::matmul product{n.flag("transA", false), n.flag("transB", false)};
  if (real) product.scale = alpha;
  term y = n.add(product, {n.input(0), n.input(1)});
  if (!real) y = times(y, alpha);
  if (!n.has(2) || beta == 0) return y;
  const extents both[] = {n.shape(y), n.shape(n.input(2))};
  extents sum;
  if (broadcast_shapes(both, sum) || !(sum == both[0]))
    n.fail("third input is " + describe(both[1]) + ", expected what broadcasts to " + describe(both[0]));
  return n.add(op::binary{}, {y, times(n.input(2), beta)});
}
inline void gemm(node_reader& n) { n.result(product_and_sum(n)); }

inline void matmul(node_reader& n) {
  n.expect(2, 2);
  n.result(n.add(op::matmul{}, {n.input(0), n.input(1)}));
}

inline void einsum(node_reader& n) {
  if (n.input_count() < 1) n.fail("has no inputs");
  const std::string equation = n.text("equation", "");
  if (equation.size() > max_list)
    node_reader::refuse("attribute 'equation' of " + std::to_string(equation.size()) + " characters");
  n.result(n.add(op::einsum::of(equation), n.all_inputs()));
}

inline void batch_norm(node_reader& n) {
  n.expect(5, 5);
  n.ignore("momentum");
  n.ignore("consumed_inputs");
  const float eps = n.real("epsilon", 1e-5f);
  if (n.version < 7) n.ignore("is_test");
  if (n.version < 9 && !n.flag("spatial", true)) node_reader::refuse("attribute 'spatial' (0)");
  if (n.version >= 14 && n.flag("training_mode", false)) node_reader::refuse("attribute 'training_mode' (1)");
  std::vector<term> in = n.all_inputs();
  const extents s = n.shape(in[0]);
  if (s.rank < 2) n.fail("input is " + describe(s) + ", expected at least 2 dimensions");
  // Mean and variance may have more digits than x; then all are computed in theirs.
  const dtype type = n.type(in[0]);
  dtype wide = type;
  for (std::size_t i = 1; i < 5; ++i) {
    if (!(n.shape(in[i]) == extents{s[1]}))
      n.fail("input " + std::to_string(i) + " is " + describe(n.shape(in[i])) + ", expected " + std::to_string(s[1]));
    if (n.type(in[i]) != wide) wide = n.type(in[i]) == dtype::f64 || wide == dtype::f64 ? dtype::f64 : dtype::f32;
  }
  for (term& t : in) t = n.cast(t, wide);
  op::batch_norm op{eps, spelled_axis(s, 1)};
  op.given = 15;
  n.result(n.cast(n.add(op, in), type));
}

inline void instance_norm(node_reader& n) {
  n.expect(3, 3);
  n.ignore("consumed_inputs");
  const term x = n.input(0);
  if (n.rank(x) < 2) n.fail("input is " + describe(n.shape(x)) + ", expected at least 2 dimensions");
  n.result(n.add(op::group_norm{n.shape(x)[1], n.real("epsilon", 1e-5f), spelled_axis(n.shape(x), 1)}, n.all_inputs()));
}
inline void group_norm(node_reader& n) {
  n.expect(3, 3);
  n.ignore("stash_type");
  const extents x = n.shape(n.input(0));
  n.result(
      n.add(op::group_norm{n.small("num_groups", 0), n.real("epsilon", 1e-5f), spelled_axis(x, 1)}, n.all_inputs()));
}
inline void layer_norm(node_reader& n) {
  n.expect(2, 3);
  n.ignore("stash_type");
  n.ignore("epsion");  // as some exporters misspell it; runtimes take the default then
  op::layer_norm op{n.small("axis", -1), n.real("epsilon", 1e-5f), n.wants(1) || n.wants(2)};
  std::vector<term> in{n.input(0), n.input(1)};
  if (n.has(2)) in.push_back(n.input(2));
  const std::vector<term> out = n.nodes(op, in);
  for (std::size_t i = 0; i < out.size(); ++i) n.result(i, out[i]);
}
inline void rms_norm(node_reader& n) {
  n.expect(2, 2);
  if (n.wants(1)) node_reader::refuse("output 'inv_std_var'");
  n.ignore("stash_type");
  n.result(n.add(op::rms_norm{n.small("axis", -1), n.real("epsilon", 1e-5f)}, n.all_inputs()));
}
inline void lp_norm(node_reader& n) {
  n.expect(1, 1);
  n.result(n.add(op::lp_normalize{n.small("axis", -1), n.small("p", 2)}, {n.input()}));
}
inline void mean_variance_norm(node_reader& n) {
  n.expect(1, 1);
  integers axes = n.list_of("axes");
  if (axes.empty()) axes = {0, 2, 3};
  n.result(n.add(op::mean_variance_normalize{n.axes(axes, n.rank(n.input()))}, {n.input()}));
}
inline void lrn(node_reader& n) {
  n.expect(1, 1);
  const op::local_response_norm op{n.small("size", 0), n.real("alpha", 1e-4f), n.real("beta", 0.75f),
                                   n.real("bias", 1)};
  const term x = n.input();
  const extents s = n.shape(x);
  if (s.rank == 4) return n.result(n.add(op, {x}));
  if (s.rank < 2) n.fail("input is " + describe(s) + ", expected at least 2 dimensions");
  n.result(n.reshaped(n.add(op, {n.reshaped(x, {s[0], s[1], 1, static_cast<int>(s.count(2, s.rank))})}), s));
}

/// Before opset 13 the axes from `axis` on count as one.
template <class Op>
void softmax(node_reader& n) {
  n.expect(1, 1);
  const term x = n.input();
  const extents s = n.shape(x);
  const int axis = n.axis(n.integer("axis", n.version < 13 ? 1 : -1), std::max(s.rank, 1));
  if (n.version >= 13 || s.count(axis + 1, s.rank) == 1) return n.result(n.add(Op{axis}, {x}));
  const term flat = n.reshaped(x, {static_cast<int>(s.count(0, axis)), static_cast<int>(s.count(axis, s.rank))});
  n.result(n.reshaped(n.add(Op{1}, {flat}), s));
}

inline void dropout(node_reader& n) {
  n.expect(1, 3);
  for (const char* key : {"ratio", "seed", "is_test", "consumed_inputs"}) n.ignore(key);
  if (n.has(2) && n.scalar(2) != 0) node_reader::refuse("input 'training_mode' (true)");
  const term x = n.input();
  n.result(0, x);
  if (n.wants(1)) n.result(1, n.ones(n.shape(x), n.version < 10 ? n.type(x) : dtype::boolean));
}

}  // namespace ctnn::onnx::readers
