// SPDX-License-Identifier: BSL-1.0
// Input, MemoryData, Split and the layers that change nothing.
#pragma once

#include "../layer_reader.hpp"

namespace ctnn::ncnn::readers {

/// w, h, d and c as parameters `ids` say them, outermost first; an extent of 0 is absent. `l` reads parameters.
inline extents declared_shape(const auto& l, int w, int h, int d, int c) {
  extents shape;
  for (int id : {c, d, h, w}) {
    const int n = l.int_or(id, 0);
    if (n < 0) l.fail(id, "extent " + std::to_string(n));
    if (n > 0) shape.push_back(n);
  }
  return shape;
}

/// The first convolution that reads a blob. Made when it is first needed.
using convolutions_by_input = std::unordered_map<std::string_view, const layer*>;

/// Channels that the first convolution reading `blob` has weights for; 0 if none tells.
inline int channels_needed(const param_file& file, const std::string& blob, convolutions_by_input& first) {
  if (first.empty())
    for (const layer& at : file.layers)
      if (at.inputs.size() == 1 && at.type == "Convolution") first.emplace(at.inputs[0], &at);
  const auto found = first.find(blob);
  if (found == first.end()) return 0;
  const parameter_reader p(file, *found->second);
  const auto area = checked_multiply(p.int_or(1, 0), p.int_or(11, p.int_or(1, 0)));
  const auto each = area ? checked_multiply(*area, p.int_or(0, 0)) : area;
  const int size = p.int_or(6, 0);
  return each && *each > 0 && size % *each == 0 ? static_cast<int>(size / *each) : 0;
}

/// What the file says of an Input's axes, outermost first; -1 is open, and so is a 0 behind an extent. Nothing: not
/// even how many there are.
inline std::vector<int> input_axes(const param_file& file, const layer& at) {
  std::vector<int> axes;
  const parameter_reader p(file, at);
  for (const int id : {2, 11, 1, 0}) {
    const int n = p.int_or(id, 0);
    if (n < -1) p.fail(id, "extent " + std::to_string(n));
    if (n != 0 || (id != 11 && !axes.empty())) axes.push_back(n == 0 ? -1 : n);
  }
  return axes;
}

/// The shape of an Input's blob; of rank 0 if the file leaves an extent open.
inline extents input_shape(const param_file& file, const layer& at, const std::string& blob,
                           convolutions_by_input& first) {
  extents shape;
  for (const int n : input_axes(file, at)) {
    if (n < 0) return {};
    shape.push_back(n);
  }
  // Files from ncnn's first years say c, h, w. They are believed where the first convolution tells.
  if (shape.rank == 3)
    if (const int needed = channels_needed(file, blob, first); needed == shape[2] && needed != shape[0])
      std::swap(shape[0], shape[2]);
  return shape;
}

/// One input for each of the layer's outputs.
inline void input(layer_reader& l) {
  if (l.output_count() == 0) l.fail("has no output");
  std::vector<value_id> out;
  for (const std::string& blob : l.layer.outputs) {
    builder& b = l.builder();
    const auto given = b.input_shapes.find(blob);
    const extents shape =
        given != b.input_shapes.end() ? given->second : input_shape(b.file, l.layer, blob, b.first_convolutions);
    if (shape.rank == 0) layer_reader::refuse("a shape that is neither in the file nor given");
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
