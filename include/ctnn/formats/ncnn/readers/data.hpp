// SPDX-License-Identifier: BSL-1.0
// Input, MemoryData, Split and the layers that change nothing.
#pragma once

#include "../layer_reader.hpp"

namespace ctnn::ncnn::readers {

/// w, h, d and c as parameters `ids` say them, outermost first; an extent of 0 is absent.
inline extents declared_shape(const layer_reader& l, int w, int h, int d, int c) {
  extents shape;
  for (int id : {c, d, h, w}) {
    const int n = l.int_or(id, 0);
    if (n < 0) l.fail(id, "extent " + std::to_string(n));
    if (n > 0) shape.push_back(n);
  }
  return shape;
}

/// Channels that the first convolution reading `blob` has weights for; 0 if none tells.
inline int channels_needed(builder& b, const std::string& blob) {
  if (b.first_convolutions.empty())
    for (const layer& at : b.file.layers)
      if (at.inputs.size() == 1 && at.type == "Convolution") b.first_convolutions.emplace(at.inputs[0], &at);
  const auto found = b.first_convolutions.find(blob);
  if (found == b.first_convolutions.end()) return 0;
  const parameter_reader p(b.file, *found->second);
  const auto area = checked_multiply(p.int_or(1, 0), p.int_or(11, p.int_or(1, 0)));
  const auto each = area ? checked_multiply(*area, p.int_or(0, 0)) : area;
  const int size = p.int_or(6, 0);
  return each && *each > 0 && size % *each == 0 ? static_cast<int>(size / *each) : 0;
}

/// One input for each of the layer's outputs.
inline void input(layer_reader& l) {
  if (l.output_count() == 0) l.fail("has no output");
  std::vector<value_id> out;
  for (const std::string& blob : l.layer.outputs) {
    extents shape = declared_shape(l, 0, 1, 11, 2);
    const auto given = l.builder().input_shapes.find(blob);
    if (given != l.builder().input_shapes.end()) {
      shape = given->second;
    } else if (shape.rank == 0) {
      layer_reader::refuse("a shape that is neither in the file nor given");
    } else if (shape.rank == 3) {
      // Files from ncnn's first years say c, h, w. They are believed where the first convolution tells.
      const int needed = channels_needed(l.builder(), blob);
      if (needed == shape[2] && needed != shape[0]) std::swap(shape[0], shape[2]);
    }
    out.push_back(out.empty() ? l.node(op::input{as_list(shape)}, {})
                              : l.helper(op::input{as_list(shape)}, {}, blob.c_str()));
  }
  l.result(out);
}

inline void memory_data(layer_reader& l) {
  l.expect_outputs(1);
  extents shape = declared_shape(l, 0, 1, 11, 2);
  const bool empty = shape.rank == 0;
  if (empty) shape = {1};
  const value_id v = l.node(op::constant{as_list(shape)}, {});
  const std::int64_t n = shape.count();
  if (empty) l.set_weight(v, 0, {0});
  else if (l.flag_or(21, true)) l.read_raw(v, 0, n);
  else l.read_tagged(v, 0, n);
  l.result(v);
}

/// A value has any number of readers here, so the copies are other names of it.
inline void split(layer_reader& l) {
  const value_id v = l.input();
  l.result(std::vector<value_id>(l.output_count(), v));
}

/// Noop, DeepCopy: output i is input i.
inline void same(layer_reader& l) {
  if (l.output_count() > l.input_count()) l.fail("has more outputs than inputs");
  std::vector<value_id> values = l.all_inputs();
  values.resize(l.output_count());
  l.result(values);
}

inline void dropout(layer_reader& l) {
  l.expect(1, 1);
  l.result(l.node(op::dropout{l.float_or(0, 1)}, {l.input()}));
}

}  // namespace ctnn::ncnn::readers
