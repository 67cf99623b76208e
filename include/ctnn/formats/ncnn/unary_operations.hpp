// SPDX-License-Identifier: BSL-1.0
// What the numbers of ncnn's UnaryOp mean.
#pragma once

#include "../../graph/activation.hpp"

namespace ctnn::ncnn {

inline constexpr function unary_operations[] = {
    function::abs,        function::neg,   function::floor, function::ceil,  function::square,
    function::sqrt,       function::rsqrt, function::exp,   function::log,   function::sin,
    function::cos,        function::tan,   function::asin,  function::acos,  function::atan,
    function::reciprocal, function::tanh,  function::log10, function::round, function::trunc};

}  // namespace ctnn::ncnn
