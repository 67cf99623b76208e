// SPDX-License-Identifier: BSL-1.0
// Resizing, sampling on grids, regions of interest, boxes, Fourier transforms, attention.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "movement.hpp"

namespace ctnn::onnx::writers {

inline void interpolate(node_writer& w) {
  const op::interpolate op = w.get<op::interpolate>();
  const extents x = w.shape(), y = w.result_shape();
  const int lead = op.axes == x.rank - 1 && x.rank < max_rank ? 1 : 0, rank = x.rank + lead;
  constexpr const char* modes[] = {"nearest", "linear", "cubic"};
  constexpr const char* coordinates[] = {"half_pixel", "half_pixel_symmetric", "pytorch_half_pixel", "align_corners",
                                         "asymmetric", "tf_half_pixel_for_nn", "tf_crop_and_resize"};
  std::vector<attribute> a{with("mode", modes[static_cast<int>(op.mode)])};
  using enum op::rounding;
  bool shrinks = false;
  for (int i = 0; i < x.rank; ++i) shrinks = shrinks || y[i] < x[i];
  const bool nearest = op.mode == op::interpolation::nearest;
  const bool torch_nearest = nearest && op.rounding == torch;
  a.push_back(with("coordinate_transformation_mode",
                   torch_nearest ? "asymmetric" : coordinates[static_cast<int>(op.coordinates)]));
  if (op.coordinates == op::coordinates::half_pixel_symmetric) w.need(19);
  if (nearest)
    a.push_back(with("nearest_mode", op.rounding == round_prefer_floor                            ? "round_prefer_floor"
                                     : op.rounding == round_prefer_ceil                           ? "round_prefer_ceil"
                                     : op.rounding == ceil || (op.rounding == by_size && shrinks) ? "ceil"
                                                                                                  : "floor"));
  if (op.mode == op::interpolation::cubic) a.push_back(with("cubic_coeff_a", op.cubic_a));
  if (op.exclude_outside) a.push_back(with("exclude_outside", true));
  if (op.crops()) a.push_back(with("extrapolation_value", op.extrapolation));
  if (op.antialias) {
    w.need(18);
    a.push_back(with("antialias", true));
  }
  // By scales where they give these extents, else by sizes.
  std::vector<float> scales(static_cast<std::size_t>(rank), 1.0f);
  integers sizes(static_cast<std::size_t>(lead), 1);
  for (int i = 0; i < x.rank; ++i) sizes.push_back(y[i]);
  bool by_scales = true, by_sizes = true;
  double one = 0, least = 0, most = 0;
  for (int i = 0; i < op.axes; ++i) {
    const int axis = x.rank - op.axes + i;
    const double scale = op.scale.at(i), ratio = static_cast<double>(y[axis]) / x[axis];
    const float f = static_cast<float>(scale);
    scales[static_cast<std::size_t>(axis + lead)] = f;
    by_scales = by_scales && f > 0 && static_cast<int>(static_cast<float>(x[axis]) * f) == y[axis] &&
                !(torch_nearest && op.size.at(i) > 0 && scale != ratio);
    by_sizes = by_sizes && (scale == 0 || scale == ratio || op.coordinates == op::coordinates::align_corners);
    one = scale;
    least = i == 0 ? ratio : std::min(least, ratio);
    most = std::max(most, ratio);
  }
  const bool rounds = op.fraction_bits > 0;  // as TensorFlow Lite does: ONNX does not say how bytes are rounded
  std::vector<std::string> in{rounds ? w.real_of(w.in(0, lead), {w.type().type, {1, 0}}) : w.in(0, lead), ""};
  if (op.crops()) {
    std::vector<float> roi(2 * static_cast<std::size_t>(rank));
    for (int side = 0; side < 2; ++side)
      for (int i = 0; i < rank; ++i) {
        const int k = i - (rank - op.axes);
        roi[static_cast<std::size_t>(side * rank + i)] =
            k < 0 ? static_cast<float>(side) : static_cast<float>(op.roi[static_cast<std::size_t>(side * op.axes + k)]);
      }
    in[1] = w.reals(roi);
  }
  if (by_sizes && !by_scales) {
    in.push_back("");
    in.push_back(w.whole(sizes));
  } else if (by_scales) {
    in.push_back(w.reals(scales));
  } else if (one == least || one == most) {  // one scale for all axes, and extents rounded to the nearest
    w.need(18);
    a.push_back(with("keep_aspect_ratio_policy", one == least ? "not_larger" : "not_smaller"));
    integers axes, some;
    for (int i = rank - op.axes; i < rank; ++i) {
      axes.push_back(i);
      some.push_back(sizes[static_cast<std::size_t>(i)]);
    }
    a.push_back(with("axes", axes));
    in.push_back("");
    in.push_back(w.whole(some));
  } else {
    node_writer::refuse("a scale that does not give the extents");
  }
  const std::string result = w.add("Resize", in, a);
  w.result(rounds ? w.integers_of(result, {w.type().type, {1, 0}}) : result, lead);
}

inline void grid_sample(node_writer& w) {
  const op::grid_sample op = w.get<op::grid_sample>();
  w.need(w.shape().rank == 4 ? 16 : 20);
  constexpr const char* old_modes[] = {"nearest", "bilinear", "bicubic"};
  constexpr const char* modes[] = {"nearest", "linear", "cubic"};
  constexpr const char* paddings[] = {"zeros", "border", "reflection"};
  const auto mode = static_cast<int>(op.mode);
  w.is("GridSample", w.all_inputs(),
       {with("mode", w.version() < 20 ? old_modes[mode] : modes[mode]),
        with("padding_mode", paddings[static_cast<int>(op.padding)]), with("align_corners", op.align_corners)});
}
inline void affine_grid(node_writer& w) {
  const op::affine_grid op = w.get<op::affine_grid>();
  w.need(20);
  w.is("AffineGrid", {w.in(), w.whole(as_integers(op.size))}, {with("align_corners", op.align_corners)});
}
inline void roi_align(node_writer& w) {
  const op::roi_align op = w.get<op::roi_align>();
  w.need(16);
  w.is("RoiAlign", {w.in(0), w.in(1), long_indices(w, 2)},
       {with("mode", op.maximum ? "max" : "avg"), with("output_height", op.size[0]), with("output_width", op.size[1]),
        with("sampling_ratio", op.samples), with("spatial_scale", op.spatial_scale),
        with("coordinate_transformation_mode", op.half_pixel ? "half_pixel" : "output_half_pixel")});
}
inline void roi_pool(node_writer& w) {
  const op::roi_pool op = w.get<op::roi_pool>();
  w.is("MaxRoiPool", w.all_inputs(),
       {with("pooled_shape", as_integers(op.size)), with("spatial_scale", op.spatial_scale)});
}
inline void non_max_suppression(node_writer& w) {
  const op::non_max_suppression op = w.get<op::non_max_suppression>();
  std::vector<std::string> in{w.in(0), w.in(1), w.whole({op.most}), w.reals({op.iou})};
  if (op.has_score) in.push_back(w.reals({op.score}));
  w.is("NonMaxSuppression", in, {with("center_point_box", op.center)});
}

inline void dft(node_writer& w) {
  const op::dft op = w.get<op::dft>();
  const int axis = normal_axis(op.axis, w.shape().rank);
  std::vector<std::string> in{w.in(), op.length ? w.whole_scalar(op.length) : ""};
  std::vector<attribute> a{with("inverse", op.inverse), with("onesided", op.onesided)};
  w.need(17);
  if (w.version() >= 20) in.push_back(w.whole_scalar(axis));
  else a.push_back(with("axis", axis));
  w.is("DFT", in, a);
}
inline void stft(node_writer& w) {
  const op::stft op = w.get<op::stft>();
  w.need(17);
  w.is("STFT", {w.in(), w.whole_scalar(op.step), w.input_count() == 2 ? w.in(1) : "", w.whole_scalar(op.frame)},
       {with("onesided", op.onesided)});
}

/// The mask with a row for each query, as ONNX Runtime wants it.
inline std::string mask_of_rows(node_writer& w) {
  extents m = w.shape(3);
  const int length = w.shape(0).back(1);
  if (m.rank < 2 || m.back(1) == length) return w.in(3);
  m.back(1) = length;
  return w.add("Expand", {w.in(3), w.dims(m)});
}
/// com.microsoft's, where it says the same: Q, K and V side by side, as many heads of each, masks that are added.
inline bool fused_attention(node_writer& w, const op::attention& op) {
  const extents q = w.shape(0), k = w.shape(1);
  if (!w.fused() || w.type() != dtype::f32 || q.rank != 3 || op.heads != op.kv_heads || op.lengths || op.softcap != 0 ||
      op.scores || op.sliding_window > 0 || op.lower_right || (op.causal && (k[1] != q[1] || q[1] == 1)))
    return false;
  const std::size_t past_at = op.mask ? 4 : 3;
  const int total = k[1] + (op.past ? w.shape(past_at)[2] : 0);
  if (op.mask) {
    const extents m = w.shape(3);
    if (w.type(3) != dtype::f32 || m.rank != 4 || m[3] != total || (m[0] != 1 && m[0] != q[0]) ||
        (m[1] != 1 && m[1] != op.heads))
      return false;
  }
  std::vector<std::string> in{w.in(0), w.in(1), w.in(2), "", "", op.mask ? mask_of_rows(w) : ""};
  for (std::size_t i = 0; i < 2 && op.past; ++i) in.push_back(w.in(past_at + i));
  std::vector<attribute> a{with("num_heads", op.heads), with("unidirectional", op.causal)};
  if (op.scale != 0) a.push_back(with("scale", op.scale));
  const std::vector<std::string> y = w.add_many("com.microsoft.MultiHeadAttention", in, a, op.present ? 3 : 1);
  for (std::size_t i = 0; i < y.size(); ++i) w.result(static_cast<int>(i), y[i]);
  return true;
}
/// What Attention has no word for, as products and a softmax: booleans that hide keys with another number than
/// -infinity, and masks without rows, which an axis that is open would have to be expanded to.
inline bool is_in_parts(const node_writer& w, const op::attention& op) {
  if (!op.mask) return false;
  const bool hides = w.type(3) == dtype::boolean && op.hidden_score != -std::numeric_limits<float>::infinity();
  const extents q = op::attention::by_heads(w.shape(0), op.heads), k = op::attention::by_heads(w.shape(1), op.kv_heads),
                m = w.shape(3);
  const bool simple = !op.causal && !op.past && !op.lengths && !op.present && !op.scores && op.softcap == 0 &&
                      (k[1] == q[1] || k[1] == 1);
  if (hides && !simple) node_writer::refuse("attention that hides keys with " + std::to_string(op.hidden_score));
  return hides || (simple && q[2] != 1 && (m.rank < 2 || m.back(1) == 1));
}
inline void attention_in_parts(node_writer& w, const op::attention& op) {
  const auto apart = [&](std::size_t i) {
    const extents x = w.shape(i), h = op::attention::by_heads(x, i == 0 ? op.heads : op.kv_heads);
    return x.rank == 4 ? w.in(i) : w.permuted(w.reshaped(w.in(i), {h[0], h[2], h[1], h[3]}), {0, 2, 1, 3});
  };
  const std::string product = w.add("MatMul", {apart(0), w.permuted(apart(1), {0, 1, 3, 2})});
  const float size = static_cast<float>(op::attention::by_heads(w.shape(0), op.heads)[3]);
  const float scale = op.scale != 0 ? op.scale : 1 / std::sqrt(size);
  const std::string scaled = w.add("Mul", {product, w.number(scale, w.type())});
  const std::string kept = w.type(3) == dtype::boolean
                               ? w.add("Where", {w.in(3), scaled, w.number(op.hidden_score, w.type())})
                               : w.add("Add", {scaled, w.in(3)});
  const std::string y = w.add("MatMul", {w.add("Softmax", {kept}, {with("axis", -1)}), apart(2)});
  w.result(w.shape(0).rank == 4 ? y : w.reshaped(w.permuted(y, {0, 2, 1, 3}), w.result_shape()));
}
inline void attention(node_writer& w) {
  const op::attention op = w.get<op::attention>();
  if (op.sliding_window > 0) node_writer::refuse("attention with a sliding window");
  if (op.lower_right) node_writer::refuse("causal attention whose last query sees the last key");
  if (is_in_parts(w, op)) return attention_in_parts(w, op);
  if (fused_attention(w, op)) return;
  w.need(op.lengths ? 24 : 23);
  std::size_t next = 3;
  std::vector<std::string> in{w.in(0), w.in(1), w.in(2)};
  in.push_back(op.mask ? mask_of_rows(w) : "");
  next += op.mask ? 1 : 0;
  for (int i = 0; i < 2; ++i) in.push_back(op.past ? w.in(next++) : "");
  in.push_back(op.lengths ? long_indices(w, next) : "");
  std::vector<attribute> a{with("is_causal", op.causal)};
  if (op.heads) a.push_back(with("q_num_heads", op.heads));
  if (op.kv_heads) a.push_back(with("kv_num_heads", op.kv_heads));
  if (op.scale != 0) a.push_back(with("scale", op.scale));
  if (op.softcap != 0) a.push_back(with("softcap", op.softcap));
  if (op.scores) a.push_back(with("qk_matmul_output_mode", static_cast<int>(op.which)));
  // ONNX Runtime wants what a cache becomes where there is one.
  const std::vector<std::string> out = w.add_many("Attention", in, a, op.scores ? 4 : op.present || op.past ? 3 : 1);
  int to = 0;
  w.result(to++, out[0]);
  for (std::size_t i = 1; i < 3 && op.present; ++i) w.result(to++, out[i]);
  if (op.scores) w.result(to, out[3]);
}
inline void rotary_embedding(node_writer& w) {
  const op::rotary_embedding op = w.get<op::rotary_embedding>();
  if (w.fused() && w.type() == dtype::f32 && w.input_count() == 4) {
    const int heads = w.shape().rank == 4 ? w.shape()[1] : op.heads;
    return w.is("com.microsoft.RotaryEmbedding", {w.in(0), long_indices(w, 3), w.in(1), w.in(2)},
                {with("interleaved", op.interleaved), with("num_heads", heads), with("rotary_embedding_dim", op.part)});
  }
  w.need(23);
  std::vector<std::string> in{w.in(0), w.in(1), w.in(2)};
  if (w.input_count() == 4) in.push_back(long_indices(w, 3));
  w.is("RotaryEmbedding", in,
       {with("interleaved", op.interleaved), with("num_heads", op.heads), with("rotary_embedding_dim", op.part)});
}

}  // namespace ctnn::onnx::writers
