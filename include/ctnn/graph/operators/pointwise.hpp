// SPDX-License-Identifier: BSL-1.0
// Questions about one element, its bits, bounds and conversions: operators of loaded models.
#pragma once

#include "typing.hpp"

namespace ctnn::op {

/// torch.bitwise_not: of booleans it is "not", of integers it inverts all bits.
struct bitwise_not {
  static constexpr std::string_view name = "bitwise_not";
  static constexpr traits is{.each = true, .vectors = vectors_of::none};

  static constexpr void fields(auto&, auto&&) {}
  constexpr problem infer(inputs in, outputs result) const {
    result[0] = in[0];
    return {};
  }
  constexpr problem infer_types(types in, span<element> out) const {
    const dtype t = out[0] = type_at(in, 0);
    return is_floating(t) ? wrong_type(name, t) : problem{};
  }
};

/// torch.isnan.
struct is_nan {
  static constexpr std::string_view name = "is_nan";
  static constexpr traits is{.each = true, .vectors = vectors_of::none};

  static constexpr void fields(auto&, auto&&) {}
  constexpr problem infer(inputs in, outputs result) const {
    result[0] = in[0];
    return {};
  }
  constexpr problem infer_types(types in, span<element> out) const {
    out[0] = dtype::boolean;
    return require_type(in, 0, is_floating, name);
  }
};

/// torch.isinf of the signs asked for.
struct is_inf {
  static constexpr std::string_view name = "is_inf";
  static constexpr traits is{.each = true, .vectors = vectors_of::none};

  bool negative = true;
  bool positive = true;

  static constexpr void fields(auto& self, auto&& field) {
    field("negative", self.negative);
    field("positive", self.positive);
  }
  constexpr problem infer(inputs in, outputs result) const {
    result[0] = in[0];
    return {};
  }
  constexpr problem infer_types(types in, span<element> out) const {
    out[0] = dtype::boolean;
    return require_type(in, 0, is_floating, name);
  }
};

/// Elements in another type. Floating point to integer cuts off the fraction; what is out of range keeps its low bits
/// in 8 and 16 bits and saturates in more; NaN becomes 0; integers keep their low bits; a boolean is x != 0.
struct cast {
  static constexpr std::string_view name = "cast";
  static constexpr traits is{.each = true, .divisible = true, .vectors = vectors_of::conversions};

  dtype to = dtype::f32;
  bool of_result = false;  ///< rounds what an operator of halves computes in f32; no file has this cast

  static constexpr void fields(auto& self, auto&& field) {
    field("to", self.to);
    field("of_result", self.of_result);
  }
  constexpr problem infer(inputs in, outputs result) const {
    result[0] = in[0];
    return {};
  }
  constexpr problem infer_types(types, span<element> out) const {
    out[0] = to;
    return {};
  }
};

/// The elements' bits as those of another type of as many bits, which booleans can be read as, and not be made of.
struct bit_cast {
  static constexpr std::string_view name = "bit_cast";
  static constexpr traits is{.each = true, .in_place = true, .vectors = vectors_of::none};

  dtype to = dtype::i32;

  static constexpr void fields(auto& self, auto&& field) { field("to", self.to); }
  constexpr problem infer(inputs in, outputs result) const {
    result[0] = in[0];
    return {};
  }
  constexpr problem infer_types(types in, span<element> out) const {
    out[0] = to;
    if (size_of(type_at(in, 0)) != size_of(to)) return wrong_type(name, type_at(in, 0));
    return to == dtype::boolean && type_at(in, 0) != to ? wrong_type(name, to) : problem{};
  }
};

/// torch.clamp with bounds that are inputs: x, then the lower bound if `low`, then the upper if `high`; scalars of x's
/// type.
struct clamp {
  static constexpr std::string_view name = "clamp";
  static constexpr traits is{.each = true, .vectors = vectors_of::none};
  static constexpr int min_inputs = 1, max_inputs = 3;

  bool low = true;
  bool high = true;

  static constexpr void fields(auto& self, auto&& field) {
    field("low", self.low);
    field("high", self.high);
  }
  constexpr problem infer(inputs in, outputs result) const {
    const int needed = 1 + (low ? 1 : 0) + (high ? 1 : 0);
    if (static_cast<int>(in.size()) != needed)
      return {mistake::wrong_number_of_inputs, name, {static_cast<int>(in.size())}, {needed, needed}};
    for (std::size_t i = 1; i < in.size(); ++i)
      if (in[i].count() != 1) return {mistake::shape_mismatch, "bound", in[i], {1}};
    result[0] = in[0];
    return {};
  }
  constexpr problem infer_types(types in, span<element> out) const {
    out[0] = type_at(in, 0);
    return out[0] == dtype::boolean ? wrong_type(name, out[0]) : require_one_type(in, name);
  }
};

}  // namespace ctnn::op
