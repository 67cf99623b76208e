// SPDX-License-Identifier: BSL-1.0
// Fourier transforms, windows and filter banks.
#pragma once

#include <algorithm>

#include "../../../kernels/typed/counting.hpp"
#include "sampling.hpp"

namespace ctnn::onnx::readers {

/// The axis is an attribute before opset 20 and an input since.
inline void dft(node_reader& n) {
  n.expect(1, n.version < 20 ? 2 : 3);
  op::dft op;
  op.inverse = n.flag("inverse", false);
  op.onesided = n.flag("onesided", false);
  const int rank = n.rank(n.input());
  const std::int64_t axis = n.version < 20 ? n.integer("axis", 1) : n.has(2) ? n.whole_scalar(2) : -2;
  op.axis = n.axis(axis, rank);
  if (n.has(1)) op.length = n.to_int(n.whole_scalar(1), "dft_length");
  if (n.has(1) && op.length < 1) n.fail("dft_length is " + std::to_string(op.length));
  n.result(n.add(op, {n.input()}));
}

inline void stft(node_reader& n) {
  n.expect(2, 4);
  op::stft op;
  op.onesided = n.flag("onesided", true);
  op.step = n.to_int(n.whole_scalar(1), "frame_step");
  std::vector<term> in{n.input(0)};
  if (n.has(2)) in.push_back(n.input(2));
  if (n.has(3)) op.frame = n.to_int(n.whole_scalar(3), "frame_length");
  else if (n.has(2)) op.frame = static_cast<int>(n.shape(n.input(2)).count());
  else n.fail("needs a window or a frame_length");
  if (op.step < 1 || op.frame < 1)
    n.fail("frame_step is " + std::to_string(op.step) + ", frame_length " + std::to_string(op.frame));
  n.result(n.add(op, in));
}

template <op::window_kind kind>
void window(node_reader& n) {
  n.expect(1, 1);
  op::signal_window op;
  op.kind = kind;
  op.periodic = n.flag("periodic", true);
  op.type = n.element("output_datatype", 1);
  op.size = n.to_int(n.whole_scalar(0), "size");
  n.result(n.add(op, {}));
}

inline void mel_weights(node_reader& n) {
  n.expect(5, 5);
  op::mel_weights op;
  op.type = n.element("output_datatype", 1);
  op.bins = n.to_int(n.whole_scalar(0), "num_mel_bins");
  op.dft_length = n.to_int(n.whole_scalar(1), "dft_length");
  op.sample_rate = n.to_int(n.whole_scalar(2), "sample_rate");
  op.low = n.scalar(3);
  op.high = n.scalar(4);
  n.result(n.add(op, {}));
}

/// Non-maximum suppression finds as many boxes as the numbers have, so they must be known.
inline void non_max_suppression(node_reader& n) {
  n.expect(2, 5);
  op::non_max_suppression op;
  op.center = n.flag("center_point_box", false);
  if (n.has(2)) op.most = static_cast<int>(std::clamp<std::int64_t>(n.whole_scalar(2), 0, 1 << 28));
  if (n.has(3)) op.iou = static_cast<float>(n.scalar(3));
  op.has_score = n.has(4);
  if (n.has(4)) op.score = static_cast<float>(n.scalar(4));
  const term boxes = n.input(0), scores = n.input(1);
  const extents shapes[] = {n.shape(boxes), n.shape(scores)};
  extents result[1];
  if (const problem p = op.infer(shapes, result)) n.fail(describe(p));
  const array &b = n.numbers(boxes), &s = n.numbers(scores);
  if (b.type() != dtype::f32 || s.type() != dtype::f32)
    node_reader::refuse("boxes of " + std::string(name_of(b.type())));
  heap_scratch scratch(op.scratch(shapes, {}));
  op.count = static_cast<int>(typed::count_boxes(op, {address(b), b.shape(), layout::nchw, 0, b.type()},
                                                 {address(s), s.shape(), layout::nchw, 0, s.type()}, scratch.memory()));
  n.result(n.add(op, {boxes, scores}));
}

}  // namespace ctnn::onnx::readers
