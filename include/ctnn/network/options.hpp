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

// clang-format off
/// The words for options, a row each; formats/cpp/declaration.hpp writes with the same rows: of two words for a field
/// the first, which is short; PyTorch's longer one comes second. First those that say all: the word, the field, its
/// numbers. same_upper and same_lower are ONNX's paddings.
#define CTNN_OPTION_WORDS(x) \
  x(same_upper, "same", ir::same_padding::upper) x(same_lower, "same", ir::same_padding::lower) \
  x(no_bias, "bias", 0) \
  x(unused, "unused", 1)              /* of input: no layer need read it */ \
  x(carried, "carried", 1)            /* of input: in the next run it is the output of its name */ \
  x(in_arena, "in_arena", 1)          /* of input: engine::input<"x">() is its memory, until the inference */ \
  x(residual_last, "residual_last", 1) /* conv1d, conv2d, linear: a second input is added behind the activation */ \
  x(no_winograd, "winograd", 0)       /* conv2d: sums product by product, see exact_convolutions */ \
  x(lean_winograd, "winograd", 1)     /* conv2d: Winograd's weights are made by each run: little memory, slower */ \
  x(drop_axes, "keep", 0)             /* of reduce: its axes go, instead of staying as 1 */ \
  x(ceil_mode, "ceil", 1) x(count_include_pad, "count_include_pad", 1) \
  x(align_corners, "coordinates", op::coordinates::align_corners) \
  x(bidirectional, "direction", op::direction::bidirectional) x(reverse, "direction", op::direction::reverse) \
  x(batch_first, "batch_first", 1) \
  x(causal, "causal", 1)              /* attention to what is not later */ \
  x(lower_right, "lower_right", 1)    /* with causal: the last query sees the last key */ \
  x(lengths, "lengths", 1)            /* the second input says how many steps each sequence of the batch has */ \
  x(peepholes, "peepholes", 1) \
  x(rounded_twice, "rounded", ir::rounding::twice) /* with as_i8: as TensorFlow Lite without XNNPACK */ \
  x(rounded_coarsely, "rounded", ir::rounding::coarse) /* with as_i8, of quantize: as XNNPACK converts bytes */ \
  x(rounded_from_reals, "rounded", ir::rounding::real) /* with as_i8: real numbers, as ONNX rounds */ \
  x(rounded_away, "rounded", ir::rounding::away) /* with as_i8: real numbers, as ncnn rounds */ \
  x(per_channel, "by_output", 1)      /* of layers by a weight of bytes: it has a scale for each output */ \
  x(real_bias, "real_bias", 1)        /* of such layers: the bias is f32, added to the real number of a sum */
/// Words before one number, and their fields.
#define CTNN_NUMBER_WORDS(x) \
  x(out, "out") x(out_channels, "out") x(out_features, "out") x(eps, "eps") \
  x(groups, "groups") x(num_groups, "groups") x(hidden, "hidden") x(hidden_size, "hidden") \
  x(fill_value, "value")              /* of constant_pad and full */ \
  x(heads, "heads") x(num_heads, "heads") x(kv_heads, "kv_heads") \
  x(sliding_window, "sliding_window") /* of causal attention: keys that a query sees, its own and those before it */ \
  x(ones, "ones")                     /* of linear: extents of 1 behind its outputs */ \
  x(norm_type, "p")                   /* of lp_pool2d: which norm */ \
  x(spatial_scale, "spatial_scale")   /* of roi_align and roi_pool */ \
  x(winograd_bytes, "winograd_bytes") /* of conv2d: memory that Winograd's filtering may take while it runs */ \
  x(depth, "depth")                   /* of one_hot: classes */ \
  x(diagonal, "diagonal")             /* of tril and triu */ \
  x(scalar, "scalar")                 /* a binary function's second operand: mul<"twice", scalar<2>> */ \
  /* weights that the layer reads as inputs, after its other ones, bit k for weight k: */ \
  x(given, "given")                   /* linear<"y", from<"x", "w">, out<8>, no_bias, given<1>> multiplies by "w" */
/// Words before any count of numbers.
#define CTNN_NUMBERS_WORDS(x) \
  /* one number, or one an axis: height, width */ \
  x(kernel, "kernel") x(kernel_size, "kernel") x(stride, "stride") x(dilation, "dilation") \
  /* all sides; vertical, horizontal; or top, left, bottom, right */ \
  x(pad, "pad") x(padding, "pad") \
  x(output_padding, "output_padding") /* of conv_transpose2d: bottom, right */ \
  x(before, "before") x(after, "after")  /* of constant_pad: a number an axis */ \
  x(axes, "axes")                     /* of linear: this many last axes make one row; of reduce: these */ \
  x(size, "size") x(scale_factor, "scale_factor") \
  x(upscale_factor, "factor")         /* of pixel_shuffle */ \
  x(repeats, "repeats") x(alpha, "alpha") x(beta, "beta") \
  x(functions, "functions")           /* of recurrent layers: of the gates, of what they let in, of lstm's c */ \
  x(shape, "shape") x(order, "order") x(sizes, "sizes") x(coefficients, "coefficients") \
  /* what integers stand for, their scale and zero point: of a result, an input, a second input. What is read need */ \
  /* not be said where a layer before says it. as_i8<0.0235, -128> */ \
  x(as_i8, "as") x(of_i8, "of") x(with_i8, "with") \
  x(axis, "axis") x(start, "start") x(end, "end") x(step, "step")  /* of slice: one or several */ \
  x(dim, "axis") x(start_dim, "start") x(end_dim, "end") x(unflattened_size, "shape")  /* of unflatten */
// clang-format on

#define CTNN_OPTION(word, key, ...) using word = option<key, __VA_ARGS__>;
CTNN_OPTION_WORDS(CTNN_OPTION)
#undef CTNN_OPTION
#define CTNN_OPTION(word, key) \
  template <number N>          \
  using word = option<key, N>;
CTNN_NUMBER_WORDS(CTNN_OPTION)
#undef CTNN_OPTION
#define CTNN_OPTION(word, key) \
  template <number... N>       \
  using word = option<key, N...>;
CTNN_NUMBERS_WORDS(CTNN_OPTION)
#undef CTNN_OPTION

// Element types: of an input, a constant, a value that is generated
#define CTNN_OPTION(name, T) using name = option<"type", dtype::name>;
CTNN_ELEMENTS(CTNN_OPTION)
#undef CTNN_OPTION
template <dtype T>
using to = option<"to", T>;  ///< of cast and bit_cast
template <number F, number... Parameters>
using fused = option<"activation", F, Parameters...>;  ///< activation in registers

/// Which values a layer reads, instead of the one before it. An output k of a layer with several is "layer.k".
template <fixed_string... Names>
struct from {
  static constexpr std::string_view names[sizeof...(Names) + 1] = {Names..., std::string_view{}};
  static constexpr std::span<const std::string_view> list{names, sizeof...(Names)};
};

}  // namespace ctnn
