// SPDX-License-Identifier: BSL-1.0
// layer_norm, rms_norm and group_norm as ncnn layers.
#pragma once

#include <algorithm>

#include "../node_writer.hpp"

namespace ctnn::ncnn::writers {

/// Parameter i of a normalisation, one number for each of n; a single number stands for all.
inline std::vector<float> normalization_parameter(const node_writer& w, std::size_t i, std::int64_t n,
                                                  float otherwise) {
  std::vector<float> numbers{otherwise};
  if (i < w.input_count()) numbers = w.b.constant(w.input(i));
  if (numbers.size() == 1) numbers.resize(static_cast<std::size_t>(n), numbers[0]);
  if (static_cast<std::int64_t>(numbers.size()) != n) throw inexpressible{"a scale of " + describe(w.input_shape(i))};
  return numbers;
}
inline bool all_are(const std::vector<float>& numbers, float x) {
  return std::all_of(numbers.begin(), numbers.end(), [x](float y) { return y == x; });
}

/// Statistics over the axes from `axis` on, with the parameters that come after the input.
inline void norm_of_rows(node_writer& w, const char* type, int axis, float eps, bool shift) {
  const extents& x = w.input_shape();
  const int first = normal_axis(axis, x.rank);
  if (x.rank > 3 || (first != x.rank - 1 && !(x.rank == 3 && first == 1)))
    throw inexpressible{"statistics over these axes of " + describe(x)};
  const std::int64_t n = x.count(first, x.rank);
  const std::vector<float> scales = normalization_parameter(w, 1, n, 1), shifts = normalization_parameter(w, 2, n, 0);
  const bool affine = !all_are(scales, 1) || !all_are(shifts, 0);
  w.layer(type, {w.in()}, {w.out()}, parameter_list().integer(0, n, 0).real(1, eps, 1e-3f).integer(2, affine, 1));
  if (!affine) return;
  w.b.bin.raw(scales);
  if (shift) w.b.bin.raw(shifts);
}
inline void layer_norm(node_writer& w) {
  const op::layer_norm op = w.get<op::layer_norm>();
  if (op.statistics) throw inexpressible{"statistics as outputs"};
  norm_of_rows(w, "LayerNorm", op.axis, op.eps, true);
}
inline void rms_norm(node_writer& w) {
  const op::rms_norm op = w.get<op::rms_norm>();
  norm_of_rows(w, "RMSNorm", op.axis, op.eps, false);
}

inline void group_norm(node_writer& w) {
  const op::group_norm op = w.get<op::group_norm>();
  const extents& x = w.input_shape();
  const int axis = channel_axis(x, op.axis);
  if (x.count(0, axis) != 1 || x.rank - axis > 4) throw inexpressible{"a batch of " + describe(x)};
  const extents one = x.from(axis);
  const int channels = one[0];
  const std::vector<float> scales = normalization_parameter(w, 1, channels, 1),
                           shifts = normalization_parameter(w, 2, channels, 0);
  const bool affine = !all_are(scales, 1) || !all_are(shifts, 0);
  const std::string from = w.in_form(0, one), to = w.out_in_form(one);
  if (op.groups == channels && one.rank == 3)
    w.layer("InstanceNorm", {from}, {to},
            parameter_list().integer(0, channels, 0).real(1, op.eps, 1e-3f).integer(2, affine, 1));
  else
    w.layer(
        "GroupNorm", {from}, {to},
        parameter_list().integer(0, op.groups, 1).integer(1, channels, 0).real(2, op.eps, 1e-3f).integer(3, affine, 1));
  if (affine) {
    w.b.bin.raw(scales);
    w.b.bin.raw(shifts);
  }
  w.finish();
}

}  // namespace ctnn::ncnn::writers
