// SPDX-License-Identifier: BSL-1.0
// conv3d on the kernels of conv2d: strip by strip (volume_strips.hpp), a plane of taps after the other, each added to
// the sums of those before it.

#if defined(CTNN_PLAIN)
#if !defined(CTNN_KERNELS_CONV3D_INL_HPP)
#define CTNN_KERNELS_CONV3D_INL_HPP
#define CTNN_KERNELS_CONV3D_ENABLED
#endif
#elif defined(CTNN_KERNELS_CONV3D_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef CTNN_KERNELS_CONV3D_INL_HPP
#undef CTNN_KERNELS_CONV3D_INL_HPP
#else
#define CTNN_KERNELS_CONV3D_INL_HPP
#endif
#define CTNN_KERNELS_CONV3D_ENABLED
#endif

#if defined(CTNN_KERNELS_CONV3D_ENABLED)
#undef CTNN_KERNELS_CONV3D_ENABLED

#include "../scratch.hpp"
#include "../simd/transpose-inl.hpp"
#include "conv2d-inl.hpp"

CTNN_BEGIN_TARGET

namespace detail {

/// Planes [0, depth) of C channels, `plane` numbers each and `depth` of them from channel to channel.
struct volume {
  std::ptrdiff_t plane;
  int depth, channels, width;

  volume(const extents& x)
      : plane(std::ptrdiff_t{x.back(0)} * x.back(1)), depth(x.back(2)), channels(x.back(3)), width(x.back(0)) {}
  std::ptrdiff_t size() const { return plane * depth * channels; }
  /// Rows [first, first + rows) of plane z, to and from a strip with channels last.
  void read(const float* from, int z, int first, int rows, float* strip) const {
    transpose(std::ptrdiff_t{rows} * width, channels, strip, channels, from + z * plane + std::ptrdiff_t{first} * width,
              plane * depth);
  }
  void write(const float* strip, int z, int first, int rows, float* to) const {
    transpose(channels, std::ptrdiff_t{rows} * width, to + z * plane + std::ptrdiff_t{first} * width, plane * depth,
              strip, channels);
  }
};

/// A part of a conv3d: its memory, and where it is.
template <int = 0>
class volume_part {
 public:
  volume_part(const op::conv3d& p, const arguments& a, const volume_strips& strips, scratch_memory memory)
      : p_(p),
        plane_(op::plane_of(p)),
        strips_(strips),
        pad_(p.padding(a.in[0].shape)),
        in_(a.in[0].shape),
        out_(a.out[0].shape),
        height_(a.in[0].shape.back(1)),
        out_height_(a.out[0].shape.back(1)),
        a_(a),
        depthwise_(is_depthwise(plane_, in_.channels)),
        end_(epilogue_of(p.activation)) {
    for (int i = 0; i <= a.share.index; ++i) {  // those of the parts before it are theirs
      planes_ = memory.take<float>(strips.planes * strips.input_plane).data();
      held_ = memory.take<int>(strips.planes).data();
      result_ = memory.take<float>(strips.output_plane).data();
    }
    const extents filter{p.out, in_.channels / p.groups, p.kernel[1], p.kernel[2]};
    filters_ = static_cast<std::ptrdiff_t>(packed_count(plane_, 0, filter));
  }

  /// Goes to a strip of an image: none of its planes is there yet.
  void enter(int image, int strip) {
    const float* const x = a_.in[0].data;
    x_ = x + image * in_.size();
    y_ = a_.out[0].data + image * out_.size();
    residual_ = a_.in.size() < 2 ? nullptr : a_.in[1].data + image * out_.size();
    out_row_ = strip * strips_.rows;
    rows_ = out_height_ - out_row_ < strips_.rows ? out_height_ - out_row_ : strips_.rows;
    // The rows of input, at least one; what a window reaches beyond them is padding.
    const std::ptrdiff_t stride = out_height_ == 1 ? 1 : p_.stride[1], first = out_row_ * stride - pad_[1];
    const std::ptrdiff_t last = first + (rows_ - 1) * stride + span_of(p_.kernel[1], p_.dilation[1]);
    row_ = static_cast<int>(first < 0 ? 0 : first < height_ ? first : height_ - 1);
    in_rows_ = static_cast<int>(last > height_ ? height_ : last > row_ ? last : row_ + 1) - row_;
    for (int i = 0; i < strips_.planes; ++i) held_[i] = -1;

    const const_tensor x_plane{planes_, {in_.channels, in_rows_, in_.width}, layout::nhwc, in_.channels};
    const tensor y_plane{result_, {p_.out, rows_, out_.width}, layout::nhwc, p_.out};
    window_ = window_of(plane_, {{&x_plane, 1}, {&y_plane, 1}, a_.weights});
    window_.pad_top = row_ - static_cast<int>(first);
    window_.pad_left = pad_[2];
    window_.residual_pitch = p_.out;
#if !defined(CTNN_PLAIN)
    window_.any_rows = a_.any_rows;
#endif
    if (depthwise_) window_.out_channels = p_.out;
  }

