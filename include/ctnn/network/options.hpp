// SPDX-License-Identifier: BSL-1.0
// The options of declared layers: each is a name and numbers, matched with the operator's field of that name.
#pragma once

#include "../base/fixed_string.hpp"
#include "../graph/operators.hpp"

namespace ctnn {

/// A double that no float is, as a template argument: option<"low", exact{0.1}>.
struct exact {
  double value;
};

/// A number as a template argument: int, float or enumerator.
struct number {
  double value = 0;
  constexpr number(int v) : value(v) {}
  /// Fields are floats: 0.1 and what comes back as 0.1f are one number.
  constexpr number(double v) : value(static_cast<double>(static_cast<float>(v))) {}
  constexpr number(exact v) : value(v.value) {}
  template <class Enum>
    requires std::is_enum_v<Enum>
  constexpr number(Enum v) : value(static_cast<double>(v)) {}
  friend constexpr bool operator==(const number&, const number&) = default;
};

template <fixed_string Key, number... Values>
struct option {
  static constexpr double values[sizeof...(Values) + 1] = {Values.value..., 0};
  static constexpr ir::option_record record{Key, {values, sizeof...(Values)}};
};

// Element types: of an input, a constant, a value that is generated
#define CTNN_ELEMENT_OPTION(name, T) using name = option<"type", dtype::name>;
CTNN_ELEMENTS(CTNN_ELEMENT_OPTION)
#undef CTNN_ELEMENT_OPTION
template <dtype T> using to = option<"to", T>;  ///< of cast

// Convolution, linear
template <number N> using out = option<"out", N>;
template <number... N> using kernel = option<"kernel", N...>;        ///< one number, or height, width
template <number... N> using stride = option<"stride", N...>;        ///< likewise
template <number... N> using dilation = option<"dilation", N...>;    ///< likewise
template <number... N>
using pad = option<"pad", N...>;  ///< all sides; vertical, horizontal; or top, left, bottom, right
template <number... N> using before = option<"before", N...>;        ///< of constant_pad: a number an axis
template <number... N> using after = option<"after", N...>;
template <number... N> using output_padding = option<"output_padding", N...>;  ///< of conv_transpose2d: bottom, right
template <number N> using groups = option<"groups", N>;
using same_upper = option<"same", ir::same_padding::upper>;
using same_lower = option<"same", ir::same_padding::lower>;
using no_bias = option<"bias", 0>;
template <number F, number... Parameters>
using fused = option<"activation", F, Parameters...>;  ///< activation in registers

template <number... N>
using axes = option<"axes", N...>;    ///< of linear: this many last axes make one row; of reduce: these
using drop_axes = option<"keep", 0>;  ///< of reduce: its axes go, instead of staying as 1
template <number N> using ones = option<"ones", N>;  ///< of linear: extents of 1 behind its outputs

/// Weights that the layer reads as inputs, after its other ones: bit k for weight k. linear<"y", from<"x", "w">,
/// out<8>, no_bias, given<1>> multiplies by the value "w".
template <number Slots> using given = option<"given", Slots>;

// Pooling, interpolation
using ceil_mode = option<"ceil", 1>;
template <number N> using norm_type = option<"p", N>;  ///< of lp_pool2d: which norm
using count_include_pad = option<"count_include_pad", 1>;
template <number... N> using size = option<"size", N...>;
template <number... N> using scale_factor = option<"scale", N...>;
using align_corners = option<"coordinates", op::coordinates::align_corners>;

// Recurrent layers
template <number N> using hidden = option<"hidden", N>;  ///< units
using bidirectional = option<"direction", op::direction::bidirectional>;
using reverse = option<"direction", op::direction::reverse>;
using batch_first = option<"batch_first", 1>;
using lengths = option<"lengths", 1>;  ///< the second input says how many steps each sequence of the batch has
template <number... F> using functions = option<"functions", F...>;  ///< of the gates, of what they let in, of lstm's c
using peepholes = option<"peepholes", 1>;

// Shapes
template <number... N> using shape = option<"shape", N...>;
template <number... N> using order = option<"order", N...>;
template <number... N> using sizes = option<"sizes", N...>;
template <number... N> using axis = option<"axis", N...>;  ///< of slice: one or several, as start, end and step
template <number... N> using start = option<"start", N...>;
template <number... N> using end = option<"end", N...>;
template <number... N> using step = option<"step", N...>;

// Element-wise
template <number N> using eps = option<"eps", N>;
template <number N>
using scalar = option<"scalar", N>;  ///< a binary function's second operand: mul<"twice", scalar<2>>
template <number... N> using coefficients = option<"coefficients", N...>;

/// Which values a layer reads, instead of the one before it. An output k of a layer with several is "layer.k".
template <fixed_string... Names>
struct from {
  static constexpr std::string_view names[sizeof...(Names) + 1] = {Names..., std::string_view{}};
  static constexpr std::span<const std::string_view> list{names, sizeof...(Names)};
};

}  // namespace ctnn
