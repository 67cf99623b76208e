// SPDX-License-Identifier: BSL-1.0
// Convolutions, products, pooling, normalisation.
#pragma once

#include <algorithm>

#include "elementwise.hpp"

namespace ctnn::onnx::writers {

template <class Each>
bool all_are(const Each& list, int value) {
  return std::all_of(list.begin(), list.end(), [=](int v) { return v == value; });
}
inline const char* same_name(same_padding s) { return s == same_padding::upper ? "SAME_UPPER" : "SAME_LOWER"; }

/// What convolutions both ways say of their windows but the padding.
template <int Axes>
std::vector<attribute> window_attributes(const op::convolution_windows<Axes>& op) {
  return {with("kernel_shape", as_integers(op.kernel)), with("strides", as_integers(op.stride)),
          with("dilations", as_integers(op.dilation)), with("group", op.groups)};
}
/// The same for a convolution, with the padding.
template <int Axes>
std::vector<attribute> convolution_attributes(const op::conv<Axes>& op, const extents& x) {
  std::vector<attribute> a = window_attributes<Axes>(op);
  // Runtimes have SAME for windows without gaps only.
  if (op.same != same_padding::none && all_are(op.dilation, 1)) a.push_back(with("auto_pad", same_name(op.same)));
  else a.push_back(with("pads", as_integers(op.padding(x))));
  return a;
}

/// An activation as fused convolutions and products have it: its operator's name, then its parameters.
struct fused_activation {
  const char* type = nullptr;
  std::vector<float> parameters{};
};
inline fused_activation fused_form(const activation_function& f) {
  switch (f.kind) {
    case function::relu: return {"Relu"};
    case function::sigmoid: return {"Sigmoid"};
    case function::tanh: return {"Tanh"};
    case function::leaky_relu: return {"LeakyRelu", {f.a}};
    case function::hardsigmoid: return {"HardSigmoid", {f.a, f.b}};
    case function::clip: return {"Clip", {f.a, f.b}};
    default: return {};
  }
}

/// The shape that numbers of channels have to be broadcast along an axis of x.
inline extents along_channels(const extents& x, int axis) {
  extents s{x[axis]};
  for (int i = axis + 1; i < x.rank; ++i) s.push_back(1);
  return s;
}
/// The result of a convolution but for its activation, or slopes, and what is added last.
template <int Axes>
void finish_conv(node_writer& w, const op::conv<Axes>& op, std::string y, const activation_function& f, int lead) {
  if (op.has_slopes()) {
    const extents s = along_channels(w.result_shape(), w.result_shape().rank - 1 - Axes);
    y = w.add("PRelu", {y, w.weight(op.slopes(), s)});
  } else {
    y = applied(w, f, y, w.result_type());
  }
  if (op.residual_last && w.input_count() == 2) y = w.add("Add", {y, w.in(1, lead)});
  w.result(y, lead);
}

/// The slots of a layer by a weight of bytes by name (op::weight_element::add_slots).
class byte_slots {
 public:
  template <class Op>
  byte_slots(node_writer& w, const Op& op) : w_(w) {
    for (const weight_slot& s : op.weights({&w.shape(), 1}, {&w.own_type(), 1}, {&w.own_result_type(), 1}))
      names_.push_back(s.name);
  }
  bool has(std::string_view name) const { return at(name) < names_.size(); }
  /// Its shape; a scalar's if it is one number.
  extents form(std::string_view name) const {
    const extents s = w_.weight_shape(at(name));
    return s.count() == 1 ? extents{} : s;
  }
  std::string whole(std::string_view name) { return w_.weight(at(name)); }
  shared_array numbers(std::string_view name) {
    if (!w_.has_numbers(at(name))) w_.refuse("a " + std::string(name) + " that is not known");
    return w_.numbers(at(name));
  }
  std::string operator()(std::string_view name) { return w_.weight(at(name), form(name)); }
  std::string as(std::string_view name, const extents& shape) { return w_.weight(at(name), shape); }
  /// One number, or one for each output, beside which they have the shape `each`.
  std::string spread(std::string_view name, const extents& each) {
    return as(name, form(name).rank == 0 ? extents{} : each);
  }

