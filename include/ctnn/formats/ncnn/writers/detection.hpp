// SPDX-License-Identifier: BSL-1.0
// prior_box, detection_output and yolo_detection as ncnn layers.
#pragma once

#include "../node_writer.hpp"

namespace ctnn::ncnn::writers {

inline std::vector<std::string> all_inputs(node_writer& w) {
  std::vector<std::string> from;
  for (std::size_t i = 0; i < w.input_count(); ++i) from.push_back(w.in(i));
  return from;
}
inline std::span<const float> numbers_of(const list<float>& l) { return {l.data(), l.size()}; }

inline void prior_box(node_writer& w) {
  const op::prior_box op = w.get<op::prior_box>();
  parameter_list p;
  p.reals(0, numbers_of(op.min_sizes));
  if (!op.max_sizes.empty()) p.reals(1, numbers_of(op.max_sizes));
  if (!op.ratios.empty()) p.reals(2, numbers_of(op.ratios));
  for (std::size_t i = 0; i < 4; ++i) p.real(3 + static_cast<int>(i), op.variances[i], i < 2 ? 0.1f : 0.2f);
  p.integer(7, op.flip, 1).integer(8, op.clip, 0);
  p.integer(9, op.image[1] > 0 ? op.image[1] : -233, 0).integer(10, op.image[0] > 0 ? op.image[0] : -233, 0);
  p.real(11, op.step[1] > 0 ? op.step[1] : -233, -233)
      .real(12, op.step[0] > 0 ? op.step[0] : -233, -233)
      .real(13, op.offset, 0);
  p.integer(14, op.whole_steps, 0).integer(15, op.pixel_centre, 0);
  w.layer("PriorBox", all_inputs(w), {w.out()}, p);
}

/// The count of the rows is no blob in ncnn.
inline void refuse_count(const node_writer& w) {
  if (w.b.g.at_value(w.output(1)).readers > 0) throw inexpressible{"the number of detections as a value"};
}

inline void detection_output(node_writer& w) {
  const op::detection_output op = w.get<op::detection_output>();
  refuse_count(w);
  parameter_list p;
  p.integer(0, op.by_class ? -233 : op.classes, 0)
      .real(1, op.overlap, 0.05f)
      .integer(2, op.candidates, 300)
      .integer(3, op.most, 100);
  p.real(4, op.confidence, 0.5f);
  for (std::size_t i = 0; i < 4; ++i) p.real(5 + static_cast<int>(i), op.variances[i], i < 2 ? 0.1f : 0.2f);
  w.layer("DetectionOutput", all_inputs(w), {w.out()}, p);
}

inline void yolo_detection(node_writer& w) {
  const op::yolo_detection op = w.get<op::yolo_detection>();
  refuse_count(w);
  parameter_list p;
  p.integer(0, op.classes, 20)
      .integer(1, op.boxes, 5)
      .real(2, op.confidence, 0.01f)
      .real(3, op.overlap, 0.45f)
      .reals(4, numbers_of(op.anchors));
  if (op.softmax && !op.scales.empty()) throw inexpressible{"a softmax over classes with scales"};
  if (!op.softmax) {
    if (op.scales.empty() || op.mask.empty()) throw inexpressible{"anchors without scales and masks"};
    list<float> mask;
    for (std::size_t i = 0; i < w.input_count(); ++i)
      for (int b = 0; b < op.boxes; ++b) mask.push_back(static_cast<float>(op.anchor(i, b)));
    p.reals(5, numbers_of(mask)).reals(6, numbers_of(op.scales));
  }
  w.layer(op.softmax ? "YoloDetectionOutput" : "Yolov3DetectionOutput", all_inputs(w), {w.out()}, p);
}

}  // namespace ctnn::ncnn::writers
