// SPDX-License-Identifier: BSL-1.0
// Which layouts each kernel takes; the planner chooses the values' layouts by this table.
#pragma once

#include "../graph/operators.hpp"
#include "tensor.hpp"

namespace ctnn {

enum class layout_rule : std::uint8_t {
  nchw,  ///< every value plain row-major (what an operator unknown here, a user's, gets)
  nhwc,  ///< every value nhwc with any pitch; values of rank below 3 (a flattened global pooling) plain
  same,  ///< all values in one layout, either, any pitch
  any,   ///< each value in a layout of its own
};

template <class Op>
inline constexpr layout_rule layouts_for = layout_rule::nchw;

template <>
inline constexpr layout_rule layouts_for<op::conv2d> = layout_rule::nhwc;
template <>
inline constexpr layout_rule layouts_for<op::conv_transpose2d> = layout_rule::nhwc;
template <>
inline constexpr layout_rule layouts_for<op::pool2d> = layout_rule::nhwc;
template <>
inline constexpr layout_rule layouts_for<op::adaptive_pool2d> = layout_rule::nhwc;
template <>
inline constexpr layout_rule layouts_for<op::interpolate> = layout_rule::nhwc;
template <>
inline constexpr layout_rule layouts_for<op::batch_norm> = layout_rule::same;
template <>
inline constexpr layout_rule layouts_for<op::scale> = layout_rule::same;
template <>
inline constexpr layout_rule layouts_for<op::bias> = layout_rule::same;
template <>
inline constexpr layout_rule layouts_for<op::local_response_norm> = layout_rule::same;
template <>
inline constexpr layout_rule layouts_for<op::prelu> = layout_rule::same;
template <>
inline constexpr layout_rule layouts_for<op::activation> = layout_rule::same;
template <>
inline constexpr layout_rule layouts_for<op::dropout> = layout_rule::same;
template <>
inline constexpr layout_rule layouts_for<op::identity> = layout_rule::same;
template <>
inline constexpr layout_rule layouts_for<op::unary> = layout_rule::same;
template <>
inline constexpr layout_rule layouts_for<op::eltwise> = layout_rule::same;
template <>
inline constexpr layout_rule layouts_for<op::softmax> = layout_rule::same;
template <>
inline constexpr layout_rule layouts_for<op::channel_shuffle> = layout_rule::same;
template <>
inline constexpr layout_rule layouts_for<op::pixel_shuffle> = layout_rule::same;
template <>
inline constexpr layout_rule layouts_for<op::permute> = layout_rule::any;
template <>
inline constexpr layout_rule layouts_for<op::concat> = layout_rule::any;
template <>
inline constexpr layout_rule layouts_for<op::split> = layout_rule::any;
template <>
inline constexpr layout_rule layouts_for<op::slice> = layout_rule::any;
template <>
inline constexpr layout_rule layouts_for<op::pad> = layout_rule::any;
template <>
inline constexpr layout_rule layouts_for<op::reduce> = layout_rule::any;
template <>
inline constexpr layout_rule layouts_for<op::constant> = layout_rule::any;
template <>
inline constexpr layout_rule layouts_for<op::full> = layout_rule::any;
template <>
inline constexpr layout_rule layouts_for<op::linear> = layout_rule::nchw;
template <>
inline constexpr layout_rule layouts_for<op::flatten> = layout_rule::nchw;
template <>
inline constexpr layout_rule layouts_for<op::reshape> = layout_rule::nchw;
/// By strides; fast as long as operands of the output's shape have the output's layout. Operands that are broadcast may
/// be nchw: (C, 1, 1) and (1, H, W) go with an nhwc output at full speed.
template <>
inline constexpr layout_rule layouts_for<op::binary> = layout_rule::any;

/// Whether the first input may be nchw, too, although the rule is nhwc: a first layer reads the user's plain image.
template <class Op>
inline constexpr bool reads_nchw = false;
template <>
inline constexpr bool reads_nchw<op::conv2d> = true;

}  // namespace ctnn
