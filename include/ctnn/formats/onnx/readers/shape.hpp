// SPDX-License-Identifier: BSL-1.0
// Shapes as numbers, numbers as constants, and operators whose output's shape depends on numbers.
#pragma once

#include <algorithm>
#include <cstring>

#include "../../../kernels/typed/counting.hpp"
#include "../../../kernels/typed/movement.hpp"
#include "reduce.hpp"

namespace ctnn::onnx::readers {

inline void shape(node_reader& n) {
  n.expect(1, 1);
  const extents s = n.shape(n.input());
  const auto bound = [&](std::int64_t v) {
    return static_cast<int>(std::clamp<std::int64_t>(v < 0 ? v + s.rank : v, 0, s.rank));
  };
  const int start = bound(n.integer("start", 0)), end = bound(n.integer("end", s.rank));
  integers out;
  for (int i = start; i < end; ++i) out.push_back(s[i]);
  n.result(n.whole_constant(out));
}
inline void size(node_reader& n) {
  n.expect(1, 1);
  auto a = std::make_shared<array>(extents{}, dtype::i64);
  a->elements<std::int64_t>()[0] = n.shape(n.input()).count();
  n.result(n.constant(std::move(a)));
}

inline void constant(node_reader& n) {
  n.expect(0, 0);
  if (const attribute* a = n.find("value", attribute_kind::tensor)) {
    if (!a->tensor->refused.empty()) node_reader::refuse("attribute 'value' (" + a->tensor->refused + ")");
    const term numbers = n.constant(n.builder().numbers_in(*a->tensor));
    return n.result(n.builder().as(numbers, a->tensor->form));
  }
  if (const attribute* a = n.find("value_float", attribute_kind::real))
    return n.result(n.number(static_cast<double>(a->real), dtype::f32));
  if (const attribute* a = n.find("value_floats", attribute_kind::reals))
    return n.result(n.constant({static_cast<int>(a->reals.size())}, a->reals));
  if (const attribute* a = n.find("value_int", attribute_kind::integer)) {
    auto one = std::make_shared<array>(extents{}, dtype::i64);
    one->elements<std::int64_t>()[0] = a->integer;
    return n.result(n.constant(std::move(one)));
  }
  if (const attribute* a = n.find("value_ints", attribute_kind::integers))
    return n.result(n.whole_constant(a->integers));
  for (const char* key : {"value_string", "value_strings", "sparse_value"})
    if (n.has_attribute(key)) node_reader::refuse("attribute '" + std::string(key) + "'");
  n.fail("has no value");
}

inline void constant_of_shape(node_reader& n) {
  n.expect(1, 1);
  const integers wanted = n.whole(0);
  if (wanted.size() > max_rank)
    n.fail("shape has " + std::to_string(wanted.size()) + " axes, at most " + std::to_string(max_rank) +
           " are possible");
  extents s;
  for (std::int64_t d : wanted) {
    if (d < 0) n.fail("shape has an extent of " + std::to_string(d));
    s.push_back(n.to_int(d, "shape"));
  }
  dtype type = dtype::f32;
  shared_array value;
  if (const attribute* a = n.find("value", attribute_kind::tensor)) {
    if (!a->tensor->refused.empty()) node_reader::refuse("attribute 'value' (" + a->tensor->refused + ")");
    if (is_narrow(a->tensor->form))
      node_reader::refuse(std::string("attribute 'value' (") + name_of(a->tensor->form) + ")");
    value = n.builder().numbers_in(*a->tensor);
    if (value->size() != 1) n.fail("value has " + std::to_string(value->size()) + " numbers, expected 1");
    type = value->type();
  }
  const auto out = n.allocate(s, type);
  const std::span<std::byte> all = out->bytes();
  if (value && !all.empty()) {
    const auto each = static_cast<std::size_t>(size_of(type));
    std::memcpy(all.data(), value->bytes().data(), each);
    ir::typed::repeat_bytes(all.data(), each, all.size());
  }
  n.result(n.constant(out));
}

template <bool may_lack_step = false>
void range(node_reader& n) {
  n.expect(may_lack_step ? 2 : 3, 3);
  const double start = n.scalar(0), limit = n.scalar(1), step = n.has(2) ? n.scalar(2) : 1;
  if (!(step != 0) || !std::isfinite(start) || !std::isfinite(limit) || !std::isfinite(step))
    n.fail("range from " + std::to_string(start) + " to " + std::to_string(limit) + " by " + std::to_string(step));
  const double count = std::max(0.0, std::ceil((limit - start) / step));
  if (!(count < 2147483647.0)) n.fail("range of " + std::to_string(count) + " numbers");
  n.result(n.add(op::arange{start, step, static_cast<int>(count), n.type(n.input(0))}, {}));
}

inline void eye_like(node_reader& n) {
  n.expect(1, 1);
  const extents s = n.shape(n.input());
  if (s.rank != 2) n.fail("input is " + describe(s) + ", expected 2 dimensions");
  op::eye op{{s[0], s[1]}, n.small("k", 0), n.type(n.input())};
  if (n.has_attribute("dtype")) op.type = n.element("dtype", 1);
  n.result(n.add(op, {}));
}

/// How many elements are found is part of the shape, so their numbers must be known.
inline void nonzero(node_reader& n) {
  n.expect(1, 1);
  const array& a = n.numbers(n.input());
  op::nonzero op;
  op.count = static_cast<int>(typed::count_nonzero({address(a), a.shape(), layout::nchw, 0, a.type()}));
  n.result(n.add(op, {n.input()}));
}

inline std::vector<term> distinct(node_reader& n, op::unique op) {
  n.expect(1, 1);
  const array& a = n.numbers(n.input());
  if (!op.flatten) op.axis = n.axis(n.integer("axis", 0), a.shape().rank);
  heap_scratch scratch(op.scratch({&a.shape(), 1}, {}));
  op.count =
      static_cast<int>(typed::count_unique(op, {address(a), a.shape(), layout::nchw, 0, a.type()}, scratch.memory()));
  return n.nodes(op, {n.input()});
}
inline void unique(node_reader& n) {
  const std::vector<term> out = distinct(n, {n.flag("sorted", true), !n.has_attribute("axis")});
  for (std::size_t i = 0; i < out.size(); ++i) n.result(i, out[i]);
}

}  // namespace ctnn::onnx::readers
