// SPDX-License-Identifier: BSL-1.0
// What operators leave for the next run: variables by name, and tensors that one operator has for itself.
#pragma once

#include "movement.hpp"

namespace ctnn::tflite::readers {

/// The number that stands for zero in a tensor of the file.
inline ir::quantization zero_of(node_reader& n, const std::string& name) {
  const stated_quantization* q = scales_of(n, name);
  if (!q || q->scale.size() != 1 || q->scale[0] == 0) return {};
  return {static_cast<double>(q->scale[0]), n.to_int(q->zero[0], "zero point")};
}

// A state of an operator's own.

/// What the last run left in input i.
inline term state_before(node_reader& n, std::size_t i, dtype type) {
  if (!is_state(n, i)) node_reader::refuse("input " + std::to_string(i) + " that is no state");
  const std::string& name = n.node.inputs[i];
  const stated_value& s = *stated(n, name);
  if (onnx::element_type(s.element) != type) node_reader::refuse("a state of " + std::string(element_name(s.element)));
  return n.builder().state(name, s.shape, type, zero_of(n, name));
}
/// What this run leaves there.
inline void leave_state(node_reader& n, std::size_t i, term t) { n.builder().set_state(n.node.inputs[i], t); }

// Variables.

inline void variable_handle(node_reader& n) {
  n.expect(0, 0);
  const std::string container = n.text("container", ""), shared = n.text("shared_name", "");
  std::string name = container.empty() ? shared : container + "/" + shared;
  if (name.empty()) n.fail("has no name");
  while (stated(n, name)) name += "_variable";  // some tensor has its name
  n.result(n.builder().add_variable(std::move(name)));
}
/// The name of the variable that input i is.
inline std::string variable_name(node_reader& n, std::size_t i) {
  const term_record& r = n.builder().at(n.any_input(i));
  if (r.form != form::variable) n.fail("input " + std::to_string(i) + " is " + name_of(r.form) + ", no variable");
  return r.name;
}
inline void read_variable(node_reader& n) {
  n.expect(1, 1);
  const std::string name = variable_name(n, 0);
  importer& b = n.builder();
  const auto begins = b.beginnings.find(name);
  if (b.is_beginning) {
    if (begins == b.beginnings.end()) node_reader::refuse("a variable that nothing has been assigned to");
    return n.result(n.constant(begins->second));
  }
  const dtype type = output_type(n);
  const std::string& out = n.node.outputs[0];
  const extents shape = begins != b.beginnings.end() ? begins->second->shape() : stated(n, out)->shape;
  n.result(b.state(name, shape, type, zero_of(n, out)));
}
inline void assign_variable(node_reader& n) {
  n.expect(2, 2);
  const std::string name = variable_name(n, 0);
  importer& b = n.builder();
  if (!b.is_beginning) return b.set_state(name, n.input(1));
  if (b.states.contains(name)) node_reader::refuse("a variable that has been read or assigned to before");
  const shared_array numbers = n.known(n.input(1));
  if (!numbers) node_reader::refuse("a beginning that is no constant");
  b.beginnings[name] = numbers;
}

}  // namespace ctnn::tflite::readers
