// SPDX-License-Identifier: BSL-1.0
// Per-channel affine operators, prelu, local_response_norm and layer_norm, plain.
#pragma once

#include "../../graph/operators/elementwise.hpp"
#include "../../graph/operators/layer_norm.hpp"
#include "../../graph/operators/normalization.hpp"
#include "../tensor.hpp"
#include "elementwise.hpp"

namespace ctnn {

/// y = x * factor + offset, what a channel's batch_norm comes to.
struct affine {
  float factor;
  float offset;
};

constexpr affine batch_norm_affine(float eps, float gamma, float beta, float mean, float variance) {
  const float root = math::sqrt(variance + eps);
  const float factor = gamma / (root == 0 ? 1e-4f : root);
  return {factor, beta - mean * factor};
}

}  // namespace ctnn

namespace ctnn::reference {

/// body(channel, first element, one past the last) for each channel of each image.
template <class Body>
constexpr void for_each_channel(const extents& shape, Body body) {
  const int axis = channel_axis(shape), count = shape[axis];
  const std::int64_t images = shape.count(0, axis), plane = shape.count(axis + 1, shape.rank);
  std::int64_t at = 0;
  for (std::int64_t n = 0; n < images; ++n)
    for (int c = 0; c < count; ++c, at += plane) body(c, at, at + plane);
}

constexpr void run(const op::batch_norm& p, const arguments& a) {
  const float* x = a.in[0].data;
  float* y = a.out[0].data;
  for_each_channel(a.in[0].shape, [&](int c, std::int64_t i, std::int64_t end) {
    const affine f = batch_norm_affine(p.eps, a.weights[0][c], a.weights[1][c], a.weights[2][c], a.weights[3][c]);
    for (; i < end; ++i) y[i] = x[i] * f.factor + f.offset;
  });
}

constexpr void run(const op::scale& p, const arguments& a) {
  const float* x = a.in[0].data;
  float* y = a.out[0].data;
  for_each_channel(a.in[0].shape, [&](int c, std::int64_t i, std::int64_t end) {
    const float factor = a.weights[0][c], offset = p.bias ? a.weights[1][c] : 0.0f;
    for (; i < end; ++i) y[i] = x[i] * factor + offset;
  });
}

constexpr void run(const op::bias&, const arguments& a) {
  const float* x = a.in[0].data;
  float* y = a.out[0].data;
  for_each_channel(a.in[0].shape, [&](int c, std::int64_t i, std::int64_t end) {
    const float offset = a.weights[0][c];
    for (; i < end; ++i) y[i] = x[i] + offset;
  });
}

constexpr void run(const op::prelu&, const arguments& a) {
  const float* x = a.in[0].data;
  float* y = a.out[0].data;
  for_each_channel(a.in[0].shape, [&](int c, std::int64_t i, std::int64_t end) {
    const float slope = a.weights[0][c];
    for (; i < end; ++i) y[i] = x[i] < 0 ? slope * x[i] : x[i];
  });
}

constexpr void run(const op::local_response_norm& p, const arguments& a) {
  const extents& s = a.in[0].shape;
  const int channels = s.back(2), rows = s.back(1), columns = s.back(0);
  const std::ptrdiff_t plane = std::ptrdiff_t{rows} * columns;
  const auto clipped = [&](int at, int size, int& first, int& last) {
    first = at < p.before() ? 0 : at - p.before();
    last = size - 1 - at < p.after() ? size - 1 : at + p.after();
  };
  const float* x = a.in[0].data;
  float* y = a.out[0].data;
  int c = 0;
  for (std::int64_t left = s.count() / plane; left > 0; --left, x += plane, c = c + 1 == channels ? 0 : c + 1)
    for (int i = 0; i < rows; ++i)
      for (int j = 0; j < columns; ++j) {
        int z = c, z_last = c, top = i, bottom = i, begin = j, end = j;
        if (p.within) {
          clipped(i, rows, top, bottom);
          clipped(j, columns, begin, end);
        } else {
          clipped(z, channels, z, z_last);
        }
        float sum = 0;
        for (int d = z - c; d <= z_last - c; ++d)
          for (int r = top; r <= bottom; ++r)
            for (int q = begin; q <= end; ++q) {
              const float v = x[d * plane + std::ptrdiff_t{r} * columns + q];
              sum += v * v;
            }
        *y++ = x[std::ptrdiff_t{i} * columns + j] * math::pow(p.k + p.factor() * sum, -p.beta);
      }
}

constexpr void run(const op::layer_norm& p, const arguments& a) {
  const extents& shape = a.in[0].shape;
  const int axis = normal_axis(p.axis, shape.rank);
  const std::int64_t rows = shape.count(0, axis), n = shape.count(axis, shape.rank);
  const float* x = a.in[0].data;
  float* y = a.out[0].data;
  for (std::int64_t r = 0; r < rows && n > 0; ++r, x += n, y += n) {
    float mean = 0, variance = 0;
    for (std::int64_t i = 0; i < n; ++i) mean += x[i];
    mean /= static_cast<float>(n);
    for (std::int64_t i = 0; i < n; ++i) variance += (x[i] - mean) * (x[i] - mean);
    const float inverse = 1 / math::sqrt(variance / static_cast<float>(n) + p.eps);
    for (std::int64_t i = 0; i < n; ++i) y[i] = (x[i] - mean) * inverse;
    if (!p.statistics) continue;
    a.out[1].data[r] = mean;
    a.out[2].data[r] = inverse;
  }
  for (std::size_t k = 1; k < a.in.size(); ++k) {
    op::binary with;
    with.function = k == 1 ? op::binary_function::mul : op::binary_function::add;
    const const_tensor operands[] = {a.out[0], a.in[k]};
    run(with, arguments{operands, a.out.first(1), {}});
  }
}

}  // namespace ctnn::reference
