// SPDX-License-Identifier: BSL-1.0
// Convolutions over one, two and three axes: torch.nn.functional.conv1d to conv3d and conv_transpose1d to 3d, ONNX Conv
// and ConvTranspose.
#pragma once

#include "../../base/byte_image.hpp"
#include "../window.hpp"
#include "typing.hpp"
#include "volume_strips.hpp"
#include "weight_element.hpp"

namespace ctnn::op {

/// The windows of a convolution over Axes axes, outermost first: what both directions share. Padding is given before
/// each axis, then after each (ONNX's order).
template <int Axes>
struct convolution_windows {
  using each_axis = std::array<int, static_cast<std::size_t>(Axes)>;
  static constexpr each_axis ones = [] {
    each_axis a{};
    a.fill(1);
    return a;
  }();

  int out = 0;
  each_axis kernel{};
  each_axis stride = ones;
  std::array<int, 2 * static_cast<std::size_t>(Axes)> pad{};
  each_axis dilation = ones;
  int groups = 1;
  bool bias = true;
  activation_function activation{};
  slot_set given = 0;

  constexpr bool has_slopes() const { return activation.kind == function::prelu; }
  /// The weight slot of the slopes of prelu.
  constexpr std::size_t slopes() const { return bias ? 2 : 1; }

  /// Axis `axis` of the windows in a value, and its channels.
  static constexpr int extent_of(const extents& x, int axis) { return x.back(Axes - 1 - axis); }
  static constexpr int channels_of(const extents& x) { return x.back(Axes); }
  static constexpr bool has_batch(const extents& x) { return x.rank == Axes + 2; }
  constexpr std::int64_t taps() const {
    std::int64_t n = 1;
    for (int k : kernel) n *= k;
    return n;
  }

  constexpr problem check(const extents& x, std::string_view name) const {
    if (out == 0) return {mistake::missing_option, "out"};
    for (int k : kernel)
      if (k == 0) return {mistake::missing_option, "kernel"};
    if (out < 1) return {mistake::option_out_of_range, "out", {out}, {1}};
    for (std::size_t i = 0; i < kernel.size(); ++i) {
      if (kernel[i] < 1) return {mistake::option_out_of_range, "kernel", {kernel[i]}, {1}};
      if (stride[i] < 1) return {mistake::option_out_of_range, "stride", {stride[i]}, {1}};
      if (const int v = dilation[i]; v < 1 || v > most_of_window)
        return {mistake::option_out_of_range, "dilation", {v}, {v < 1 ? 1 : most_of_window}};
    }
    for (int p : pad)
      if (p < 0) return {mistake::option_out_of_range, "pad", {p}, {0}};
    if (x.rank != Axes + 1 && x.rank != Axes + 2) return {mistake::rank_mismatch, name, x, {Axes + 1}};
    if (groups < 1) return {mistake::option_out_of_range, "groups", {groups}, {1}};
    if (channels_of(x) % groups != 0 || out % groups != 0)
      return {mistake::groups_do_not_divide_channels, "groups", {channels_of(x), out}, {groups}};
    return {};
  }
  constexpr int passes(int back, inputs in) const { return passes_samples(Axes, back, in[0]); }
  /// Slots: a weight of rows x columns x kernel, the bias and the slopes.
  constexpr weight_slots slots(int rows, int columns) const {
    extents shape{rows, columns};
    for (int k : kernel) shape.push_back(k);
    weight_slots out_slots{{"weight"sv, shape}};
    if (bias) out_slots.push_back({"bias"sv, {out}});
    if (has_slopes()) out_slots.push_back({"slope"sv, {out}});
    return out_slots;
  }
};

/// Whether a conv2d of 3 x 3 may go by kernels/winograd.hpp where that is faster, and where its weights' transforms
/// are then: in memory instead of the weights, of which they are up to seven times as many, or made by each run.
enum class winograd_use { none, each_run, packed };

/// Input (C, ...) or (N, C, ...) with Axes axes behind the channels; output (out, ...) with extents
/// (size + pads - span) / stride + 1. Weight (out, C / groups, kernel), bias (out). Depthwise is groups == C.
/// `activation` is applied to the sum; with two inputs the second has the output's shape and is added before the
/// activation (a residual connection), or, of conv1d and conv2d with `residual_last`, behind it. prelu, of these two,
/// takes one more weight, "slope" of shape (out). Between bytes (weight_element.hpp) outside of the input is its zero
/// point.
template <int Axes>
struct conv : convolution_windows<Axes> {
  static_assert(Axes >= 1 && Axes <= 3);
  static constexpr int tier = 2;                              // of one pixel it is a linear layer
  constexpr int own_tier() const { return weight ? -1 : 0; }  // what made real numbers of bytes is gone
  static constexpr std::string_view name = Axes == 1 ? "conv1d"sv : Axes == 2 ? "conv2d"sv : "conv3d"sv;
  /// Over one axis kernels see an image of one row (as_image).
  static constexpr traits is = Axes == 3 ? traits{.divisible = true, .divides_typed = true, .divides_scratch = true}
                                         : traits{.layouts = Axes == 1 ? layout_rule::nwc : layout_rule::nhwc,
                                                  .reads_nchw = true,
                                                  .in_place = true,
                                                  .divisible = true,
                                                  .divides_typed = true,
                                                  .divides_scratch = true,
                                                  .images = Axes == 1 ? image_flow::nothing : image_flow::makes};
  static constexpr bool packs(int slot) { return slot == 0; }
  /// The residual, unless partial sums would stand there before it is read.
  constexpr bool overwrites(int inputs, int i) const { return Axes < 3 && inputs == 2 && i == 1 && !residual_last; }
  static constexpr int min_inputs = 1, max_inputs = 2;
  static constexpr bool takes_slopes = Axes < 3;
  using windows = convolution_windows<Axes>;

