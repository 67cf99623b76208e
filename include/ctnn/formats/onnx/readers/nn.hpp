// SPDX-License-Identifier: BSL-1.0
// Convolutions, products with weights, pooling, normalisation: ctnn's own operators where they say the same, so that the
// rules and the vector kernels apply, and the general ones otherwise.
#pragma once

#include "math.hpp"

namespace ctnn::onnx::readers {

/// kernel_shape, strides, dilations, pads and auto_pad, every list as long as there are spatial axes.
struct window_attributes {
  integers kernel, stride, dilation, pads;
  same_padding same = same_padding::none;
};

inline window_attributes read_window(node_reader& n, int axes) {
  window_attributes w{n.list_of("kernel_shape"), n.list_of("strides"), n.list_of("dilations"), n.list_of("pads"), same_padding::none};
  const auto size = static_cast<std::size_t>(axes);
  const auto check = [&](integers& list, const char* what, std::size_t count, std::int64_t otherwise, std::int64_t least) {
    if (list.empty()) list.assign(count, otherwise);
    if (list.size() != count)
      n.fail(std::string(what) + " has " + std::to_string(list.size()) + " numbers, expected " + std::to_string(count));
    for (std::int64_t v : list)
      if (v < least || v > 1 << 20) n.fail(std::string(what) + " has " + std::to_string(v) + ", which is out of range");
  };
  if (!w.kernel.empty()) check(w.kernel, "kernel_shape", size, 1, 1);
  check(w.stride, "strides", size, 1, 1);
  check(w.dilation, "dilations", size, 1, 1);
  const std::string how = n.text("auto_pad", "NOTSET");
  if (how == "SAME_UPPER") w.same = same_padding::upper;
  else if (how == "SAME_LOWER") w.same = same_padding::lower;
  else if (how == "VALID") w.pads.clear();
  else if (how != "NOTSET" && !how.empty()) n.fail("auto_pad is '" + how + "', expected NOTSET, SAME_UPPER, SAME_LOWER or VALID");
  if (w.same != same_padding::none) w.pads.clear();
  check(w.pads, "pads", 2 * size, 0, 0);
  return w;
}

inline list<int> as_list(const integers& from) {
  list<int> out;
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
/// (height, width) of a list for one or two axes; one axis is the width.
inline pair as_pair(const integers& v, int first) {
  return v.size() == 1 ? pair{first, static_cast<int>(v[0])} : pair{static_cast<int>(v[0]), static_cast<int>(v[1])};
}
inline margins as_margins(const integers& v) {
  if (v.size() == 2) return {0, static_cast<int>(v[0]), 0, static_cast<int>(v[1])};
  return {static_cast<int>(v[0]), static_cast<int>(v[1]), static_cast<int>(v[2]), static_cast<int>(v[3])};
}

/// (N, C, L) as an image of one row.
inline term as_image(node_reader& n, term x) {
  const extents s = n.shape(x);
  return s.rank == 3 ? n.reshaped(x, {s[0], s[1], 1, s[2]}) : x;
}
inline term from_image(node_reader& n, term y, int rank) {
  const extents s = n.shape(y);
  return rank == 3 ? n.reshaped(y, {s[0], s[1], s[3]}) : y;
}

inline bool is_constant_f32(node_reader& n, term t) { return n.known(t) && n.type(t) == dtype::f32; }

inline void conv(node_reader& n) {
  n.expect(2, 3);
  const term x = n.input(0), w = n.input(1);
  const int axes = n.rank(x) - 2;
  if (axes < 1) n.fail("input is " + describe(n.shape(x)) + ", expected at least 3 dimensions");
  if (n.rank(w) != n.rank(x)) n.fail("weight is " + describe(n.shape(w)) + " for an input of " + describe(n.shape(x)));
  const window_attributes a = read_window(n, axes);
  const int groups = n.small("group", 1);
  for (int i = 0; i < axes; ++i)
    if (!a.kernel.empty() && a.kernel[static_cast<std::size_t>(i)] != n.shape(w)[i + 2])
      n.fail("kernel_shape differs from the weight of " + describe(n.shape(w)));
  op::convolution general;
  set_sliding(general, a);
  general.groups = groups;
  std::vector<term> in{x, w};
  if (n.has(2)) in.push_back(n.input(2));
  extents result;
  if (const problem p = general.shape(n.shape(x), n.shape(w), result)) n.fail(describe(p));
  const bool fast = axes <= 2 && n.type(x) == dtype::f32 && is_constant_f32(n, w) && (!n.has(2) || is_constant_f32(n, in[2])) && n.shape(x).count() > 0;
  if (!fast || n.known(x)) return n.result(n.add(general, in));
  op::conv2d op;
  op.out = n.shape(w)[0];
  op.kernel = axes == 1 ? pair{1, n.shape(w)[2]} : pair{n.shape(w)[2], n.shape(w)[3]};
  op.stride = as_pair(a.stride, 1);
  op.dilation = as_pair(a.dilation, 1);
  op.pad = as_margins(a.pads);
  op.same = a.same;
  op.groups = groups;
  op.bias = n.has(2);
  std::vector<shared_array> weights{n.known(w)};
  if (op.bias) weights.push_back(n.known(in[2]));
  n.result(from_image(n, n.weighted(op, {as_image(n, x)}, weights), n.rank(x)));
}

inline void conv_transpose(node_reader& n) {
  n.expect(2, 3);
  const term x = n.input(0), w = n.input(1);
  const int axes = n.rank(x) - 2;
  if (axes < 1) n.fail("input is " + describe(n.shape(x)) + ", expected at least 3 dimensions");
  if (n.rank(w) != n.rank(x)) n.fail("weight is " + describe(n.shape(w)) + " for an input of " + describe(n.shape(x)));
  const window_attributes a = read_window(n, axes);
  for (int i = 0; i < axes; ++i)
    if (!a.kernel.empty() && a.kernel[static_cast<std::size_t>(i)] != n.shape(w)[i + 2])
      n.fail("kernel_shape differs from the weight of " + describe(n.shape(w)));
  op::conv_transpose op;
  set_sliding(op, a);
  op.groups = n.small("group", 1);
  const integers more = n.list_of("output_padding"), size = n.list_of("output_shape");
  for (std::size_t i = 0; i < more.size(); ++i)
    if (more[i] < 0 || i >= a.stride.size() || more[i] >= std::max(a.stride[i], a.dilation[i]))
      n.fail("output_padding has " + std::to_string(more[i]) + ", which is out of range");
  for (std::int64_t v : size)
    if (v < 1 || v > 1 << 28) n.fail("output_shape has " + std::to_string(v));
  const auto spatial = static_cast<std::size_t>(axes);
  op.more = as_list(more);
  if (size.size() == spatial + 2) op.size = as_list({size.begin() + 2, size.end()});
  else if (size.empty() || size.size() == spatial) op.size = as_list(size);
  else n.fail("output_shape has " + std::to_string(size.size()) + " numbers, expected " + std::to_string(axes));
  std::vector<term> in{x, w};
  if (n.has(2)) in.push_back(n.input(2));
  std::vector<extents> shapes;
  for (const term t : in) shapes.push_back(n.shape(t));
  extents result;
  if (const problem p = op.infer(shapes, {&result, 1})) n.fail(describe(p));
  const bool fast = axes <= 2 && n.type(x) == dtype::f32 && is_constant_f32(n, w) && (!n.has(2) || is_constant_f32(n, in[2])) && n.shape(x).count() > 0;
  if (!fast || n.known(x)) return n.result(n.add(op, in));
  op::conv_transpose2d image;
  image.out = result[1];
  image.kernel = axes == 1 ? pair{1, n.shape(w)[2]} : pair{n.shape(w)[2], n.shape(w)[3]};
  image.stride = as_pair(a.stride, 1);
  image.dilation = as_pair(a.dilation, 1);
  image.groups = op.groups;
  image.bias = n.has(2);
  // Output sizes and SAME in numbers: what the far side lacks is padding of the output.
  for (int i = 0; i < axes; ++i) {
    const auto k = static_cast<unsigned>(i + 2 - axes);
    const int size = n.shape(x)[i + 2];
    image.pad[k] = static_cast<int>(op.geometry(i, size, n.shape(w)[i + 2])[0]);
    const std::int64_t over = image.extent(k, size) - result[i + 2];
    if (over > 0) image.pad[k + 2] = static_cast<int>(over);
    else image.output_padding[k] = static_cast<int>(-over);
  }
  std::vector<shared_array> weights{n.known(w)};
  if (image.bias) weights.push_back(n.known(in[2]));
  n.result(from_image(n, n.weighted(image, {as_image(n, x)}, weights), n.rank(x)));
}

/// MaxPool, AveragePool and LpPool.
template <op::pool_function f>
void pool(node_reader& n) {
  n.expect(1, 1);
  const term x = n.input();
  const int axes = n.rank(x) - 2;
  if (axes < 1) n.fail("input is " + describe(n.shape(x)) + ", expected at least 3 dimensions");
  const window_attributes a = read_window(n, axes);
  if (a.kernel.empty()) n.fail("attribute 'kernel_shape' is missing");
  op::pool_nd op;
  set_sliding(op, a);
  op.function = f;
  op.kernel = as_list(a.kernel);
  op.ceil = n.flag("ceil_mode", false);
  op.count_include_pad = f == op::pool_function::average && n.flag("count_include_pad", false);
  op.column_major = f == op::pool_function::max && n.flag("storage_order", false);
  if (f == op::pool_function::lp) {
    if (n.version < 2) op.p = saturated<int>(n.real("p", 2));
    else op.p = n.small("p", 2);
  }
  op.indices = n.wants(1);
  for (std::size_t i = 0; i < a.kernel.size(); ++i)
    if (a.same == same_padding::none)
      for (std::size_t side : {i, i + a.kernel.size()})
        if (a.pads[side] >= a.kernel[i] * a.dilation[i] + (f == op::pool_function::max ? 0 : 1) && a.pads[side] > 0)
          n.fail("pads has " + std::to_string(a.pads[side]) + ", not below the kernel");
  const bool plain = std::all_of(a.dilation.begin(), a.dilation.end(), [](std::int64_t d) { return d == 1; });
  if (f == op::pool_function::lp || axes > 2 || !plain || op.indices || n.type(x) != dtype::f32 || n.known(x)) {
    const std::vector<term> out = n.nodes(op, {x});
    n.result(0, out[0]);
    if (op.indices) n.result(1, out[1]);
    return;
  }
  op::pool2d fast;
  fast.function = f == op::pool_function::max ? op::pooling::max : op::pooling::average;
  fast.kernel = as_pair(a.kernel, 1);
  fast.stride = as_pair(a.stride, 1);
  fast.pad = as_margins(a.pads);
  fast.same = a.same;
  fast.ceil = op.ceil && a.same == same_padding::none;
  fast.count_include_pad = op.count_include_pad;
  n.result(from_image(n, n.add(fast, {as_image(n, x)}), n.rank(x)));
}

template <op::pooling f>
void global_pool(node_reader& n) {
  n.expect(1, 1);
  const term x = n.input();
  if (n.rank(x) < 2) n.fail("input is " + describe(n.shape(x)) + ", expected at least 2 dimensions");
  if (n.type(x) == dtype::f32 && n.rank(x) == 4) return n.result(n.add(op::adaptive_pool2d{f}, {x}));
  op::reduce op{f == op::pooling::max ? op::reduction::max : op::reduction::mean};
  for (int i = 2; i < n.rank(x); ++i) op.axes.push_back(i);
  n.result(op.axes.empty() ? x : n.add(op, {x}));
}
inline void global_lp_pool(node_reader& n) {
  n.expect(1, 1);
  const std::int64_t p = n.version < 2 ? saturated<std::int64_t>(n.real("p", 2)) : n.integer("p", 2);
  if (p != 1 && p != 2) node_reader::refuse("attribute 'p' (" + std::to_string(p) + ")");
  op::reduce op{p == 1 ? op::reduction::l1 : op::reduction::l2};
  for (int i = 2; i < n.rank(n.input()); ++i) op.axes.push_back(i);
  n.result(n.add(op, {n.input()}));
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
    op.size.push_back(n.to_int((n.shape(x)[static_cast<int>(i) + 2] - 1) * a.stride[i] + a.kernel[i] - a.pads[i] - a.pads[i + a.kernel.size()], "output_shape"));
  const term y = n.add(op, {x, n.input(1)});
  if (!n.has(2)) return n.result(y);
  const integers wanted = n.whole(2);
  if (static_cast<int>(wanted.size()) != n.rank(x)) n.fail("output_shape has " + std::to_string(wanted.size()) + " numbers");
  op::pad rest;
  for (int i = 0; i < n.rank(x); ++i) {
    rest.before.push_back(0);
    rest.after.push_back(n.to_int(wanted[static_cast<std::size_t>(i)] - n.shape(y)[i], "output_shape"));
  }
  n.result(n.add(rest, {y}));
}

/// (rows, columns) to (columns, rows), times `factor`.
inline shared_array transposed(node_reader& n, const array& from, float factor = 1) {
  const extents s = from.shape();
  const auto to = n.allocate(extents{s[1], s[0]}, dtype::f32);
  const float* in = from.data();
  float* out = to->data();
  for (std::ptrdiff_t r = 0; r < s[0]; ++r)
    for (std::ptrdiff_t c = 0; c < s[1]; ++c) out[c * s[0] + r] = factor * in[r * s[1] + c];
  return to;
}

inline shared_array scaled(node_reader& n, const array& from, float factor) {
  const auto to = n.allocate(from.shape(), dtype::f32);
  std::ranges::transform(from.values(), to->data(), [&](float v) { return v * factor; });
  return to;
}

inline void gemm(node_reader& n) {
  n.expect(2, 3);
  const op::gemm op{n.flag("transA", false), n.flag("transB", false), n.real("alpha", 1), n.real("beta", 1)};
  n.ignore("broadcast");
  term a = n.input(0);
  const term b = n.input(1);
  std::vector<term> in{a, b};
  if (n.has(2)) in.push_back(n.input(2));
  std::vector<extents> shapes;
  for (term t : in) shapes.push_back(n.shape(t));
  extents result[1];
  if (const problem p = op.infer(shapes, result)) n.fail(describe(p));
  const int out = result[0][1];
  const bool row = !n.has(2) || (is_constant_f32(n, in[2]) && n.shape(in[2]).count() == out && n.shape(in[2]).rank > 0 && n.shape(in[2]).back(0) == out);
  if (n.type(a) != dtype::f32 || n.known(a) || !is_constant_f32(n, b) || !row || n.shape(b).count() == 0) return n.result(n.add(op, in));
  if (op.transpose_a) a = n.permuted(a, {1, 0});
  std::vector<shared_array> weights;
  if (!op.transpose_b) weights.push_back(transposed(n, *n.known(b), op.alpha));
  else if (op.alpha == 1) weights.push_back(n.known(b));
  else {
    weights.push_back(scaled(n, *n.known(b), op.alpha));
  }
  if (n.has(2)) {
    weights.push_back(scaled(n, *n.known(in[2]), op.beta));
  }
  n.result(n.weighted(op::linear{out, n.has(2)}, {a}, weights));
}

inline void matmul(node_reader& n) {
  n.expect(2, 2);
  const term a = n.input(0), b = n.input(1);
  extents result;
  if (const problem p = op::matmul::shape(n.shape(a), n.shape(b), result)) n.fail(describe(p));
  if (n.type(a) != dtype::f32 || n.known(a) || !is_constant_f32(n, b) || n.rank(b) != 2 || n.shape(b).count() == 0)
    return n.result(n.add(op::matmul{}, {a, b}));
  n.result(n.weighted(op::linear{n.shape(b)[1], false}, {a}, {transposed(n, *n.known(b))}));
}

inline void einsum(node_reader& n) {
  if (n.input_count() < 1) n.fail("has no inputs");
  const std::string equation = n.text("equation", "");
  if (equation.size() > max_list) node_reader::refuse("attribute 'equation' of " + std::to_string(equation.size()) + " characters");
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
  const std::vector<term> in = n.all_inputs();
  const extents s = n.shape(in[0]);
  if (s.rank < 2) n.fail("input is " + describe(s) + ", expected at least 2 dimensions");
  bool fast = n.type(in[0]) == dtype::f32 && !n.known(in[0]) && eps > 0;
  for (std::size_t i = 1; i < 5; ++i) {
    if (!(n.shape(in[i]) == extents{s[1]})) n.fail("input " + std::to_string(i) + " is " + describe(n.shape(in[i])) + ", expected " + std::to_string(s[1]));
    fast = fast && is_constant_f32(n, in[i]);
  }
  if (!fast) return n.result(n.add(op::batch_normalize{eps}, in));
  term x = in[0];
  if (s.rank == 2) x = n.reshaped(x, {s[0], s[1], 1, 1});
  if (s.rank == 3) x = as_image(n, x);
  n.result(n.reshaped(n.weighted(op::batch_norm{eps}, {x}, {n.known(in[1]), n.known(in[2]), n.known(in[3]), n.known(in[4])}), s));
}

inline void instance_norm(node_reader& n) {
  n.expect(3, 3);
  n.ignore("consumed_inputs");
  const term x = n.input(0);
  if (n.rank(x) < 2) n.fail("input is " + describe(n.shape(x)) + ", expected at least 2 dimensions");
  n.result(n.add(op::group_norm{n.shape(x)[1], n.real("epsilon", 1e-5f)}, n.all_inputs()));
}
inline void group_norm(node_reader& n) {
  n.expect(3, 3);
  n.ignore("stash_type");
  n.result(n.add(op::group_norm{n.small("num_groups", 0), n.real("epsilon", 1e-5f)}, n.all_inputs()));
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
  const op::local_response_norm op{n.small("size", 0), n.real("alpha", 1e-4f), n.real("beta", 0.75f), n.real("bias", 1)};
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
  if (n.version >= 13 || axis == s.rank - 1) return n.result(n.add(Op{axis}, {x}));
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
