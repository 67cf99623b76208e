// SPDX-License-Identifier: BSL-1.0
// torch.nn's normalisations, with weights or without.
#pragma once

#include "activation_calls.hpp"
#include "module_options.hpp"

namespace ctnn::detail {

// clang-format off
/// A row a word, as in word_calls.hpp; several values are what is normalised, and weights that are given.
#define CTNN_NORM_CALLS(norm) \
  norm(batch_norm, batch_norm_options) norm(batch_norm1d, batch_norm_options) \
  norm(batch_norm2d, batch_norm_options) norm(batch_norm3d, batch_norm_options)
// clang-format on

template <class = void>
class norm_calls : public activation_calls<> {
 protected:  // first: Clang makes no call of a template whose body it has not seen
  /// Affine over the axes of `normalized`, with "weight" and "bias".
  constexpr value normalized(const layer_record& norm, std::string_view word, std::string_view name, value x,
                             const setting& normalized_shape, double eps, bool weight, bool bias, source_line at) {
    const extents s = shape(x);
    const int axes = normalized_shape.is_set() ? static_cast<int>(normalized_shape.size()) : 1;
    const extents own = s.from(s.rank > axes ? s.rank - axes : 0);
    const auto scope = inside(name, word);
    ir::pool<value> in;
    in.push_back(x);
    if (weight) in.push_back(parameter("weight", own, {}, at));
    if (bias) in.push_back(parameter("bias", own, {}, at));
    begin(norm, word, "norm", in, at, 1);
    if (axes != 1) say("axis", setting(-axes));
    say("eps", setting(eps));
    return last();
  }
  constexpr value by_instance(std::string_view word, int axes, std::string_view name, value x,
                              const instance_norm_options& o, source_line at) {
    const extents s = shape(x);
    const extents channels = along_axis(s.rank > axes ? s.back(axes) : 1, 0, 1 + axes);
    const auto scope = inside(name, word);
    ir::pool<value> in;
    in.push_back(x);
    if (o.affine) in.push_back(parameter("weight", channels, {}, at));
    if (o.affine) in.push_back(parameter("bias", channels, {}, at));
    begin(ctnn::layer_norm<"">::record, word, "norm", in, at, 1);
    if (axes != 1) say("axis", setting(-axes));
    say("eps", setting(o.eps));
    return last();
  }
  /// Of the word, which has an option for it, or of the shape.
  constexpr int channel_axis_of(const layer_record& word, const extents& s, const batch_norm_options& o) {
    int axis = ir::automatic_axis;
    for (const ir::option_record& said : word.options)
      if (said.key == "axis") axis = static_cast<int>(said.values[0]);
    return ir::channel_axis(s, o.dim.whole_or(o.axis.whole_or(axis)));
  }
  constexpr value by_batch(const layer_record& word, std::string_view called_after, std::string_view name, values in,
                           const batch_norm_options& o, source_line at) {
    const bool affine = o.affine.whole_or(1) != 0;
    const value x = in[0];
    if (o.track_running_stats.whole_or(1) == 0) return by_own_batch(word, called_after, name, x, o, affine, at);
    if (affine) return call(word, called_after, name, in, o, at);
    const extents s = shape(x);
    const int channels = s[channel_axis_of(word, s, o)];
    const value one = full({channels}, 1, at), zero = full({channels}, 0, at);
    const value y = call(word, called_after, name, {x, one, zero}, o, at);
    say("given", setting(3));
    return y;
  }
  /// By the statistics of what it is given, each channel's.
  constexpr value by_own_batch(const layer_record& word, std::string_view called_after, std::string_view name, value x,
                               const batch_norm_options& o, bool affine, source_line at) {
    const extents s = shape(x);
    const int axis = channel_axis_of(word, s, o);
    const extents aside = along_axis(s[axis], axis, s.rank);
    setting others;
    for (int i = 0; i < s.rank; ++i)
      if (i != axis) others.append(i);
    const auto scope = inside(name, called_after);
    begin(ctnn::layer<op::mean_variance_normalize, "">::record, called_after, "norm", x, at, 1);
    say("axes", others);
    say("eps", setting(o.eps.is_set() ? o.eps[0] : 1e-5));
    const value y = last();
    if (!affine) return y;
    const value weight = parameter("weight", {s[axis]}, {}, at), bias = parameter("bias", {s[axis]}, {}, at);
    return add(mul(y, in_shape("reshape", weight, aside, at), {}, at), in_shape("reshape", bias, aside, at), {}, at);
  }