  same_padding same = same_padding::none;
  bool residual_last = false;  ///< of conv1d, conv2d: the second input is added to what the activation gives
  winograd_use winograd = winograd_use::packed;  ///< of conv2d: sums may go by kernels/winograd.hpp
  int winograd_bytes = 0;  ///< of conv2d: memory that they may take for it while they run; 0: what is fastest
  weight_element weight{};

  static constexpr void fields(auto& self, auto&& field) {
    field("out", self.out);
    field("kernel", self.kernel);
    field("stride", self.stride);
    field("pad", self.pad);
    field("same", self.same);
    field("dilation", self.dilation);
    field("groups", self.groups);
    field("bias", self.bias);
    field("activation", self.activation);
    if constexpr (Axes < 3) field("residual_last", self.residual_last);
    if constexpr (Axes == 2) field("winograd", self.winograd);
    if constexpr (Axes == 2) field("winograd_bytes", self.winograd_bytes);
    weight_element::fields(self.weight, field);
    field("given", self.given);
  }

  /// The padding in numbers.
  constexpr auto padding(const extents& in) const {
    auto numbers = this->pad;
    constexpr auto axes = static_cast<std::size_t>(Axes);
    for (std::size_t i = 0; i < axes; ++i) {
      const auto both = resolve_padding({this->pad[i], this->pad[i + axes]}, same, this->kernel[i], this->stride[i],
                                        this->dilation[i], windows::extent_of(in, static_cast<int>(i)));
      numbers[i] = both[0];
      numbers[i + axes] = both[1];
    }
    return numbers;
  }

  constexpr problem infer(inputs in, outputs result) const {
    const extents& x = in[0];
    if (const problem p = this->check(x, name)) return p;
    const auto p = padding(x);
    extents y = x, room, span;
    y.back(Axes) = this->out;
    bool fits = true;
    for (int i = 0; i < Axes; ++i) {
      const auto k = static_cast<std::size_t>(i);
      const std::int64_t padded = std::int64_t{windows::extent_of(x, i)} + p[k] + p[k + static_cast<std::size_t>(Axes)];
      const std::int64_t reach = (std::int64_t{this->kernel[k]} - 1) * this->dilation[k] + 1;
      if (padded > 2147483647 || reach > 2147483647) return {mistake::too_large, "kernel"};
      room.push_back(static_cast<int>(padded));
      span.push_back(static_cast<int>(reach));
      fits = fits && padded >= reach;
      if (fits) y.back(Axes - 1 - i) = static_cast<int>((padded - reach) / this->stride[k]) + 1;
    }
    if (!fits) return {mistake::window_larger_than_padded_input, "kernel", room, span};
    if (in.size() == 2 && !(in[1] == y)) return {mistake::shape_mismatch, "residual input", in[1], y};
    result[0] = y;
    return weight ? check_image(x, y) : problem{};
  }
  constexpr problem infer_types(types in, types wanted, span<element> result) const {
    return weight ? weight.infer(in, wanted, result, this->activation) : all_floating(in, result, name);
  }

