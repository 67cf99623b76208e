// SPDX-License-Identifier: BSL-1.0
// Every operator ctnn has. A new one is a struct in operators/, a line here, and a kernel in ../kernels/.
#pragma once

#include "../base/compiled.hpp"
#include "operators/convolution.hpp"
#include "operators/elementwise.hpp"
#include "operators/interpolate.hpp"
#include "operators/layer_norm.hpp"
#include "operators/linear.hpp"
#include "operators/matrix.hpp"
#include "operators/normalization.hpp"
#include "operators/pad.hpp"
#include "operators/pointwise.hpp"
#include "operators/pooling.hpp"
#include "operators/recurrent.hpp"
#include "operators/reduce.hpp"
#include "operators/shape.hpp"

namespace ctnn {

template <class... Ops>
struct operator_list {};

#define CTNN_OPERATORS(x) \
  x(constant) x(full) x(conv1d) x(conv2d) x(conv3d) x(conv_transpose1d) x(conv_transpose2d) \
  x(conv_transpose3d) x(linear) x(matmul) x(batch_norm) x(scale) x(bias) x(local_response_norm) x(layer_norm) \
  x(rms_norm) x(activation) x(prelu) x(dropout) x(identity) x(binary) x(eltwise) x(softmax) x(pool) x(adaptive_pool) \
  x(interpolate) x(reduce) x(rnn) x(gru) x(lstm) x(flatten) x(reshape) x(permute) x(channel_shuffle) x(pixel_shuffle) \
  x(concat) x(split) x(slice) x(pad)

#define CTNN_AND_OPERATOR(name) , op::name
using all_operators = operator_list<op::input CTNN_OPERATORS(CTNN_AND_OPERATOR)>;

// The code behind records is in the unit that compiles everything.
#define CTNN_RECORD_ELSEWHERE(name) extern template const operator_type type_of<op::name>;
#if CTNN_COMPILED_ELSEWHERE
CTNN_RECORD_ELSEWHERE(input)
CTNN_OPERATORS(CTNN_RECORD_ELSEWHERE)
#endif

/// Those and others that have kernels of vectors.
template <class... Ops>
auto with_conversions(operator_list<Ops...>) -> operator_list<Ops..., op::cast>;
using vector_operators = decltype(with_conversions(all_operators{}));

}  // namespace ctnn
