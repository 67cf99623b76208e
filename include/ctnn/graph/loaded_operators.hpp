// SPDX-License-Identifier: BSL-1.0
// Operators that only loaded models have: their kernels (kernels/typed/) are plain and take every element type. They
// are not in all_operators, so that static networks pay nothing for them.
#pragma once

#include "operators.hpp"
#include "operators/attention.hpp"
#include "operators/detection.hpp"
#include "operators/indexing.hpp"
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

#define CTNN_LOADED_OPERATORS(x) \
  x(is_nan) x(is_inf) x(cast) x(clamp) x(compare) x(logic) x(remainder) x(where) x(expand) x(tile) x(trilu) x(eye) \
  x(arange) x(reverse_sequence) x(gather) x(gather_elements) x(gather_nd) x(scatter_elements) x(scatter_nd) \
  x(one_hot) x(nonzero) x(compress) x(unique) x(non_max_suppression) x(arg_reduce) x(cumsum) x(topk) x(log_softmax) \
  x(hardmax) x(einsum) x(det) x(group_norm) x(lp_normalize) x(mean_variance_normalize) x(max_unpool) x(fold_blocks) \
  x(deform_conv) x(grid_sample) x(affine_grid) x(roi_align) \
  x(attention) x(rotary_embedding) x(prior_box) x(detection_output) x(yolo_detection) x(quantize) x(dequantize) \
  x(dynamic_quantize) x(quantized_conv1d) x(quantized_conv2d) x(quantized_conv3d) \
  x(quantized_matmul) x(dft) x(stft) x(signal_window) x(mel_weights)

using loaded_operators = operator_list<op::bitwise_not CTNN_LOADED_OPERATORS(CTNN_AND_OPERATOR)>;

#if CTNN_COMPILED_ELSEWHERE
CTNN_RECORD_ELSEWHERE(bitwise_not)
CTNN_LOADED_OPERATORS(CTNN_RECORD_ELSEWHERE)
#endif

}  // namespace ctnn