  constexpr weight_slots weights(inputs in, types of = {}, types made = {}) const {
    weight_slots slots = this->slots(this->out, windows::channels_of(in[0]) / this->groups);
    if (!weight) return slots;
    slots.shrink(1);
    slots[0].type = weight.type;
    weight.add_slots(slots, element_at(of, 0), element_at(made, 0), this->bias, this->out);
    return slots;
  }
  constexpr std::int64_t macs(inputs in, span<const extents> result) const {
    return result[0].count() * (windows::channels_of(in[0]) / this->groups) * this->taps();
  }
  /// Of bytes: what the kernel makes of a group's input.
  constexpr byte_image image(const extents& in, const extents& result) const {
    byte_image g;
    g.channels = windows::channels_of(in) / this->groups;
    g.outputs = this->out;
    g.groups = this->groups;
    const auto before = padding(in);
    for (int i = 0; i < Axes; ++i) {
      const auto k = static_cast<std::size_t>(i);
      const int count = windows::extent_of(result, i), step = count == 1 ? 1 : this->stride[k];
      g.axis[3 - Axes + i] = {windows::extent_of(in, i), count, this->kernel[k], step, this->dilation[k], before[k]};
    }
    return g;
  }
  static constexpr bool f32_takes_scratch = Axes == 3;
  /// A window's taps, and under them the inputs of a group; of floats over three axes, the strips; of bytes, the image.
  constexpr std::int64_t scratch(inputs in, span<const extents> result) const {
    if (weight) return image(in[0], result[0]).scratch_of_parts();
    std::int64_t strips = 0;
    if constexpr (Axes == 3) strips = volume_strips(*this, in[0], result[0]).scratch();
    return at_least_plain(strips, in[0]);
  }
  constexpr std::int64_t least_scratch(inputs in, span<const extents> result) const {
    if (weight) return image(in[0], result[0]).scratch_of_part(1);
    std::int64_t strips = 0;
    if constexpr (Axes == 3) strips = volume_strips(*this, in[0], result[0]).scratch_of_part();
    return at_least_plain(strips, in[0]);
  }

 private:
  constexpr std::int64_t at_least_plain(std::int64_t strips, const extents& in) const {
    const std::int64_t depth = windows::channels_of(in) / this->groups * this->taps();
    const std::int64_t plain = scratch_for(this->taps(), 2 * sizeof(std::int64_t)) + 2 * scratch_for(depth);
    return plain < strips ? strips : plain;
  }
  /// The image is in memory with its padding, which may be as large as a file likes.
  constexpr problem check_image(const extents& x, const extents& y) const {
    const byte_image g = image(x, y);
    if (!g.countable()) return {mistake::too_large, "kernel"};
    const std::int64_t common = 16 * (x.count() + y.count() + g.depth()) + (std::int64_t{1} << 24);
    return g.scratch() > common ? problem{mistake::option_out_of_range, "pad"} : problem{};
  }
};

/// Input (C, ...) or (N, C, ...); output (out, ...) with extents (size - 1) stride + span + output_padding - pads:
/// every input adds its multiple of the kernel to the outputs from `stride` times its place on, then the padding is cut
/// off. Weight (C, out / groups, kernel), bias (out). Depthwise is groups == C == out. `activation` is applied to the
/// sum.
template <int Axes>
struct conv_transpose : convolution_windows<Axes> {
  static_assert(Axes >= 1 && Axes <= 3);
  static constexpr std::string_view name =
      Axes == 1 ? "conv_transpose1d"sv : Axes == 2 ? "conv_transpose2d"sv : "conv_transpose3d"sv;
  static constexpr traits is =
      Axes == 1   ? traits{.layouts = layout_rule::nwc, .divisible = true}
      : Axes == 2 ? traits{.layouts = layout_rule::nhwc, .divisible = true, .images = image_flow::makes}
                  : traits{.vectors = vectors_of::none};
  static constexpr bool packs(int slot) { return Axes < 3 && slot == 0; }
  using windows = convolution_windows<Axes>;

