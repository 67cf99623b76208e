// SPDX-License-Identifier: BSL-1.0
// Every operator ctnn has. A new one is a struct in operators/, a word here, and a kernel in ../kernels/.
#pragma once

#include "../base/compiled.hpp"
#include "operators/attention.hpp"
#include "operators/convolution.hpp"
#include "operators/detection.hpp"
#include "operators/elementwise.hpp"
#include "operators/indexing.hpp"
#include "operators/interpolate.hpp"
#include "operators/layer_norm.hpp"
#include "operators/linear.hpp"
#include "operators/matrix.hpp"
#include "operators/normalization.hpp"
#include "operators/pad.hpp"
#include "operators/pairwise.hpp"
#include "operators/pointwise.hpp"
#include "operators/pooling.hpp"
#include "operators/quantized.hpp"
#include "operators/rearranging.hpp"
#include "operators/recurrent.hpp"
#include "operators/reduce.hpp"
#include "operators/reduction.hpp"
#include "operators/sampling.hpp"
#include "operators/shape.hpp"
#include "operators/signal.hpp"
#include "operators/statistics.hpp"
#include "operators/typing.hpp"
#include "operators/windows.hpp"

namespace ctnn::ir {

template <class... Ops>
struct operator_list {
  using list = operator_list;
};

// clang-format off
#define CTNN_LAYERS(x) \
  x(constant) x(full) x(conv1d) x(conv2d) x(conv3d) x(conv_transpose1d) x(conv_transpose2d) x(conv_transpose3d) \
  x(deform_conv) x(fold_blocks) x(max_unpool) \
  x(linear) x(matmul) x(einsum) x(det) x(attention) x(rotary_embedding) x(rnn) x(gru) x(lstm) \
  x(batch_norm) x(scale) x(bias) x(local_response_norm) x(layer_norm) x(rms_norm) x(group_norm) x(lp_normalize) \
  x(mean_variance_normalize) x(softmax) x(log_softmax) x(hardmax)
#define CTNN_FUNCTIONS_OF_ELEMENTS(x) \
  x(activation) x(prelu) x(dropout) x(identity) x(cast) x(bit_cast) x(clamp) x(is_nan) x(is_inf) \
  x(bitwise_not) \
  x(quantize) x(dequantize) x(storage_cast) x(dynamic_quantize) x(binary) x(eltwise) x(compare) x(logic) x(remainder) \
  x(where)
#define CTNN_OTHER_OPERATORS(x) \
  x(pool) x(adaptive_pool) x(interpolate) x(grid_sample) x(affine_grid) x(roi_align) x(roi_pool) \
  x(reduce) x(arg_reduce) x(cumsum) x(topk) x(nonzero) x(compress) x(unique) x(one_hot) \
  x(flatten) x(reshape) x(permute) x(channel_shuffle) x(pixel_shuffle) x(concat) x(split) x(slice) x(pad) \
  x(expand) x(tile) x(trilu) x(eye) x(arange) x(reverse_sequence) \
  x(gather) x(gather_elements) x(gather_nd) x(scatter_elements) x(scatter_nd) \
  x(non_max_suppression) x(prior_box) x(detection_output) x(yolo_detection) \
  x(dft) x(stft) x(signal_window) x(mel_weights)
#define CTNN_OPERATORS(x) CTNN_LAYERS(x) CTNN_FUNCTIONS_OF_ELEMENTS(x) CTNN_OTHER_OPERATORS(x)
// clang-format on

#define CTNN_AND_OPERATOR(name) , op::name
/// A class of its own, whose name compilers write short.
struct all_operators : operator_list<op::input CTNN_OPERATORS(CTNN_AND_OPERATOR)> {};

// The code behind records is compiled once: compiled/records.cpp.
#if !CTNN_DEFINES(CTNN_PART_RECORDS)
#define CTNN_RECORD_ELSEWHERE(name) extern template const operator_type type_of<op::name>;
CTNN_RECORD_ELSEWHERE(input)
CTNN_OPERATORS(CTNN_RECORD_ELSEWHERE)
#undef CTNN_RECORD_ELSEWHERE
#endif
#undef CTNN_AND_OPERATOR

}  // namespace ctnn::ir