  /// Output plane z of the strip.
  void run(int z) {
    const int stride = strips_.depth == 1 ? 1 : p_.stride[0], start = z * stride - pad_[0];
    const int first = first_tap(start, p_.dilation[0]);
    const int last = last_tap(start, p_.dilation[0], p_.kernel[0], in_.depth);
    if (residual_ != nullptr) out_.read(residual_, z, out_row_, rows_, result_);
    window_.residual = residual_ == nullptr ? nullptr : result_;
    window_.bias = p_.bias ? a_.weights[1] : nullptr;
    for (int k = first; k < last; ++k) {
      window_.in = plane_at(start + k * p_.dilation[0]);
      convolve_plane(k, k + 1 == last);
    }
    if (first >= last) {  // in the padding alone: no taps
      window_.kernel_h = 0;
      convolve_plane(0, true);
      window_.kernel_h = p_.kernel[1];
    }
    out_.write(result_, z, out_row_, rows_, y_);
  }

 private:
  const float* plane_at(int z) {
    const int slot = z % strips_.planes;
    float* const strip = planes_ + slot * static_cast<std::ptrdiff_t>(strips_.input_plane);
    if (held_[slot] != z) in_.read(x_, z, row_, in_rows_, strip);
    held_[slot] = z;
    return strip;
  }
  void convolve_plane(int k, bool last) {
    window c = window_;
    c.weights += k * filters_;
    convolve_image(p_.groups, c, last ? end_ : epilogue{}, depthwise_, work_share{});
    window_.residual = result_;
    window_.bias = nullptr;
  }

  const op::conv3d& p_;
  op::conv2d plane_;
  const volume_strips& strips_;
  std::array<int, 6> pad_;
  volume in_, out_;
  int height_, out_height_;
  const arguments& a_;
  bool depthwise_;
  epilogue end_;
  float *planes_ = nullptr, *result_ = nullptr, *y_ = nullptr;
  int* held_ = nullptr;  ///< which plane is in each place, or -1
  const float *x_ = nullptr, *residual_ = nullptr;
  std::ptrdiff_t filters_;
  int row_ = 0, in_rows_ = 0, out_row_ = 0, rows_ = 0;
  window window_{};
};

template <int = 0>
CTNN_NOINLINE inline void convolve_volume(const op::conv3d& p, const arguments& a, scratch_memory memory) {
  const volume_strips strips(p, a.in[0].shape, a.out[0].shape);
  arguments own = a;
  const int parts = memory.parts(strips.parts, [&](int) { return strips.scratch_of_part(); });
  if (parts < own.share.count) own.share.count = parts;  // the others have nothing to do
  if (own.share.index >= own.share.count || a.out[0].shape.count() == 0) return;
  volume_part<> part(p, own, strips, memory);
  const index_range places = share_of(own.share, static_cast<std::ptrdiff_t>(strips.places));
  for (std::ptrdiff_t at = places.begin; at < places.end; ++at) {
    const auto strip = at / strips.depth;
    if (at == places.begin || at % strips.depth == 0)
      part.enter(static_cast<int>(strip / strips.strips), static_cast<int>(strip % strips.strips));
    part.run(static_cast<int>(at % strips.depth));
  }
}

}  // namespace detail

template <int = 0>
CTNN_INLINE void run(const op::conv3d& p, const arguments& a, scratch_memory memory) {
  detail::convolve_volume(p, a, memory);
}

CTNN_END_TARGET

#endif
