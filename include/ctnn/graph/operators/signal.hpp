// SPDX-License-Identifier: BSL-1.0
// Fourier transforms and windows as ONNX has them. Complex numbers are a last axis of extent 2.
#pragma once

#include "typing.hpp"

namespace ctnn::op {

/// The power of two that a transform of n points that are none goes by (Bluestein's).
constexpr std::int64_t chirp_length(std::int64_t n) {
  std::int64_t size = 1;
  while (size < 2 * n - 1) size *= 2;
  return size;
}
/// What a transform takes: the line, the roots of one, and for other lengths the chirp and its products.
constexpr std::int64_t scratch_for_transform(std::int64_t n) {
  constexpr std::size_t complex_number = 2 * sizeof(double);
  const std::int64_t size = chirp_length(n);
  return 2 * scratch_for(n, complex_number) + 2 * scratch_for(size, complex_number) +
         scratch_for(size / 2 + 1, complex_number);
}

/// ONNX DFT: (..., 1 or 2) to (..., 2), or to (..., 1) for the one-sided inverse. `length` 0 keeps the signal's; a
/// shorter one cuts, a longer one adds zeros.
struct dft {
  static constexpr std::string_view name = "dft";
  static constexpr traits is{.vectors = vectors_of::none};

  int axis = -2;
  int length = 0;
  bool inverse = false;
  bool onesided = false;

  static constexpr void fields(auto& self, auto&& field) {
    field("axis", self.axis);
    field("length", self.length);
    field("inverse", self.inverse);
    field("onesided", self.onesided);
  }
  constexpr problem infer(inputs in, outputs result) const {
    const extents& x = in[0];
    if (x.rank < 2 || x.back(0) < 1 || x.back(0) > 2) return {mistake::rank_mismatch, name, x, {2}};
    const int a = normal_axis(axis, x.rank);
    if (a < 0 || a >= x.rank - 1) return {mistake::axis_out_of_range, "axis", {axis}, {x.rank}};
    int n = length;
    if (n == 0) n = inverse && onesided ? 2 * (x[a] - 1) : x[a];
    if (n < 1) return {mistake::option_out_of_range, "length", {n}, {1}};
    result[0] = x;
    result[0][a] = onesided && !inverse ? n / 2 + 1 : n;
    result[0].back(0) = onesided && inverse ? 1 : 2;
    return countable(result[0]);
  }
  /// Numbers that one transform is of.
  constexpr std::int64_t points(const extents& x, const extents& y) const {
    const int a = normal_axis(axis, x.rank);
    return length ? length : inverse && onesided ? y[a] : x[a];
  }
  constexpr std::int64_t scratch(inputs in, span<const extents> out) const {
    return scratch_for_transform(points(in[0], out[0]));
  }
  constexpr problem infer_types(types in, span<element> out) const { return all_floating(in, out, name); }
};

/// ONNX STFT: signal (batch, length, 1 or 2) and, if there is a second input, window (frame) to (batch, frames, bins,
/// 2).
struct stft {
  static constexpr std::string_view name = "stft";
  static constexpr traits is{.vectors = vectors_of::none};
  static constexpr int min_inputs = 1, max_inputs = 2;

  int frame = 0;
  int step = 1;
  bool onesided = true;

  static constexpr void fields(auto& self, auto&& field) {
    field("frame", self.frame);
    field("step", self.step);
    field("onesided", self.onesided);
  }
  constexpr problem infer(inputs in, outputs result) const {
    extents x = in[0];
    if (x.rank == 2) x.push_back(1);
    if (x.rank != 3 || x[2] < 1 || x[2] > 2) return {mistake::rank_mismatch, name, in[0], {3}};
    if (frame < 1 || frame > x[1]) return {mistake::option_out_of_range, "frame", {frame}, {1}};
    if (step < 1) return {mistake::option_out_of_range, "step", {step}, {1}};
    if (in.size() == 2 && !(in[1] == extents{frame})) return {mistake::shape_mismatch, "window", in[1], {frame}};
    result[0] = {x[0], (x[1] - frame) / step + 1, onesided ? frame / 2 + 1 : frame, 2};
    return countable(result[0]);
  }
  constexpr std::int64_t scratch(inputs, span<const extents>) const { return scratch_for_transform(frame); }
  constexpr problem infer_types(types in, span<element> out) const { return all_floating(in, out, name); }
};

enum class window_kind { hann, hamming, blackman };

/// A window of `size` numbers.
struct signal_window {
  static constexpr std::string_view name = "signal_window";
  static constexpr traits is{.vectors = vectors_of::none};
  static constexpr int min_inputs = 0;

  window_kind kind = window_kind::hann;
  int size = 0;
  bool periodic = true;
  dtype type = dtype::f32;

  static constexpr void fields(auto& self, auto&& field) {
    field("kind", self.kind);
    field("size", self.size);
    field("periodic", self.periodic);
    field("type", self.type);
  }
  constexpr problem infer(inputs, outputs result) const { return shape_from({size}, result[0]); }
  constexpr problem infer_types(types, span<element> out) const {
    out[0] = type;
    return type == dtype::boolean ? wrong_type(name, type) : problem{};
  }
};

/// ONNX MelWeightMatrix: (spectrum bins, mel bins) of triangular filters.
struct mel_weights {
  static constexpr std::string_view name = "mel_weights";
  static constexpr traits is{.vectors = vectors_of::none};
  static constexpr int min_inputs = 0;

  int bins = 0;
  int dft_length = 0;
  int sample_rate = 0;
  double low = 0;
  double high = 0;
  dtype type = dtype::f32;

  static constexpr void fields(auto& self, auto&& field) {
    field("bins", self.bins);
    field("dft_length", self.dft_length);
    field("sample_rate", self.sample_rate);
    field("low", self.low);
    field("high", self.high);
    field("type", self.type);
  }
  constexpr problem infer(inputs, outputs result) const {
    if (bins < 1 || dft_length < 1 || sample_rate < 1) return {mistake::option_out_of_range, "bins", {bins}, {1}};
    return shape_from({dft_length / 2 + 1, bins}, result[0]);
  }
  constexpr problem infer_types(types, span<element> out) const {
    out[0] = type;
    return type == dtype::boolean ? wrong_type(name, type) : problem{};
  }
};

}  // namespace ctnn::op
