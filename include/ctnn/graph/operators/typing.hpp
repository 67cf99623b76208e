// SPDX-License-Identifier: BSL-1.0
// Rules of shape and element type that several operators share.
#pragma once

#include "../operator.hpp"

namespace ctnn::ir {

/// The type of input i; f32 where nobody says otherwise.
constexpr dtype type_at(types in, std::size_t i) { return i < in.size() ? in[i].type : dtype::f32; }
/// Its element.
constexpr element element_at(types in, std::size_t i) { return i < in.size() ? in[i] : element{}; }

constexpr bool is_floating(dtype t) {
  return t == dtype::f32 || t == dtype::f64 || t == dtype::f16 || t == dtype::bf16;
}
constexpr bool is_integer(dtype t) { return !is_floating(t) && t != dtype::boolean; }
constexpr bool is_byte(dtype t) { return t == dtype::i8 || t == dtype::u8; }
/// Integers that stand for real numbers between layers.
constexpr bool is_steps(dtype t) { return is_byte(t) || t == dtype::i16; }
constexpr bool is_index(dtype t) { return t == dtype::i64 || t == dtype::i32; }

/// Input i must satisfy `allowed`.
constexpr problem require_type(types in, std::size_t i, bool (*allowed)(dtype), std::string_view what) {
  if (allowed(type_at(in, i))) return {};
  return wrong_type(what, type_at(in, i));
}
/// Every input has the type of the first.
constexpr problem require_one_type(types in, std::string_view what) {
  for (const element& t : in)
    if (t.type != in[0].type) return wrong_type(what, t);
  return {};
}
/// Floating-point elements, one type for all, which is the outputs' as well.
constexpr problem all_floating(types in, span<element> out, std::string_view what) {
  for (element& t : out) t = type_at(in, 0);
  if (const problem p = require_type(in, 0, is_floating, what)) return p;
  return require_one_type(in, what);
}

/// Floating-point elements, of any type for each input; the outputs have the first's.
constexpr problem each_floating(types in, span<element> out, std::string_view what) {
  out[0] = type_at(in, 0);
  for (std::size_t i = 0; i < in.size(); ++i)
    if (const problem p = require_type(in, i, is_floating, what)) return p;
  return {};
}

/// Scratch memory for a table for each axis.
constexpr std::int64_t scratch_for_axes(const extents& shape) {
  std::int64_t sum = 0;
  for (int i = 0; i < shape.rank; ++i) sum += scratch_for(shape[i]);
  return sum;
}

/// An index can count the elements.
constexpr problem countable(const extents& shape) {
  std::int64_t n = 1;
  for (int i = 0; i < shape.rank; ++i) {
    const int d = shape[i];
    if (d == 0) return {};
    if (d < 0 || n > 2147483647 / d) return {mistake::too_large, "shape"};
    n *= d;
  }
  return {};
}

/// numpy's broadcasting of any number of shapes.
constexpr problem broadcast_shapes(inputs in, extents& result) {
  extents y = in[0];
  for (const extents& x : in) {
    if (x.rank > y.rank) {
      extents wider = x;
      for (int i = 0; i < y.rank; ++i)
        if (wider.back(i) == 1) wider.back(i) = y.back(i);
        else if (y.back(i) != 1 && y.back(i) != wider.back(i)) return {mistake::shape_mismatch, "input", x, y};
      y = wider;
      continue;
    }
    for (int i = 0; i < x.rank; ++i) {
      if (x.back(i) == y.back(i) || x.back(i) == 1) continue;
      if (y.back(i) != 1) return {mistake::shape_mismatch, "input", x, y};
      y.back(i) = x.back(i);
    }
  }
  result = y;
  return countable(y);
}

/// `axes` (negative ones count from the end; none means all) as bits; bit 31 tells that one is out of range.
constexpr unsigned axis_bits(const list<int>& axes, int rank) {
  if (axes.empty()) return (1u << rank) - 1;
  unsigned bits = 0;
  for (int a : axes) {
    const int n = normal_axis(a, rank);
    bits |= n < 0 || n >= rank ? 1u << 31 : 1u << n;
  }
  return bits;
}

/// Scratch memory for the places that a reduction keeps and those it reduces.
constexpr std::int64_t scratch_for_reduction(const extents& x, unsigned bits) {
  std::int64_t kept = 1, reduced = 1;
  for (int i = 0; i < x.rank; ++i) (bits >> i & 1u ? reduced : kept) *= x[i];
  return scratch_for(kept) + scratch_for(reduced);
}

/// A shape given by its extents; none may be negative and the product must stay countable.
constexpr problem shape_from(const list<int>& dims, extents& result) {
  if (dims.size() > max_rank)
    return {mistake::option_out_of_range, "shape", {static_cast<int>(dims.size())}, {max_rank}};
  result = {};
  for (int d : dims) {
    if (d < 0) return {mistake::option_out_of_range, "shape", {d}, {0}};
    result.push_back(d);
  }
  return countable(result);
}

}  // namespace ctnn::ir