  typename windows::each_axis output_padding{};

  static constexpr void fields(auto& self, auto&& field) {
    field("out", self.out);
    field("kernel", self.kernel);
    field("stride", self.stride);
    field("pad", self.pad);
    field("output_padding", self.output_padding);
    field("dilation", self.dilation);
    field("groups", self.groups);
    field("bias", self.bias);
    field("activation", self.activation);
    field("given", self.given);
  }

  /// Outputs along an axis whose input has `size`; below 1 if the padding leaves none.
  constexpr std::int64_t extent(std::size_t axis, int size) const {
    return (std::int64_t{size} - 1) * this->stride[axis] +
           (std::int64_t{this->kernel[axis]} - 1) * this->dilation[axis] + 1 + output_padding[axis] - this->pad[axis] -
           this->pad[axis + static_cast<std::size_t>(Axes)];
  }

  constexpr problem infer(inputs in, outputs result) const {
    const extents& x = in[0];
    for (int more : output_padding)
      if (more < 0) return {mistake::option_out_of_range, "output_padding", {more}, {0}};
    if (const problem p = this->check(x, name)) return p;
    result[0] = x;
    result[0].back(Axes) = this->out;
    for (int i = 0; i < Axes; ++i) {
      const auto k = static_cast<std::size_t>(i);
      const std::int64_t n = extent(k, windows::extent_of(x, i));
      if (n < 1)
        return {
            mistake::option_out_of_range, "pad", {this->pad[k], this->pad[k + static_cast<std::size_t>(Axes)]}, {0}};
      if (n > 2147483647) return {mistake::too_large, "stride"};
      result[0].back(Axes - 1 - i) = static_cast<int>(n);
    }
    return {};
  }
  constexpr problem infer_types(types in, span<element> result) const { return all_floating(in, result, name); }

  constexpr weight_slots weights(inputs in) const {
    return this->slots(windows::channels_of(in[0]), this->out / this->groups);
  }
  constexpr std::int64_t macs(inputs in, span<const extents>) const {
    return in[0].count() * (this->out / this->groups) * this->taps();
  }
};

using conv1d = conv<1>;
using conv2d = conv<2>;
using conv3d = conv<3>;
using conv_transpose1d = conv_transpose<1>;
using conv_transpose2d = conv_transpose<2>;
using conv_transpose3d = conv_transpose<3>;

template <class Op>
concept convolution_of_signals = std::same_as<Op, conv1d> || std::same_as<Op, conv_transpose1d>;

/// The same windows over an image of one row.
constexpr void copy_as_image(const convolution_windows<1>& from, convolution_windows<2>& to) {
  to.out = from.out;
  to.kernel = {1, from.kernel[0]};
  to.stride = {1, from.stride[0]};
  to.pad = {0, from.pad[0], 0, from.pad[1]};
  to.dilation = {1, from.dilation[0]};
  to.groups = from.groups;
  to.bias = from.bias;
  to.activation = from.activation;
  to.given = from.given;
}
constexpr conv2d as_image(const conv1d& p) {
  conv2d image;
  copy_as_image(p, image);
  image.same = p.same;
  image.residual_last = p.residual_last;
  image.weight = p.weight;
  return image;
}
constexpr conv_transpose2d as_image(const conv_transpose1d& p) {
  conv_transpose2d image;
  copy_as_image(p, image);
  image.output_padding = {0, p.output_padding[0]};
  return image;
}
/// One plane of a volume's windows, without padding: a convolution of an image.
constexpr conv2d plane_of(const conv3d& p) {
  conv2d plane;
  plane.out = p.out;
  plane.kernel = {p.kernel[1], p.kernel[2]};
  plane.stride = {p.stride[1], p.stride[2]};
  plane.dilation = {p.dilation[1], p.dilation[2]};
  plane.groups = p.groups;
  plane.bias = p.bias;
  return plane;
}

}  // namespace ctnn::op
