// SPDX-License-Identifier: BSL-1.0
// Operators that only loaded models have: their kernels (kernels/typed/) are plain and take every element type. They are
// not in all_operators, so that static networks pay nothing for them.
#pragma once

#include "operators.hpp"
#include "operators/attention.hpp"
#include "operators/detection.hpp"
#include "operators/general_recurrent.hpp"
#include "operators/indexing.hpp"
#include "operators/int8.hpp"
#include "operators/matrix.hpp"
#include "operators/pairwise.hpp"
#include "operators/pointwise.hpp"
#include "operators/quantized.hpp"
#include "operators/rearranging.hpp"
#include "operators/reduction.hpp"
#include "operators/sampling.hpp"
#include "operators/signal.hpp"
#include "operators/statistics.hpp"
#include "operators/windows.hpp"

namespace ctnn {

using loaded_operators =
    operator_list<op::pointwise, op::is_nan, op::is_inf, op::cast, op::clamp,                                       //
                  op::compare, op::logic, op::remainder, op::parametric_relu, op::where,                            //
                  op::expand, op::tile, op::strided_slice, op::trilu, op::eye, op::arange,                 //
                  op::reverse_sequence,                                                                             //
                  op::gather, op::gather_elements, op::gather_nd, op::scatter_elements, op::scatter_nd,             //
                  op::one_hot, op::nonzero, op::compress, op::unique, op::non_max_suppression,                      //
                  op::arg_reduce, op::cumsum, op::topk, op::log_softmax, op::hardmax,                   //
                  op::gemm, op::einsum, op::det,                                                                    //
                  op::rms_norm, op::group_norm, op::batch_normalize, op::lp_normalize,                              //
                  op::mean_variance_normalize,                                                                      //
                  op::convolution, op::conv_transpose, op::pool_nd, op::max_unpool, op::fold_blocks,                //
                  op::deform_conv, op::resize, op::grid_sample, op::affine_grid, op::roi_align,                     //
                  op::general_rnn, op::general_gru, op::general_lstm, op::attention, op::rotary_embedding,                                  //
                  op::prior_box, op::detection_output, op::yolo_detection,                                          //
                  op::quantize, op::dequantize, op::dynamic_quantize, op::quantized_convolution,                    //
                  op::quantized_matmul, op::integer_convolution, op::integer_matmul, op::int8_conv2d, op::int8_linear,  //
                  op::dft, op::stft, op::signal_window, op::mel_weights>;

}  // namespace ctnn
