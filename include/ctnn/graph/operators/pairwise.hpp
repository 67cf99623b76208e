// SPDX-License-Identifier: BSL-1.0
// Functions of two or three elements with numpy's broadcasting: comparisons, logic, bits, choice.
#pragma once

#include "typing.hpp"

namespace ctnn::op {

enum class comparison { equal, not_equal, less, less_equal, greater, greater_equal };

/// a (f) b as booleans.
struct compare {
  static constexpr std::string_view name = "compare";
  static constexpr traits is{.each = true, .vectors = vectors_of::none};
  static constexpr int min_inputs = 2, max_inputs = 2;

  comparison function = comparison::equal;

  static constexpr void fields(auto& self, auto&& field) { field("function", self.function); }
  constexpr problem infer(inputs in, outputs result) const { return broadcast_shapes(in, result[0]); }
  constexpr problem infer_types(types in, span<element> out) const {
    out[0] = dtype::boolean;
    return require_one_type(in, name);
  }
};

/// `logical` ones take booleans, the others integers (bit_and, bit_or and bit_xor of booleans are the logical ones).
enum class logic_function { logical_and, logical_or, logical_xor, bit_and, bit_or, bit_xor, shift_left, shift_right };

struct logic {
  static constexpr std::string_view name = "logic";
  static constexpr traits is{.each = true, .vectors = vectors_of::none};
  static constexpr int min_inputs = 2, max_inputs = 2;

  logic_function function = logic_function::logical_and;

  static constexpr void fields(auto& self, auto&& field) { field("function", self.function); }
  constexpr problem infer(inputs in, outputs result) const { return broadcast_shapes(in, result[0]); }
  constexpr problem infer_types(types in, span<element> out) const {
    out[0] = type_at(in, 0);
    const bool logical = function <= logic_function::logical_xor;
    if (logical ? out[0] != dtype::boolean : is_floating(out[0])) return wrong_type(name, out[0]);
    if (function >= logic_function::shift_left && out[0] == dtype::boolean) return wrong_type(name, out[0]);
    return require_one_type(in, name);
  }
};

/// torch.remainder (the sign of b, ONNX Mod) or, `truncated`, torch.fmod (the sign of a). Integers modulo 0 give 0.
struct remainder {
  static constexpr std::string_view name = "remainder";
  static constexpr traits is{.each = true, .vectors = vectors_of::none};
  static constexpr int min_inputs = 2, max_inputs = 2;

  bool truncated = false;

  static constexpr void fields(auto& self, auto&& field) { field("truncated", self.truncated); }
  constexpr problem infer(inputs in, outputs result) const { return broadcast_shapes(in, result[0]); }
  constexpr problem infer_types(types in, span<element> out) const {
    out[0] = type_at(in, 0);
    if (out[0] == dtype::boolean) return wrong_type(name, out[0]);
    return require_one_type(in, name);
  }
};

/// torch.where(condition, a, b).
struct where {
  static constexpr std::string_view name = "where";
  static constexpr traits is{.each = true, .copies = true, .vectors = vectors_of::none};
  static constexpr int min_inputs = 3, max_inputs = 3;

  static constexpr void fields(auto&, auto&&) {}
  constexpr problem infer(inputs in, outputs result) const { return broadcast_shapes(in, result[0]); }
  constexpr problem infer_types(types in, span<element> out) const {
    out[0] = type_at(in, 1);
    if (type_at(in, 0) != dtype::boolean) return wrong_type("condition", type_at(in, 0));
    if (type_at(in, 2) != out[0]) return wrong_type("second choice", type_at(in, 2));
    return {};
  }
};

}  // namespace ctnn::op
