// SPDX-License-Identifier: BSL-1.0
// Which layouts each kernel takes; the planner chooses the values' layouts by this table.
#pragma once

#include "../graph/operators/convolution.hpp"
#include "../graph/operators/linear.hpp"
#include "tensor.hpp"

namespace ctnn {

enum class layout_rule : std::uint8_t {
  nchw,  ///< every value plain row-major (what an operator unknown here, a user's, gets)
  nhwc,  ///< every value nhwc with any pitch
  same,  ///< all values in one layout, either, any pitch
  any,   ///< each value in a layout of its own
};

template <class Op>
inline constexpr layout_rule layouts_for = layout_rule::nchw;

template <>
inline constexpr layout_rule layouts_for<op::conv2d> = layout_rule::nhwc;
template <>
inline constexpr layout_rule layouts_for<op::linear> = layout_rule::nchw;

/// Whether the first input may be nchw, too, although the rule is nhwc: a first layer reads the user's plain image.
template <class Op>
inline constexpr bool reads_nchw = false;
template <>
inline constexpr bool reads_nchw<op::conv2d> = true;

}  // namespace ctnn
