// SPDX-License-Identifier: BSL-1.0
// Every operator ctnn has. A new one is a struct in operators/, a line here, and a kernel in ../kernels/.
#pragma once

#include "operators/convolution.hpp"
#include "operators/elementwise.hpp"
#include "operators/layer_norm.hpp"
#include "operators/linear.hpp"
#include "operators/matrix.hpp"
#include "operators/normalization.hpp"
#include "operators/pad.hpp"
#include "operators/pooling.hpp"
#include "operators/recurrent.hpp"
#include "operators/reduce.hpp"
#include "operators/shape.hpp"

namespace ctnn {

template <class... Ops>
struct operator_list {};

using all_operators =
    operator_list<op::input, op::constant, op::full,                                     //
                  op::conv2d, op::conv_transpose2d, op::linear, op::matmul,              //
                  op::batch_norm, op::scale, op::bias, op::local_response_norm, op::layer_norm,  //
                  op::activation, op::prelu, op::dropout, op::identity,                  //
                  op::unary, op::binary, op::eltwise, op::softmax,                       //
                  op::pool2d, op::adaptive_pool2d, op::interpolate,                      //
                  op::reduce, op::rnn, op::gru, op::lstm,                                //
                  op::flatten, op::reshape, op::permute, op::channel_shuffle, op::pixel_shuffle,  //
                  op::concat, op::split, op::slice, op::pad>;

}  // namespace ctnn
