// SPDX-License-Identifier: BSL-1.0
// The ends of detectors: PriorBox, DetectionOutput, YoloDetectionOutput, Yolov3DetectionOutput.
#pragma once

#include <bit>

#include "../layer_reader.hpp"

namespace ctnn::ncnn::readers {

/// The numbers of parameter `id`; together they must fit an operator.
inline void read_list(const layer_reader& l, int id, list<float>& to) {
  const std::vector<float> given = l.floats_or(id);
  if (given.size() > 32) layer_reader::refuse(id, std::to_string(given.size()) + " numbers");
  for (float x : given) to.push_back(x);
}

inline void prior_box(layer_reader& l) {
  op::prior_box op;
  read_list(l, 0, op.min_sizes);
  read_list(l, 1, op.max_sizes);
  read_list(l, 2, op.ratios);
  for (int i = 0; i < 4; ++i) op.variances[static_cast<std::size_t>(i)] = l.float_or(3 + i, i < 2 ? 0.1f : 0.2f);
  op.flip = l.flag_or(7, true);
  op.clip = l.flag_or(8, false);
  const int ids[2] = {10, 9};
  bool from_input = true;
  for (std::size_t i = 0; i < 2; ++i) {
    const int given = l.int_or(ids[i], 0);
    if (given != -233 && given < 1) l.fail(ids[i], "image extent " + std::to_string(given));
    op.image[i] = given == -233 ? 0 : given;
    from_input = from_input && given == -233;
    const int id = i == 0 ? 12 : 11;
    const float step = l.float_or(id, -233);
    if (step != -233 && !(step > 0)) l.fail(id, "step " + std::to_string(step));
    op.step[i] = step == -233 ? 0 : step;
  }
  op.offset = l.float_or(13, 0);
  op.whole_steps = l.flag_or(14, false);
  op.pixel_centre = l.flag_or(15, false);
  op.single = l.input_count() == 1 && from_input && op.max_sizes.empty();
  l.expect_outputs(1);
  l.result(l.node(op, l.all_inputs()));
}

/// The second output, how many rows there are, has no blob.
inline void detection_result(layer_reader& l, value_id rows) { l.result(std::vector<value_id>{rows}); }

inline void detection_output(layer_reader& l) {
  op::detection_output op;
  l.expect(3, 1);
  op.classes = l.int_or(0, 0);
  op.overlap = l.float_or(1, 0.05f);
  op.candidates = l.int_or(2, 300);
  op.most = l.int_or(3, 100);
  op.confidence = l.float_or(4, 0.5f);
  for (int i = 0; i < 4; ++i) op.variances[static_cast<std::size_t>(i)] = l.float_or(5 + i, i < 2 ? 0.1f : 0.2f);
  if (op.classes == -233) {
    const extents scores = l.shape(l.input(1));
    if (scores.rank != 2) l.fail("scores are " + describe(scores) + ", expected 2 dimensions");
    op.by_class = true;
    op.classes = scores[0];
  }
  detection_result(l, l.node(op, l.all_inputs()));
}

inline void read_yolo(const layer_reader& l, op::yolo_detection& op) {
  op.classes = l.int_or(0, 20);
  op.boxes = l.int_or(1, 5);
  op.confidence = l.float_or(2, 0.01f);
  op.overlap = l.float_or(3, 0.45f);
  read_list(l, 4, op.anchors);
}
inline void yolo_detection_output(layer_reader& l) {
  op::yolo_detection op;
  read_yolo(l, op);
  op.softmax = true;
  l.expect_outputs(1);
  detection_result(l, l.node(op, l.all_inputs()));
}
inline void yolov3_detection_output(layer_reader& l) {
  op::yolo_detection op;
  read_yolo(l, op);
  read_list(l, 6, op.scales);
  const std::vector<int> mask = l.ints_or(5);
  if (mask.size() > 32) layer_reader::refuse(5, std::to_string(mask.size()) + " numbers");
  // ncnn's own tools write the bits of floats here as integers.
  for (int m : mask) {
    const float number = m >= 1 << 23 ? std::bit_cast<float>(m) : static_cast<float>(m);
    op.mask.push_back(number >= 0 && number < 32 ? static_cast<int>(number) : -1);
  }
  if (mask.empty()) l.fail(5, "no masks");
  l.expect_outputs(1);
  if (op.scales.size() < l.input_count())
    l.fail(6, std::to_string(op.scales.size()) + " scales for " + std::to_string(l.input_count()) + " inputs");
  detection_result(l, l.node(op, l.all_inputs()));
}

}  // namespace ctnn::ncnn::readers
