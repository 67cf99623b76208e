// SPDX-License-Identifier: BSL-1.0
// Operators that calculate, as ncnn layers.
#pragma once

#include <algorithm>
#include <limits>

#include "../node_writer.hpp"
#include "../reductions.hpp"
#include "../unary_operations.hpp"

namespace ctnn::ncnn::writers {

/// A layer of its own for an activation.
inline void activation_layer(node_writer& w, const activation_function& f, const std::string& from,
                             const std::string& to) {
  constexpr float most = std::numeric_limits<float>::max();
  parameter_list p;
  const char* type = "Noop";
  switch (f.kind) {
    case function::none: break;
    case function::relu: type = "ReLU"; break;
    case function::leaky_relu: type = "ReLU", p.real(0, f.a, 0); break;
    case function::clip: type = "Clip", p.real(0, f.a, -most).real(1, f.b, most); break;
    case function::sigmoid: type = "Sigmoid"; break;
    case function::tanh: type = "TanH"; break;
    case function::hardsigmoid: type = "HardSigmoid", p.real(0, f.a, 0.2f).real(1, f.b, 0.5f); break;
    case function::hardswish: type = "HardSwish", p.real(0, f.a, 0.2f).real(1, f.b, 0.5f); break;
    case function::elu: type = "ELU", p.real(0, f.a, 0.1f); break;
    case function::silu: type = "Swish"; break;
    case function::mish: type = "Mish"; break;
    case function::gelu: type = "GELU"; break;
    case function::gelu_tanh: type = "GELU", p.integer(0, 1, 0); break;
    case function::selu: type = "SELU", p.real(0, f.a, 1.67326324f).real(1, f.b, 1.050700987f); break;
    default: {
      const auto at = std::find(std::begin(unary_operations), std::end(unary_operations), f.kind);
      if (at == std::end(unary_operations)) throw inexpressible{"the function " + std::string(name_of(f.kind))};
      type = "UnaryOp", p.integer(0, at - std::begin(unary_operations), 0);
    }
  }
  w.layer(type, {from}, {to}, p);
}

/// Parameters 9 and 10 of convolutions and InnerProduct; false if ncnn cannot fuse this one.
inline bool fuse_activation(parameter_list& p, const activation_function& f) {
  const float both[2] = {f.a, f.b};
  switch (f.kind) {
    case function::none: return true;
    case function::relu: p.integer(9, 1, 0); return true;
    case function::leaky_relu: p.integer(9, 2, 0).reals(10, std::span(both, 1)); return true;
    case function::clip: p.integer(9, 3, 0).reals(10, both); return true;
    case function::sigmoid: p.integer(9, 4, 0); return true;
    case function::mish: p.integer(9, 5, 0); return true;
    case function::hardswish: p.integer(9, 6, 0).reals(10, both); return true;
    default: return false;
  }
}

/// Where a layer writes if `rest` still has to be applied to its result.
inline std::string before_activation(node_writer& w, bool separate, const std::string& end) {
  return separate ? w.between("linear") : end;
}
inline std::string before_activation(node_writer& w, bool separate) { return before_activation(w, separate, w.out()); }

inline void activation(node_writer& w) {
  activation_layer(w, w.get<op::activation>().activation, w.in(), w.out());
}

/// What convolutions both ways say of their windows but the padding. Of a signal the axis is the last of an image's.
template <int Axes>
parameter_list window_parameters(const op::convolution_windows<Axes>& op) {
  parameter_list p;
  p.integer(0, op.out, 0);
  const auto add = [&](int id, const auto& each, int otherwise) {
    p.integer(id, each.back(), otherwise);
    if constexpr (Axes == 2) p.integer(id + 10, each[0], each[1]);
  };
  add(1, op.kernel, 0);
  add(2, op.dilation, 1);
  add(3, op.stride, 1);
  return p;
}
template <int Axes>
void add_padding(parameter_list& p, const op::convolution_windows<Axes>& op) {
  const int left = op.pad[Axes - 1];
  p.integer(4, left, 0);
  if constexpr (Axes == 2) p.integer(14, op.pad[0], left);
  p.integer(15, op.pad.back(), left);
  if constexpr (Axes == 2) p.integer(16, op.pad[2], op.pad[0]);
}
/// Parameters of convolutions but the activation.
template <int Axes>
parameter_list convolution_parameters(const op::conv<Axes>& op, std::int64_t weights) {
  parameter_list p = window_parameters<Axes>(op);
  if (op.same != same_padding::none) p.integer(4, op.same == same_padding::upper ? -233 : -234, 0);
  else add_padding<Axes>(p, op);
  return p.integer(5, op.bias, 0).integer(6, weights, 0).integer(7, op.groups, 1);
}
/// "Convolution", "ConvolutionDepthWise1D"
template <int Axes>
std::string layer_over(const char* kind, int groups) {
  return kind + std::string(groups == 1 ? "" : "DepthWise") + (Axes == 1 ? "1D" : "");
}

/// A layer of its own for the slopes of a convolution, which stand behind its bias.
template <int Axes>
void slope_layer(node_writer& w, const op::conv<Axes>& op, const std::string& from, const std::string& to) {
  w.layer("PReLU", {from}, {to}, parameter_list().integer(0, op.out, 0));
  w.b.bin.raw(w.weight(op.slopes()));
}

/// The residual that is added to `result`; the blob with the sum.
inline std::string add_residual(node_writer& w, const std::string& result, const std::string& sum) {
  w.layer("BinaryOp", {result, w.in(1)}, {sum});
  return sum;
}

template <int Axes>
void write_conv(node_writer& w, const op::conv<Axes>& op) {
  w.need_rank(Axes + 1, Axes + 1);
  const std::span<const float> weight = w.weight(0);
  parameter_list p = convolution_parameters(op, static_cast<std::int64_t>(weight.size()));
  const bool adds = w.input_count() == 2, last = adds && op.residual_last, residual = adds && !last;
  const bool separate = residual || !fuse_activation(p, op.activation);
  const bool activate_after = separate && op.activation;
  const std::string end = last ? w.between("activated") : w.out();
  std::string result = residual ? w.between("product") : before_activation(w, separate, end);
  w.layer(layer_over<Axes>("Convolution", op.groups).c_str(), {w.in()}, {result}, p);
  w.b.bin.tagged(weight);
  if (op.bias) w.b.bin.raw(w.weight(1));
  if (residual) result = add_residual(w, result, before_activation(w, activate_after));
  if (op.has_slopes()) slope_layer(w, op, result, end);
  else if (activate_after) activation_layer(w, op.activation, result, end);
  if (last) add_residual(w, end, w.out());
}
template <int Axes>
void conv_of_reals(node_writer& w) {
  write_conv(w, w.get<op::conv<Axes>>());
}

template <int Axes>
void conv_transpose(node_writer& w) {
  w.need_rank(Axes + 1, Axes + 1);
  const auto op = w.get<op::conv_transpose<Axes>>();
  const std::span<const float> weight = w.weight(0);
  parameter_list p = window_parameters<Axes>(op);
  add_padding<Axes>(p, op);
  p.integer(18, op.output_padding.back(), 0);
  if constexpr (Axes == 2) p.integer(19, op.output_padding[0], op.output_padding[1]);
  p.integer(5, op.bias, 0).integer(6, static_cast<std::int64_t>(weight.size()), 0).integer(7, op.groups, 1);
  const bool separate = !fuse_activation(p, op.activation);
  const std::string result = before_activation(w, separate);
  w.layer(layer_over<Axes>("Deconvolution", op.groups).c_str(), {w.in()}, {result}, p);
  // Outputs first, a group after the other.
  const auto groups = static_cast<std::size_t>(op.groups), outputs = static_cast<std::size_t>(op.out) / groups;
  const auto taps = static_cast<std::size_t>(op.taps());
  const std::size_t depth = weight.size() / (groups * outputs * taps);
  std::vector<float> filed;
  filed.reserve(weight.size());
  for (std::size_t g = 0; g < groups; ++g)
    for (std::size_t o = 0; o < outputs; ++o)
      for (std::size_t c = 0; c < depth; ++c) {
        const auto from = weight.subspan(((g * depth + c) * outputs + o) * taps, taps);
        filed.insert(filed.end(), from.begin(), from.end());
      }
  w.b.bin.tagged(filed);
  if (op.bias) w.b.bin.raw(w.weight(1));
  if (separate) activation_layer(w, op.activation, result, w.out());
}

/// A linear layer from one pixel to one, where the pixel's axes are needed: InnerProduct would take a Reshape.
template <int Axes>
bool linear_of_one_pixel(node_writer& w, const op::linear& op) {
  const extents in = w.input_shape();
  if (in.rank != Axes + 1 || in.count(1, in.rank) != 1 || op.axes != in.rank || op.ones != Axes ||
      w.b.kept_flat.contains(w.id()))
    return false;
  op::conv<Axes> conv;
  conv.out = op.out;
  conv.kernel = conv.ones;
  conv.bias = op.bias;
  conv.activation = op.activation;
  conv.residual_last = op.residual_last;
  write_conv<Axes>(w, conv);
  return true;
}

inline void linear_of_reals(node_writer& w) {
  const op::linear op = w.get<op::linear>();
  if (linear_of_one_pixel<1>(w, op) || linear_of_one_pixel<2>(w, op)) return;
  const extents in = w.input_shape();
  parameter_list p;
  const std::span<const float> weight = w.weight(0);
  p.integer(0, op.out, 0).integer(1, op.bias, 0).integer(2, static_cast<std::int64_t>(weight.size()), 0);
  const bool adds = w.input_count() == 2, last = adds && op.residual_last, residual = adds && !last;
  const bool separate = residual ? static_cast<bool>(op.activation) : !fuse_activation(p, op.activation);
  const std::string end = last ? w.between("activated") : w.out();
  // ncnn goes through a matrix row by row if they are as long as the weights', else all elements are one vector.
  const int depth = static_cast<int>(op.depth(in)), rows = static_cast<int>(in.count() / depth);
  const bool whole = op.axes == in.rank;
  std::string from = w.in();
  if (whole ? in.rank > 3 || (in.rank == 2 && in[0] == 1) : in.rank > 2 && rows == 1)
    from = w.reshaped(from, {depth}, "vector");
  else if (!whole && in.rank > 2) from = w.reshaped(from, {rows, depth}, "rows");
  const bool reshape_after = (!whole && (in.rank > 2 || rows == 1)) || (op.ones > 0 && !w.b.kept_flat.contains(w.id()));
  std::string result = reshape_after || residual ? w.between("product") : before_activation(w, separate, end);
  w.layer("InnerProduct", {from}, {result}, p);
  w.b.bin.tagged(weight);
  if (op.bias) w.b.bin.raw(w.weight(1));
  if (reshape_after) {
    const std::string shaped = residual ? w.between("shaped") : before_activation(w, separate, end);
    w.layer("Reshape", {result}, {shaped}, parameter_list().shape(w.output_shape()));
    result = shaped;
  }
  if (residual) result = add_residual(w, result, before_activation(w, separate));
  if (separate) activation_layer(w, op.activation, result, end);
  if (last) add_residual(w, end, w.out());
}

/// A layer with numbers a channel. ncnn's channels come first; behind a batch of one they do so in another form.
inline void by_channel(node_writer& w, const char* type, int axis, auto parameters,
                       const activation_function& then = {}) {
  const extents x = w.input_shape();
  const int at = channel_axis(x, axis);
  if (x.count(0, at) != 1) throw inexpressible{"channels along axis " + std::to_string(at) + " of " + describe(x)};
  const extents form = x.from(at);
  if (form.rank > 3) throw inexpressible{"an input of " + describe(x)};
  const std::string result = then ? w.between("linear") : w.out_in_form(form);
  w.layer(type, {w.in_form(0, form)}, {result}, parameters(x[at]));
  if (then) activation_layer(w, then, result, w.out_in_form(form));
  w.finish();
}

inline void batch_norm(node_writer& w) {
  const op::batch_norm op = w.get<op::batch_norm>();
  if (op.eps == 0 && op.zero_root != 1e-4f) throw inexpressible{"a root of 0 that is not 1e-4"};
  by_channel(w, "BatchNorm", op.axis, [&](int n) { return parameter_list().integer(0, n, 0).real(1, op.eps, 0); });
  for (std::size_t slot : {0u, 2u, 3u, 1u}) w.b.bin.raw(w.weight(slot));  // slope, mean, variance, bias
}
/// Are the numbers of a layer one for each of ncnn's channels, which come first?
inline bool is_by_channel(const node_writer& w, int axis) {
  return w.input_shape().count(0, channel_axis(w.input_shape(), axis)) == 1;
}
/// x * the numbers of slot 0 + those of slot 1, or either, along an axis that is not ncnn's channels: BinaryOp takes
/// them as blobs of x's rank.
inline void by_other_axis(node_writer& w, int axis, bool slope, bool shift, const activation_function& then) {
  extents k = w.input_shape();
  for (int i = 0; i < k.rank; ++i)
    if (i != channel_axis(w.input_shape(), axis)) k[i] = 1;
  const auto apply = [&](op::binary_function f, const std::string& x, std::size_t slot, bool last) {
    const std::string numbers = w.weight_blob(slot, k, slot == 0 ? "first" : "second");
    const std::string result = last ? before_activation(w, static_cast<bool>(then)) : w.between("scaled");
    w.layer("BinaryOp", {x, numbers}, {result}, parameter_list().integer(0, static_cast<int>(f), 0));
    return result;
  };
  std::string y = w.in_form(0, w.input_shape());
  if (slope) y = apply(op::binary_function::mul, y, 0, !shift);
  if (shift) y = apply(op::binary_function::add, y, slope ? 1 : 0, true);
  if (then) activation_layer(w, then, y, w.out());
}
inline void scale(node_writer& w) {
  const op::scale op = w.get<op::scale>();
  if (!is_by_channel(w, op.axis)) return by_other_axis(w, op.axis, true, op.bias, op.activation);
  by_channel(
      w, "Scale", op.axis, [&](int n) { return parameter_list().integer(0, n, 0).integer(1, op.bias, 0); },
      op.activation);
  w.b.bin.raw(w.weight(0));
  if (op.bias) w.b.bin.raw(w.weight(1));
}
inline void bias(node_writer& w) {
  const op::bias op = w.get<op::bias>();
  if (!is_by_channel(w, op.axis)) return by_other_axis(w, op.axis, false, true, op.activation);
  by_channel(
      w, "Bias", op.axis, [](int n) { return parameter_list().integer(0, n, 0); }, op.activation);
  w.b.bin.raw(w.weight(0));
}
inline void local_response_norm(node_writer& w) {
  w.need_rank(3, 3);
  const op::local_response_norm op = w.get<op::local_response_norm>();
  if (op.size % 2 == 0) throw inexpressible{"a window of even size"};
  w.layer("LRN", {w.in()}, {w.out()},
          parameter_list()
              .integer(0, op.within, 0)
              .integer(1, op.size, 5)
              .real(2, op.alpha, 1)
              .real(3, op.beta, 0.75f)
              .real(4, op.k, 1));
}
inline void prelu(node_writer& w) {
  by_channel(w, "PReLU", w.get<op::prelu>().axis, [](int n) { return parameter_list().integer(0, n, 0); });
  w.b.bin.raw(w.weight(0));
}

/// Trailing-axis broadcasting in ncnn's terms: operands of one rank, or one that ncnn lines up the same way. A reshape
/// that only appended inner extents of 1 has been absorbed: such operands ncnn lines up by itself.
inline std::string operand(node_writer& w, std::size_t i) {
  if (const value_id v = w.source(i); v != w.input(i))
    return w.b.form(v) == w.b.g.shape(v) ? w.b.blob(v)
                                         : w.reshaped(w.b.blob(v), w.input_shape(i), i == 0 ? "first" : "second");
  const extents own = w.input_shape(i), other = w.input_shape(1 - i);
  if (own.rank >= other.rank) return w.in(i);
  if (own.rank == 1 && own[0] != other[0]) return w.in(i);  // ncnn's second choice is the innermost axis
  extents full;
  for (int k = own.rank; k < other.rank; ++k) full.push_back(1);
  full.append(own);
  return w.reshaped(w.in(i), full, i == 0 ? "first" : "second");
}

inline void binary(node_writer& w) {
  const op::binary op = w.get<op::binary>();
  if (op.function == op::binary_function::prelu) throw inexpressible{"slopes that are no numbers a channel"};
  parameter_list p;
  p.integer(0, static_cast<int>(op.function), 0);
  std::vector<std::string> from;
  if (op.scalar) {
    p.integer(1, 1, 0).real(2, *op.scalar, 0);
    from = {w.in()};
  } else {
    for (std::size_t i : {0u, 1u}) from.push_back(operand(w, i));
  }
  const std::string result = before_activation(w, static_cast<bool>(op.activation));
  w.layer("BinaryOp", from, {result}, p);
  if (op.activation) activation_layer(w, op.activation, result, w.out());
}

inline void eltwise(node_writer& w) {
  const op::eltwise op = w.get<op::eltwise>();
  parameter_list p;
  p.integer(0, static_cast<int>(op.function), 0);
  if (!op.coefficients.empty()) p.reals(1, {op.coefficients.data(), op.coefficients.size()});
  std::vector<std::string> from;
  for (std::size_t i = 0; i < w.input_count(); ++i) from.push_back(w.in(i));
  const std::string result = before_activation(w, static_cast<bool>(op.activation));
  w.layer("Eltwise", from, {result}, p);
  if (op.activation) activation_layer(w, op.activation, result, w.out());
}

inline void reduce(node_writer& w) {
  w.need_rank(1, 4);
  const op::reduce op = w.get<op::reduce>();
  const auto operation = std::find(std::begin(reductions), std::end(reductions), op.function) - std::begin(reductions);
  parameter_list p;
  p.integer(0, operation, 0).integer(1, op.axes.empty(), 1);
  if (!op.axes.empty()) p.integers(3, std::span(op.axes.begin(), op.axes.size()));
  w.layer("Reduction", {w.in()}, {w.out()}, p.integer(4, op.keep, 0).integer(5, 1, 0));
}
/// log_softmax is the logarithm of a softmax there.
template <op::normalises_powers Op>
void softmax(node_writer& w) {
  constexpr bool logarithm = std::is_same_v<Op, op::log_softmax>;
  const int axis = normal_axis(w.get<Op>().axis, w.input_shape().rank);
  const std::string result = logarithm ? w.between("softmax") : w.out();
  w.layer("Softmax", {w.in()}, {result}, parameter_list().integer(0, axis, 0).integer(1, axis != 0, 0));
  if (logarithm) w.layer("UnaryOp", {result}, {w.out()}, parameter_list().integer(0, 8, 0));
}

/// Pooling of (C, H, W), Pooling1D of (C, L).
inline void pool(node_writer& w) {
  const op::pool op = w.get<op::pool>();
  w.need_rank(op.axes + 1, op.axes + 1);
  if (op.axes > 2) throw inexpressible{"windows over three axes"};
  if (op.function == op::pooling::lp || op.indices) throw inexpressible{"norms and positions of windows"};
  if (!(op.dilation == by_axis{1})) throw inexpressible{"windows with gaps"};
  const extents in = w.input_shape();
  const bool average = op.function == op::pooling::average;
  const bool whole = average && (op.count_include_pad || op.divisor_whole);
  window_axis axis[2];  // height and width; a signal has the width
  for (int i = 0; i < op.axes; ++i) axis[2 - op.axes + i] = op.along(i, in.back(op.axes - 1 - i));
  int mode = 1;
  if (op.same != same_padding::none && whole == average) {
    mode = op.same == same_padding::upper ? 2 : 3;
    for (window_axis& a : axis) a.before = a.after = 0;
  } else if (op.ceil && op.same == same_padding::none) {
    // ncnn's "full" mode keeps every window that begins inside the padded input; PyTorch's ceil mode drops some.
    int grown[2] = {axis[0].after, axis[1].after};
    bool full = true, grows = false;
    for (unsigned i = 0; i < 2; ++i) {
      const window_axis& a = axis[i];
      const int room = a.size + a.before + a.after - a.taps;
      if (room % a.stride == 0) continue;
      if (window_count(a.size, a.before, a.after, a.taps, a.stride, true) == room / a.stride + 1) {
        full = false;
        continue;
      }
      grown[i] += a.stride - room % a.stride;
      grows = true;
    }
    if (grows && average && op.count_include_pad && !op.divisor_whole)
      throw inexpressible{"an average that counts padding but not what ceil mode adds"};
    if (full && grows) mode = 0;
    else
      for (unsigned i = 0; i < 2; ++i) axis[i].after = grown[i];
  }
  parameter_list p;
  const window_axis &y = op.axes == 2 ? axis[0] : axis[1], &x = axis[1];
  p.integer(0, average, 0).integer(1, x.taps, 0).integer(11, y.taps, x.taps);
  p.integer(2, x.stride, 1).integer(12, y.stride, x.stride);
  p.integer(3, x.before, 0)
      .integer(13, y.before, x.before)
      .integer(14, x.after, x.before)
      .integer(15, y.after, y.before);
  p.integer(5, mode, 0);
  if (mode < 2) p.integer(6, whole, 0);
  w.layer(op.axes == 2 ? "Pooling" : "Pooling1D", {w.in()}, {w.out()}, p);
}

inline void adaptive_pool(node_writer& w) {
  const op::adaptive_pool op = w.get<op::adaptive_pool>();
  if (op.axes > 2) throw inexpressible{"adaptive pooling over three axes"};
  w.need_rank(op.axes + 1, op.axes + 1);
  parameter_list p;
  p.integer(0, op.function == op::pooling::average, 0);
  if (op.flatten) {
    p.integer(4, 1, 0);
  } else {
    const int width = op.size.at(op.axes - 1) ? op.size.at(op.axes - 1) : -233;
    p.integer(7, 1, 0).integer(8, width, 0);
    if (op.axes == 2) p.integer(18, op.size.at(0) ? op.size.at(0) : -233, width);
  }
  w.layer(op.axes == 2 ? "Pooling" : "Pooling1D", {w.in()}, {w.out()}, p);
}

/// Whether the nearest elements are PyTorch's, floor(i / factor): for whole factors most ways of counting agree.
inline bool nearest_as_torch(const op::interpolate& op, const extents& x, const extents& y) {
  using enum op::coordinates;
  using enum op::rounding;
  if (op.rounding == torch) return true;
  for (int i = 0; i < op.axes; ++i) {
    const int from = x.back(op.axes - 1 - i), to = y.back(op.axes - 1 - i);
    if (to % from != 0 || (op.scale.at(i) > 0 && op.scale.at(i) * from != to)) return false;
  }
  const bool between =
      op.coordinates == half_pixel || op.coordinates == half_pixel_symmetric || op.coordinates == pytorch_half_pixel;
  const bool from_corner = op.coordinates == asymmetric || op.coordinates == tf_half_pixel_for_nn;
  return (between && (op.rounding == round_prefer_floor || op.rounding == round_prefer_ceil)) ||
         (from_corner && (op.rounding == floor || op.rounding == by_size));
}

inline void interpolate(node_writer& w) {
  w.need_rank(3, 3);
  const op::interpolate op = w.get<op::interpolate>();
  const bool nearest = op.mode == op::interpolation::nearest,
             corners = op.coordinates == op::coordinates::align_corners;
  const bool torch = nearest ? nearest_as_torch(op, w.input_shape(), w.output_shape())
                             : op.mode == op::interpolation::linear && !op.antialias &&
                                   (corners || op.coordinates == op::coordinates::half_pixel ||
                                    op.coordinates == op::coordinates::pytorch_half_pixel);
  if (op.axes != 2 || !torch) throw inexpressible{"interpolation other than PyTorch's of two axes"};
  const bool by_scale = op.size == by_axis{0};
  parameter_list p;
  p.integer(0, nearest ? 1 : 2, 0);
  if (nearest && by_scale)
    p.real(1, static_cast<float>(op.scale.at(0)), 1).real(2, static_cast<float>(op.scale.at(1)), 1);
  else p.integer(3, w.output_shape()[1], 0).integer(4, w.output_shape()[2], 0);
  for (int i = 0; i < 2 && !nearest && !corners; ++i)
    if (op.scale.at(i) > 0 && op.scale.at(i) * w.input_shape()[i + 1] != w.output_shape()[i + 1])
      throw inexpressible{"a scale that is not the ratio of the sizes"};
  p.integer(6, !nearest && corners, 0);
  w.layer("Interp", {w.in()}, {w.out()}, p);
}

}  // namespace ctnn::ncnn::writers