 private:
  std::size_t at(std::string_view name) const {
    return static_cast<std::size_t>(std::find(names_.begin(), names_.end(), name) - names_.begin());
  }
  node_writer& w_;
  std::vector<std::string_view> names_;
};

/// The real numbers of a weight of bytes, which is written as `weight`, its outputs along `axis`.
template <class Op>
std::string real_weight(node_writer& w, const Op& op, const std::string& weight, int axis) {
  byte_slots slots(w, op);
  std::vector<std::string> in{weight, slots("weight_scale")};
  if (slots.has("weight_zero")) in.push_back(slots("weight_zero"));
  return w.add("DequantizeLinear", in, {with("axis", axis)});
}
/// The bias in real numbers. Where it is a part of sums of bytes it stands for them by the scales of input and weight.
template <class Op>
std::string real_bias(node_writer& w, const Op& op) {
  if (!op.weight || op.weight.real_bias) return w.weight(1);
  byte_slots slots(w, op);
  const shared_array of_weight = slots.numbers("weight_scale");
  std::vector<float> scale;
  for (std::size_t i = 0; i < of_weight->size(); ++i)
    scale.push_back(static_cast<float>(w.own_type().real.scale * number_at(*of_weight, i)));
  const std::string each = scale.size() == 1 ? w.number(scale[0], dtype::f32) : w.reals(scale);
  return w.add("DequantizeLinear", {w.weight(1), each}, {with("axis", 0)});
}

/// A convolution with its sum and its activation as one node, over one axis or two as ONNX Runtime has it.
template <int Axes>
bool fused_conv(node_writer& w, const op::conv<Axes>& op, const std::string& weight, int lead) {
  const fused_activation f = fused_form(op.activation);
  const bool sum = w.input_count() == 2 && !op.residual_last;
  if (!w.fused() || op.weight || Axes > 2 || w.result_type() != dtype::f32 || (!f.type && !sum)) return false;
  if (sum && !(w.shape(1) == w.result_shape())) return false;
  std::vector<attribute> a = convolution_attributes(op, w.shape());
  if (f.type) a.push_back(with("activation", f.type));
  if (!f.parameters.empty()) a.push_back(with("activation_params", f.parameters));
  const std::string y =
      w.add("com.microsoft.FusedConv", {w.in(0, lead), weight, op.bias ? w.weight(1) : "", sum ? w.in(1, lead) : ""},
            std::move(a));
  finish_conv(w, op, y, f.type ? activation_function{} : op.activation, lead);
  return true;
}

template <int Axes>
void write_conv(node_writer& w, const op::conv<Axes>& op, const std::string& weight) {
  const int lead = w.shape().rank == Axes + 1 ? 1 : 0;
  if (fused_conv(w, op, weight, lead)) return;
  std::vector<std::string> in{w.in(0, lead), op.weight ? real_weight(w, op, weight, 0) : weight};
  if (op.bias) in.push_back(real_bias(w, op));
  std::string y = w.add("Conv", in, convolution_attributes(op, w.shape()));
  if (w.input_count() == 2 && !op.residual_last) y = w.add("Add", {y, w.in(1, lead)});
  finish_conv(w, op, y, op.activation, lead);
}
template <int Axes>
void conv_of_reals(node_writer& w) {
  write_conv(w, w.get<op::conv<Axes>>(), w.weight(0));
}

template <int Axes>
void conv_transpose(node_writer& w) {
  const auto op = w.get<op::conv_transpose<Axes>>();
  const int lead = w.shape().rank == Axes + 1 ? 1 : 0;
  std::vector<attribute> a = window_attributes<Axes>(op);
  a.push_back(with("pads", as_integers(op.pad)));
  bool fits = true;  // ONNX adds less on the far side than a step
  for (std::size_t i = 0; i < static_cast<std::size_t>(Axes); ++i)
    fits = fits && op.output_padding[i] < std::max(op.stride[i], op.dilation[i]);
  std::vector<std::string> in{w.in(0, lead), w.weight(0)};
  if (fits) {
    a.push_back(with("output_padding", as_integers(op.output_padding)));
    if (op.bias) in.push_back(w.weight(1));
    return finish(w, w.add("ConvTranspose", in, a), op.activation, lead);
  }
  integers pads(2 * static_cast<std::size_t>(Axes + 2));
  for (std::size_t i = 0; i < static_cast<std::size_t>(Axes); ++i)
    pads[static_cast<std::size_t>(Axes + 4) + i] = op.output_padding[i];
  for (int p : op.pad)
    if (p != 0) node_writer::refuse("an output that is padded by more than a step, and cut");
  std::string y = w.add("Pad", {w.add("ConvTranspose", in, a), w.whole(pads)});
  if (op.bias) {
    extents each{op.out};
    for (int i = 0; i < Axes; ++i) each.push_back(1);
    y = w.add("Add", {y, w.weight(1, each)});
  }
  finish(w, y, op.activation, lead);
}

inline void deform_conv(node_writer& w) {
  const op::deform_conv op = w.get<op::deform_conv>();
  w.need(19);
  std::vector<attribute> a = window_attributes<2>(op);
  a.push_back(with("pads", as_integers(op.padding(w.shape()))));
  a.push_back(with("offset_group", op.offset_groups));
  const std::string y = w.add(
      "DeformConv", {w.in(), w.weight(0), w.in(1), op.bias ? w.weight(1) : "", w.input_count() == 3 ? w.in(2) : ""}, a);
  finish(w, y, op.activation);
}

/// Numbers for each spatial axis.
template <class T>
integers each_axis(const ir::repeated<T>& list, int places) {
  integers out;
  for (int i = 0; i < places; ++i) out.push_back(static_cast<std::int64_t>(list.at(i)));
  return out;
}

inline void pool(node_writer& w) {
  const op::pool op = w.get<op::pool>();
  const extents x = w.shape();
  const int lead = x.rank == op.axes + 1 ? 1 : 0;
  const bool average = op.function == op::pooling::average, same = op.same != same_padding::none;
  bool gaps = false, far = false;  // runtimes want padding that is less than a window
  integers kernel, stride, dilation, pads(2 * static_cast<std::size_t>(op.axes)), beyond(pads.size());
  for (int i = 0; i < op.axes; ++i) {
    const int size = x.back(op.axes - 1 - i);
    const ir::window_axis along = op.along(i, size);
    const auto k = static_cast<std::size_t>(i), behind = k + static_cast<std::size_t>(op.axes);
    kernel.push_back(along.taps);
    stride.push_back(along.stride);
    dilation.push_back(along.dilation);
    pads[k] = along.before;
    pads[behind] = along.after;
    gaps = gaps || along.dilation != 1;
    far = far || std::max(along.before, along.after) >= along.taps;
    // What the last window has beyond the padding.
    const int count = w.result_shape().back(op.axes - 1 - i);
    beyond[behind] = std::max<std::int64_t>((count - 1) * std::int64_t{along.stride} + along.span() - along.room(), 0);
  }
  if (average && gaps) w.need(19);
  if (op.function == op::pooling::lp && (gaps || op.ceil)) w.need(18);
  std::string from = w.in(0, lead);
  std::vector<attribute> a{with("kernel_shape", kernel), with("strides", stride)};
  if (gaps) a.push_back(with("dilations", dilation));
  const bool maximum = op.function == op::pooling::max;
  const bool whole = average && op.divisor_whole && (op.ceil || !op.count_include_pad);
  const bool zeros = average && far && op.count_include_pad && !op.ceil;
  const bool lowest = maximum && far && !op.indices && is_floating(w.type());
  if (whole || zeros || lowest) {  // what is divided by the whole window has zeros all around
    integers all(2 * static_cast<std::size_t>(x.rank + lead));
    const std::size_t rank = all.size() / 2, first = rank - static_cast<std::size_t>(op.axes);
    for (std::size_t i = 0; i < static_cast<std::size_t>(op.axes); ++i) {
      all[first + i] = pads[i];
      all[rank + first + i] =
          pads[i + static_cast<std::size_t>(op.axes)] + beyond[i + static_cast<std::size_t>(op.axes)];
    }
    const std::string with_what = lowest ? w.number(-std::numeric_limits<double>::infinity(), w.type()) : "";
    from = w.add("Pad", {from, w.whole(all), with_what});
  } else {
    if (same && !gaps) a.push_back(with("auto_pad", same_name(op.same)));
    else a.push_back(with("pads", pads));
    if (op.ceil && !same) a.push_back(with("ceil_mode", true));
    if (average && op.count_include_pad) a.push_back(with("count_include_pad", true));
  }
  if (op.function == op::pooling::lp) a.push_back(with("p", op.p));
  if (op.column_major && op.indices) a.push_back(with("storage_order", true));
  const std::vector<std::string> y = w.add_many(maximum   ? "MaxPool"
                                                : average ? "AveragePool"
                                                          : "LpPool",
                                                {from}, a, op.indices ? 2 : 1);
  for (std::size_t i = 0; i < y.size(); ++i) w.result(static_cast<int>(i), y[i], lead);
}

inline void max_unpool(node_writer& w) {
  integers kernel, stride, pads;
  const int axes = w.shape().rank - 2;
  for (int i = 0; i < axes; ++i) {  // windows that give the extents which positions count through
    const int from = w.shape()[i + 2], to = w.result_shape()[i + 2];
    if (to < from) node_writer::refuse("fewer elements than positions");
    kernel.push_back(to - from + 1);
    stride.push_back(1);
  }
  w.is("MaxUnpool", w.all_inputs(), {with("kernel_shape", kernel), with("strides", stride)});
}

inline void fold_blocks(node_writer& w) {
  const op::fold_blocks op = w.get<op::fold_blocks>();
  w.need(18);
  integers stride, dilation, pads(2 * op.image.size());
  for (std::size_t i = 0; i < op.image.size(); ++i) {
    const auto p = op.padding_at(static_cast<int>(i), op.image[i], op.block[i]);
    stride.push_back(op.stride_at(static_cast<int>(i)));
    dilation.push_back(op.dilation_at(static_cast<int>(i)));
    pads[i] = p[0];
    pads[i + op.image.size()] = p[1];
  }
  w.is("Col2Im", {w.in(), w.whole(as_integers(op.image)), w.whole(as_integers(op.block))},
       {with("strides", stride), with("dilations", dilation), with("pads", pads)});
}

/// The last `axes` axes reduced, those with an extent of 1 kept.
inline std::string reduced(node_writer& w, const char* type, const std::string& x, const integers& axes, bool keep,
                           int since = 18) {
  if (axes.empty()) return w.add(type, {x}, {with("keepdims", keep)});
  if (w.version() >= since) return w.add(type, {x, w.whole(axes)}, {with("keepdims", keep)});
  return w.add(type, {x}, {with("axes", axes), with("keepdims", keep)});
}
inline std::string sliced(node_writer& w, const std::string& x, const integers& start, const integers& end,
                          const integers& axes) {
  return w.add("Slice", {x, w.whole(start), w.whole(end), w.whole(axes)});
}

inline void adaptive_pool(node_writer& w) {
  const op::adaptive_pool op = w.get<op::adaptive_pool>();
  const extents x = w.shape();
  const int lead = x.rank == op.axes + 1 ? 1 : 0;
  const bool average = op.function == op::pooling::average;
  std::string y = w.in(0, lead);
  const char* const global = average ? "GlobalAveragePool" : "GlobalMaxPool";
  // A maximum of bytes is one of ONNX's over a window of the whole.
  const bool as_window = !average && !w.takes(global, w.type()) && w.takes("MaxPool", w.type());
  if (op.is_global() && !as_window) {
    y = w.add(global, {y});
    return op.flatten ? w.is("Flatten", {y}, {with("axis", 1)}, lead) : w.result(y, lead);
  }
  integers kernel;
  bool equal = true;
  for (int i = 0; i < op.axes; ++i) {
    const int size = x.back(op.axes - 1 - i), count = op.count(i, size);
    kernel.push_back(size / count);
    equal = equal && size % count == 0;
  }
  if (equal) {
    y = w.add(average ? "AveragePool" : "MaxPool", {y}, {with("kernel_shape", kernel), with("strides", kernel)});
    return op.flatten ? w.is("Flatten", {y}, {with("axis", 1)}, lead) : w.result(y, lead);
  }
  // Windows of several sizes: an axis after the other, a window after the other.
  for (int i = 0; i < op.axes; ++i) {
    const int axis = x.rank + lead - op.axes + i, size = x.back(op.axes - 1 - i), count = op.count(i, size);
    if (count == size) continue;
    if (count > 1024) node_writer::refuse("pooling to " + std::to_string(count) + " windows of several sizes");
    std::vector<std::string> parts;
    for (std::int64_t k = 0; k < count; ++k)
      parts.push_back(reduced(w, average ? "ReduceMean" : "ReduceMax",
                              sliced(w, y, {k * size / count}, {((k + 1) * size + count - 1) / count}, {axis}), {axis},
                              true));
    y = w.add("Concat", parts, {with("axis", axis)});
  }
  w.result(y, lead);
}

/// A linear layer from one pixel to one, with axes of their own: one Conv says what Flatten, Gemm and Reshape would.
template <int Axes>
bool conv_of_one_pixel(node_writer& w, const op::linear& op) {
  const extents x = w.shape();
  if (op.ones != Axes || op.axes != Axes + 1 || x.rank > Axes + 2 || x.count(x.rank - Axes, x.rank) != 1) return false;
  if ((w.input_count() == 2 && w.leaves_sum()) || op.weight || op.weight.is_packed()) return false;
  op::conv<Axes> conv;
  conv.out = op.out;
  conv.kernel = conv.ones;
  conv.bias = op.bias;
  conv.activation = op.activation;
  conv.residual_last = op.residual_last;
  extents weight{op.out, static_cast<int>(op.depth(x))};
  for (int i = 0; i < Axes; ++i) weight.push_back(1);
  write_conv(w, conv, w.weight(0, weight));
  return true;
}

/// Zero points of a packed weight, if they are integers of so many bits.
inline std::optional<std::vector<std::uint8_t>> whole_zeros(byte_slots& slots, const op::weight_element& e) {
  const shared_array zero = slots.numbers("weight_zero");
  const int least = e.type == dtype::i8 ? -128 : 0;
  std::vector<std::uint8_t> all;
  for (std::size_t i = 0; i < zero->size(); ++i) {
    const double z = number_at(*zero, i);
    if (!(z >= least && z < least + (1 << e.bits)) || z != std::floor(z)) return {};
    all.push_back(static_cast<std::uint8_t>(static_cast<int>(z)));
  }
  return all;
}
/// Rows of numbers of so many bits, low bits first.
inline std::vector<std::uint8_t> packed_rows(const std::vector<std::uint8_t>& numbers, std::size_t columns, int bits) {
  std::vector<std::uint8_t> all;
  const std::size_t in_byte = 8 / static_cast<std::size_t>(bits);
  for (std::size_t first = 0; first < numbers.size(); first += columns)
    for (std::size_t k = 0; k < columns; ++k) {
      if (k % in_byte == 0) all.push_back(0);
      all.back() =
          static_cast<std::uint8_t>(all.back() | numbers[first + k] << k % in_byte * static_cast<unsigned>(bits));
    }
  return all;
}
/// x by a packed weight: MatMulNBits where that has its form, else MatMul by what DequantizeLinear makes of bytes.
inline std::string product_by_packed(node_writer& w, const op::linear& op, const std::string& x) {
  const op::weight_element& e = op.weight;
  byte_slots slots(w, op);
  const auto depth = op.depth(w.shape());
  const int blocks = static_cast<int>(e.blocks(depth));
  if (e.type == dtype::u8 && !op.transposed && e.block >= 16 && (e.block & (e.block - 1)) == 0) {
    std::vector<std::string> in{x, w.weight(0, {op.out, blocks, e.block * e.bits / 8}),
                                slots.as("weight_scale", {op.out * blocks})};
    if (e.zero_points) {
      const auto whole = whole_zeros(slots, e);
      in.push_back(whole ? w.bytes(packed_rows(*whole, static_cast<std::size_t>(blocks), e.bits), dtype::u8)
                         : slots.as("weight_zero", {op.out, blocks}));
    }
    return w.add("com.microsoft.MatMulNBits", in,
                 {with("K", depth), with("N", op.out), with("bits", e.bits), with("block_size", e.block)});
  }
  if (e.bits != 8 || e.words(depth) != depth)
    node_writer::refuse("a packed weight of " + std::to_string(e.bits) + " bits without blocks of 16, 32, 64 ...");
  std::vector<attribute> a{with("axis", e.block == 0 ? 1 : 0)};
  if (e.block != 0) {
    w.need(21);
    a.push_back(with("block_size", e.block));
  }
  const std::string scale = e.block == 0 ? slots.as("weight_scale", {op.out}) : w.transposed_weight(op.bias ? 2 : 1);
  std::vector<std::string> in{op.transposed ? w.weight(0) : w.transposed_weight(0), scale};
  if (e.zero_points || e.type == dtype::u8) {
    std::vector<std::uint8_t> zeros(static_cast<std::size_t>(op.out) * static_cast<std::size_t>(blocks), 128);
    if (e.zero_points) {
      const auto whole = whole_zeros(slots, e);
      if (!whole) node_writer::refuse("zero points that are no bytes");
      for (std::size_t o = 0, i = 0; o < static_cast<std::size_t>(op.out); ++o)
        for (std::size_t b = 0; b < static_cast<std::size_t>(blocks); ++b)
          zeros[b * static_cast<std::size_t>(op.out) + o] = (*whole)[i++];
    }
    in.push_back(w.bytes(zeros, e.type, e.block == 0 ? extents{op.out} : extents{blocks, op.out}));
  }
  return w.add("MatMul", {x, w.add("DequantizeLinear", in, a)});
}

/// x by the matrix of weight 0 of a linear layer, and its bias.
inline void linear_of_reals(node_writer& w) {
  const op::linear op = w.get<op::linear>();
  if (conv_of_one_pixel<1>(w, op) || conv_of_one_pixel<2>(w, op) || conv_of_one_pixel<3>(w, op)) return;
  const extents x = w.shape();
  const int depth = static_cast<int>(op.depth(x)), leading = x.rank - op.axes;
  extents rows;
  rows.append(x, 0, leading);
  rows.push_back(depth);
  int lead = 0;
  std::string y;
  // A row that comes as the only one, such as the end of an ncnn network, remains a matrix.
  if (leading == 0 && w.lead() == 1 && op.ones == 0 && w.input_count() == 1) {
    lead = 1;
    y = w.in(0, 1);
    if (op.axes > 1) y = w.add("Flatten", {y}, {with("axis", 1)});
    rows = {1, depth};
  } else {
    y = w.in();
    if (op.axes > 1) y = leading == 1 ? w.add("Flatten", {y}, {with("axis", 1)}) : w.reshaped(y, rows);
  }
  activation_function f = op.activation;
  const bool fused = w.fused() && w.result_type() == dtype::f32 && (w.input_count() == 1 || op.residual_last);
  if (op.weight.is_packed()) {
    y = product_by_packed(w, op, y);
    if (op.bias) y = w.add("Add", {y, w.weight(1)});
  } else if (op.weight) {
    y = w.add("MatMul", {y, real_weight(w, op, op.transposed ? w.weight(0) : w.transposed_weight(0), 1)});
    if (op.bias) y = w.add("Add", {y, real_bias(w, op)});
  } else if (rows.rank == 2) {
    std::vector<std::string> in{y, w.weight(0)};
    if (op.bias) in.push_back(w.weight(1));
    std::vector<attribute> a{with("transB", true)};
    const fused_activation form = fused ? fused_form(f) : fused_activation{};
    if (form.type && f.kind != function::clip) {
      a.push_back(with("activation", form.type));
      constexpr const char* names[] = {"activation_alpha", "activation_beta"};
      for (std::size_t i = 0; i < form.parameters.size(); ++i) a.push_back(with(names[i], form.parameters[i]));
      y = w.add("com.microsoft.FusedGemm", in, a);
      f = {};
    } else {
      y = w.add("Gemm", in, a);
    }
  } else {
    y = w.add("MatMul", {y, w.transposed_weight(0)});
    const bool gelu = f.kind == function::gelu || f.kind == function::gelu_tanh;
    if (fused && op.bias && gelu) {
      y = w.add(f.kind == function::gelu ? "com.microsoft.BiasGelu" : "com.microsoft.FastGelu", {y, w.weight(1)});
      f = {};
    } else if (op.bias) {
      y = w.add("Add", {y, w.weight(1)});
    }
  }
  if (op.ones > 0) y = w.reshaped(y, w.result_shape());
  const bool last = op.residual_last && w.input_count() == 2;
  if (w.input_count() == 2 && !last) {
    if (w.leaves_sum()) return w.leave_sum(y, w.in(1));
    y = w.add("Add", {y, w.in(1)});
  }
  if (!last) return finish(w, y, f, lead);
  w.result(w.add("Add", {applied(w, f, y, w.result_type()), w.in(1)}), lead);
}

/// Operand i, its last two axes exchanged on request.
inline std::string turned_operand(node_writer& w, std::size_t i, bool turn) {
  if (!turn) return w.in(i);
  integers order;
  for (int k = 0; k < w.shape(i).rank; ++k) order.push_back(k);
  std::swap(order[order.size() - 1], order[order.size() - 2]);
  return w.permuted(w.in(i), order);
}
inline void matmul_of_reals(node_writer& w) {
  const op::matmul op = w.get<op::matmul>();
  const extents a = w.shape(0), b = w.shape(1);
  const bool plain = !op.transpose_a && !op.transpose_b && op.scale == 1;
  if (!plain && a.rank == 2 && b.rank == 2 && !w.in_reals())
    return w.is("Gemm", w.all_inputs(),
                {with("alpha", op.scale), with("transA", op.transpose_a), with("transB", op.transpose_b)});
  if (!plain && w.fused() && !w.in_reals() && w.type() == dtype::f32 && a.rank > 1 && b.rank > 1)
    return w.is("com.microsoft.FusedMatMul", w.all_inputs(),
                {with("alpha", op.scale), with("transA", op.transpose_a), with("transB", op.transpose_b)});
  const std::string left = turned_operand(w, 0, op.transpose_a), right = turned_operand(w, 1, op.transpose_b);
  const std::string y = w.add("MatMul", {left, right});
  w.result(op.scale == 1 ? y : w.add("Mul", {y, w.number(op.scale, w.type())}));
}

inline void einsum(node_writer& w) {
  std::string equation;
  for (const int c : w.get<op::einsum>().equation) equation += c == '.' ? "..." : std::string(1, static_cast<char>(c));
  w.is("Einsum", w.all_inputs(), {with("equation", equation.c_str())});
}

inline void batch_norm(node_writer& w) {
  const op::batch_norm op = w.get<op::batch_norm>();
  const extents x = w.shape();
  const int axis = channel_axis(x, op.axis);
  if (op.zero_root != 0) {
    if (!w.has_numbers(3)) node_writer::refuse("a root of 0 that counts as another number");
    for (std::size_t i = 0; i < w.numbers(3)->size(); ++i)
      if (!(number_at(*w.numbers(3), i) + static_cast<double>(op.eps) > 0))
        node_writer::refuse("a root of 0 that counts as another number");
  }
  if (axis <= 1 && x.rank >= 1 && (axis == 1 || x.rank < max_rank)) {
    const int lead = 1 - axis;
    return w.is("BatchNormalization", {w.in(0, lead), w.weight(0), w.weight(1), w.weight(2), w.weight(3)},
                {with("epsilon", op.eps)}, lead);
  }
  const extents s = along_channels(x, axis);
  const std::string root = w.add("Sqrt", {w.add("Add", {w.weight(3, s), w.number(op.eps, w.type())})});
  const std::string y = w.add("Div", {w.add("Sub", {w.in(), w.weight(2, s)}), root});
  w.is("Add", {w.add("Mul", {y, w.weight(0, s)}), w.weight(1, s)});
}
inline void scale(node_writer& w) {
  const op::scale op = w.get<op::scale>();
  const int lead = w.lead();
  const extents s = along_channels(w.shape(), channel_axis(w.shape(), op.axis));
  std::string y = w.add("Mul", {w.in(0, lead), w.weight(0, s)});
  if (op.bias) y = w.add("Add", {y, w.weight(1, s)});
  finish(w, y, op.activation, lead);
}
inline void bias(node_writer& w) {
  const op::bias op = w.get<op::bias>();
  const int lead = w.lead();
  const extents s = along_channels(w.shape(), channel_axis(w.shape(), op.axis));
  finish(w, w.add("Add", {w.in(0, lead), w.weight(0, s)}), op.activation, lead);
}
inline void prelu(node_writer& w) {
  const int lead = w.lead();
  const extents s = along_channels(w.shape(), channel_axis(w.shape(), w.get<op::prelu>().axis));
  w.is("PRelu", {w.in(0, lead), w.weight(0, s)}, {}, lead);
}

inline void local_response_norm(node_writer& w) {
  const op::local_response_norm op = w.get<op::local_response_norm>();
  const int lead = w.shape().rank == 3 ? 1 : 0;
  const std::string x = w.in(0, lead);
  if (!op.within)
    return w.is("LRN", {x}, {with("size", op.size), with("alpha", op.alpha), with("beta", op.beta), with("bias", op.k)},
                lead);
  const std::string mean = w.add("AveragePool", {w.add("Mul", {x, x})},
                                 {with("kernel_shape", integers{op.size, op.size}), with("count_include_pad", true),
                                  with("pads", integers{op.before(), op.before(), op.after(), op.after()})});
  const std::string sum = w.add("Add", {w.add("Mul", {mean, w.number(op.alpha, w.type())}), w.number(op.k, w.type())});
  w.is("Div", {x, w.add("Pow", {sum, w.number(op.beta, w.type())})}, {}, lead);
}

/// A normalisation that computes the sum it reads as well.
inline bool normalized_sum(node_writer& w, const char* type, float eps) {
  const auto* sum = w.sum_left();
  if (!sum) return false;
  std::vector<std::string> in{(*sum)[0], (*sum)[1], w.in(1)};
  if (w.input_count() == 3) in.push_back(w.in(2));
  const bool both = w.read_again();
  std::vector<bool> wanted{true};
  if (both) wanted = {true, false, false, true};
  const std::vector<std::string> y = w.add_these(type, in, {with("epsilon", eps)}, wanted);
  w.result(y[0]);
  if (both) w.is_made(w.input(), y[3]);
  return true;
}

inline void layer_norm(node_writer& w) {
  const op::layer_norm op = w.get<op::layer_norm>();
  if (normalized_sum(w, "com.microsoft.SkipLayerNormalization", op.eps)) return;
  w.need(17);
  const extents x = w.shape();
  const int axis = normal_axis(op.axis, x.rank);
  const extents rows = x.from(axis);
  // Runtimes want a scale and an offset of a row's shape; any other follows as a product and a sum.
  bool plain = w.input_count() > 1;
  for (std::size_t i = 1; i < w.input_count(); ++i) plain = plain && w.shape(i) == rows;
  const int lead = plain || w.input_count() == 1 ? w.lead() : 0;
  std::vector<std::string> in{w.in(0, lead), plain ? w.in(1) : w.constant(rows, w.type(), 1)};
  if (plain && w.input_count() == 3) in.push_back(w.in(2));
  std::vector<std::string> y =
      w.add_many("LayerNormalization", in, {with("axis", axis + lead), with("epsilon", op.eps)}, op.statistics ? 3 : 1);
  if (!plain && w.input_count() > 1) y[0] = w.add("Mul", {y[0], w.in(1)});
  if (!plain && w.input_count() > 2) y[0] = w.add("Add", {y[0], w.in(2)});
  for (std::size_t i = 0; i < y.size(); ++i) w.result(static_cast<int>(i), y[i], lead);
}

inline void rms_norm(node_writer& w) {
  const op::rms_norm op = w.get<op::rms_norm>();
  if (normalized_sum(w, "com.microsoft.SkipSimplifiedLayerNormalization", op.eps)) return;
  const int axis = normal_axis(op.axis, w.shape().rank);
  if (w.version() >= 23 && w.input_count() == 2)
    return w.is("RMSNormalization", w.all_inputs(), {with("axis", axis), with("epsilon", op.eps)});
  // Before opset 23 it is written out, in f32 as its kernels compute.
  const dtype type = w.type();
  std::string x = w.in();
  if (is_narrow(type)) x = w.add("Cast", {x}, {with("to", element_number(dtype::f32))});
  const dtype wide = is_narrow(type) ? dtype::f32 : type;
  integers axes;
  for (int i = axis; i < w.shape().rank; ++i) axes.push_back(i);
  const std::string mean = reduced(w, "ReduceMean", w.add("Mul", {x, x}), axes, true);
  std::string y = w.add("Div", {x, w.add("Sqrt", {w.add("Add", {mean, w.number(op.eps, wide)})})});
  if (wide != type) y = w.add("Cast", {y}, {with("to", element_number(type))});
  if (w.input_count() == 2) {
    std::string by = w.in(1);
    if (w.type(1) != type) by = w.add("Cast", {by}, {with("to", element_number(type))});
    y = w.add("Mul", {y, by});
  }
  w.result(y);
}

inline void group_norm(node_writer& w) {
  const op::group_norm op = w.get<op::group_norm>();
  const extents as = w.shape();
  const int axis = channel_axis(as, op.axis);
  // ONNX knows a batch before the channels.
  extents x{static_cast<int>(as.count(0, axis))};
  x.append(as, axis, as.rank);
  const std::string in = axis == 1 ? w.in() : w.reshaped(w.in(), x);
  const auto is = [&](const char* type, const std::vector<std::string>& of, const std::vector<attribute>& with = {}) {
    axis == 1 ? w.is(type, of, with) : w.result(w.reshaped(w.add(type, of, with), as));
  };
  const std::vector<attribute> eps{with("epsilon", op.eps)};
  const extents c{x[1]}, g{op.groups};
  if (op.groups == x[1] && x.rank > 2) return is("InstanceNormalization", {in, w.in(1), w.in(2)}, eps);
  if (w.version() >= 21 && w.shape(1) == c && w.shape(2) == c && x.rank > 2)
    return is("GroupNormalization", {in, w.in(1), w.in(2)}, {with("num_groups", op.groups), with("epsilon", op.eps)});
  if (!(w.shape(1) == w.shape(2))) node_writer::refuse("a scale of groups and an offset of channels");
  const std::string rows = w.reshaped(w.in(), {x[0], op.groups, static_cast<int>(x.count() / x[0] / op.groups)});
  const bool by_group = w.shape(1) == g;
  const std::string y = w.reshaped(
      w.add("InstanceNormalization",
            {rows, by_group ? w.in(1) : w.constant(g, w.type(), 1), by_group ? w.in(2) : w.constant(g, w.type(), 0)},
            eps),
      as);
  if (by_group) return w.result(y);
  const extents each = along_channels(as, axis);
  w.is("Add", {w.add("Mul", {y, w.reshaped(w.in(1), each)}), w.reshaped(w.in(2), each)});
}
inline void lp_normalize(node_writer& w) {
  const op::lp_normalize op = w.get<op::lp_normalize>();
  if (op.eps == 0) return w.is("LpNormalization", {w.in()}, {with("axis", op.axis), with("p", op.p)});
  const std::string norm = reduced(w, op.p == 1 ? "ReduceL1" : "ReduceL2", w.in(), {op.axis}, true);
  w.is("Div", {w.in(), w.add("Max", {norm, w.number(op.eps, w.type())})});
}
inline void mean_variance_normalize(node_writer& w) {
  const op::mean_variance_normalize op = w.get<op::mean_variance_normalize>();
  integers axes = as_integers(op.axes);
  if (axes.empty())
    for (int i = 0; i < w.shape().rank; ++i) axes.push_back(i);
  if (op.eps > 0) {
    const std::string d = w.add("Sub", {w.in(), reduced(w, "ReduceMean", w.in(), axes, true)});
    const std::string variance = reduced(w, "ReduceMean", w.add("Mul", {d, d}), axes, true);
    return w.is("Div", {d, w.add("Sqrt", {w.add("Add", {variance, w.number(op.eps, w.type())})})});
  }
  w.is("MeanVarianceNormalization", {w.in()}, {with("axes", axes)});
}

template <class Op>
void softmax(node_writer& w) {
  const int lead = w.lead();
  const int axis = normal_axis(w.get<Op>().axis, w.shape().rank);
  w.is(Op::name == op::softmax::name   ? "Softmax"
       : Op::name == op::hardmax::name ? "Hardmax"
                                       : "LogSoftmax",
       {w.in(0, lead)}, {with("axis", axis + lead)}, lead);
}

}  // namespace ctnn::onnx::writers
