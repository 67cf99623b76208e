// SPDX-License-Identifier: BSL-1.0
// Operators that only loaded models have: their kernels (kernels/typed/) are plain and take every element type. They are
// not in all_operators, so that static networks pay nothing for them.
#pragma once

#include "operators.hpp"
#include "operators/indexing.hpp"
#include "operators/matrix.hpp"
#include "operators/pairwise.hpp"
#include "operators/pointwise.hpp"
#include "operators/rearranging.hpp"
#include "operators/reduction.hpp"

namespace ctnn {

using loaded_operators =
    operator_list<op::pointwise, op::is_nan, op::is_inf, op::cast, op::clamp,                                       //
                  op::compare, op::logic, op::remainder, op::parametric_relu, op::where,                            //
                  op::expand, op::tile, op::pad, op::strided_slice, op::trilu, op::eye, op::arange,                 //
                  op::reverse_sequence,                                                                             //
                  op::gather, op::gather_elements, op::gather_nd, op::scatter_elements, op::scatter_nd,             //
                  op::one_hot, op::nonzero, op::compress, op::unique, op::non_max_suppression,                      //
                  op::reduce, op::arg_reduce, op::cumsum, op::topk, op::log_softmax, op::hardmax,                   //
                  op::matmul, op::gemm, op::einsum, op::det>;

}  // namespace ctnn