 public:
#define CTNN_NORM_CALL(word, options)                                           \
  constexpr value word(std::string_view name, values in, const options& o = {}, \
                       source_line at = source_line::here()) {                  \
    return by_batch(ctnn::word<"">::record, #word, name, in, o, at);            \
  }
  CTNN_NORM_CALLS(CTNN_NORM_CALL)
#undef CTNN_NORM_CALL

  /// torch.nn.LayerNorm over the last axes. Weights "weight" and "bias" of their extents.
  constexpr value layer_norm(std::string_view name, value x, const layer_norm_options& o = {},
                             source_line at = source_line::here()) {
    return normalized(ctnn::layer_norm<"">::record, "layer_norm", name, x, o.normalized_shape, o.eps,
                      o.elementwise_affine, o.elementwise_affine && o.bias, at);
  }
  /// torch.nn.RMSNorm over the last axes. Weight "weight" of their extents. (PyTorch's own eps is the least number
  /// above 0; most networks say one.)
  constexpr value rms_norm(std::string_view name, value x, const rms_norm_options& o = {},
                           source_line at = source_line::here()) {
    return normalized(ctnn::rms_norm<"">::record, "rms_norm", name, x, o.normalized_shape, o.eps, o.elementwise_affine,
                      false, at);
  }
  /// torch.nn.GroupNorm of (C, ...) or (N, C, ...). Weights "weight" and "bias" (C).
  constexpr value group_norm(std::string_view name, value x, const group_norm_options& o,
                             source_line at = source_line::here()) {
    const extents s = shape(x);
    const int axis = ir::channel_axis(s, o.dim.whole_or(ir::automatic_axis));
    const auto scope = inside(name, "group_norm");
    const extents of{o.affine ? s[axis] : o.num_groups};
    const value weight = o.affine ? parameter("weight", of, {}, at) : full(of, 1, at);
    const value bias = o.affine ? parameter("bias", of, {}, at) : full(of, 0, at);
    begin(ctnn::layer<op::group_norm, "">::record, "group_norm", "norm", {x, weight, bias}, at, 1);
    say("groups", setting(o.num_groups));
    say("eps", setting(o.eps));
    say("axis", o.dim);
    return last();
  }
  /// torch.nn.InstanceNorm1d of (C, L) or (N, C, L); `affine` has weights "weight" and "bias" (C). With running
  /// statistics it is batch_norm.
  constexpr value instance_norm1d(std::string_view name, value x, const instance_norm_options& o = {},
                                  source_line at = source_line::here()) {
    return by_instance("instance_norm1d", 1, name, x, o, at);
  }
  /// The same of images, (C, H, W) or (N, C, H, W).
  constexpr value instance_norm2d(std::string_view name, value x, const instance_norm_options& o = {},
                                  source_line at = source_line::here()) {
    return by_instance("instance_norm2d", 2, name, x, o, at);
  }
  /// The same of volumes.
  constexpr value instance_norm3d(std::string_view name, value x, const instance_norm_options& o = {},
                                  source_line at = source_line::here()) {
    return by_instance("instance_norm3d", 3, name, x, o, at);
  }
  /// torch.nn.functional.normalize: x by its norm along an axis, which counts as `eps` where it is less.
  constexpr value normalize(value x, const normalize_options& o = {}, source_line at = source_line::here()) {
    begin(ctnn::layer<op::lp_normalize, "">::record, "normalize", {}, x, at, 1);
    say("axis", setting(o.dim));
    if (o.p != 2) say("p", setting(o.p));
    say("eps", setting(o.eps));
    return last();
  }
};

}  // namespace ctnn::detail
