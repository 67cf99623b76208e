// SPDX-License-Identifier: BSL-1.0
// Everything the optimiser does, on one page, for declared networks and loaded models alike. Order is priority among
// rules of one operator. Each rule says what it does in its `info`; README.md has them as a table
// (tests/rewrite/readme.cpp).
#pragma once

#include "driver.hpp"
#include "rules/activation.hpp"
#include "rules/affine.hpp"
#include "rules/attention.hpp"
#include "rules/blocks.hpp"
#include "rules/broadcast.hpp"
#include "rules/byte_products.hpp"
#include "rules/channels.hpp"
#include "rules/composite.hpp"
#include "rules/constant.hpp"
#include "rules/elimination.hpp"
#include "rules/fewer_outputs.hpp"
#include "rules/functions.hpp"
#include "rules/gelu.hpp"
#include "rules/hardswish.hpp"
#include "rules/heads.hpp"
#include "rules/join.hpp"
#include "rules/key_values.hpp"
#include "rules/known.hpp"
#include "rules/lengths.hpp"
#include "rules/lifting.hpp"
#include "rules/linear_maps.hpp"
#include "rules/matrix.hpp"
#include "rules/merged_constants.hpp"
#include "rules/movement.hpp"
#include "rules/negation.hpp"
#include "rules/norm_channels.hpp"
#include "rules/normalization.hpp"
#include "rules/packed.hpp"
#include "rules/padding.hpp"
#include "rules/parts.hpp"
#include "rules/pixel_layers.hpp"
#include "rules/pooled_maps.hpp"
#include "rules/products.hpp"
#include "rules/quantized.hpp"
#include "rules/reduction.hpp"
#include "rules/residual.hpp"
#include "rules/sequences.hpp"
#include "rules/siblings.hpp"
#include "rules/softmax.hpp"
#include "rules/transposes.hpp"
#include "rules/typing.hpp"
#include "rules/views.hpp"

namespace ctnn {

// clang-format off
struct default_rules : ir::known_rules<
    // Layers that change nothing
    rules::identity,
    rules::dropout,
    rules::concat_of_one,
    rules::split_into_one,
    rules::pool_1x1,
    rules::neutral_scalar,
    rules::same_size,
    rules::cast_same,
    // Layers that only rearrange
    rules::global_pool_flatten,
    rules::global_pool_to_reduce,
    rules::whole_pool,
    rules::reduce_reshape,
    rules::reduce_chain,
    rules::flatten_linear,
    rules::linear_ones,
    rules::samples_first,
    rules::reshaped_constant,
    rules::leading_ones,
    // Arithmetic before rearranging
    rules::function_first,
    rules::reshape_once,
    // Permutes behind what computes and cuts, towards their inverses
    rules::constant_first,
    rules::permute_once,
    rules::permute_other,
    rules::permute_skip,
    rules::permuted_batches,
    rules::axes_first,
    rules::pad_between,
    rules::resize_between,
    // Whatever else only rearranges
    rules::one_view,
    // Joining and cutting
    rules::concat_chain,
    rules::slice_of_concat,
    rules::slice_within_part,
    rules::split_of_concat,
    rules::concat_of_split,
    rules::join_before_concat,
    rules::fewer_outputs,
    rules::halves_apart,
    rules::conv_of_blocks,
    rules::slices_to_split,
    // Padding
    rules::pad_nothing,
    rules::reshape_before_pad,
    rules::pad_window<op::conv1d>,
    rules::pad_window<op::conv2d>,
    rules::pad_window<op::conv3d>,
    rules::pad_window<op::pool>,
    rules::pad_below_maximum,
    // What is known before the network runs
    rules::full_to_constant,
    rules::fold_constant,
    // Scales and shifts
    rules::batch_norm_to_scale,
    rules::affine_before,
    rules::fold_affine,
    rules::affine_before_concat,
    rules::affine_before_split,
    rules::affine_before_pool,
    rules::norm_channels,
    rules::merge_affine,
    rules::merge_constants,
    rules::scaled_square,
    rules::scaled_constant,
    // Several operators that spell one
    rules::gated_by_itself,
    rules::two_sided_relu_by_channel,
    rules::two_sided_relu_by_number,
    rules::bound_by_scalar,
    rules::power_by_name,
    rules::square_by_name,
    rules::rsqrt_by_name,
    rules::times_reciprocal,
    rules::gelu_by_tanh,
    rules::gelu_by_erf,
    rules::spelled_hardsigmoid,
    rules::spelled_hardswish,
    rules::spelled_softplus,
    rules::spelled_mish,
    rules::spelled_swish,
    rules::spelled_softsign,
    rules::spelled_softmax,
    rules::softmax_by_powers,
    rules::log_of_softmax,
    rules::spelled_log_softmax,
    rules::negated_twice,
    rules::negated_term,
    rules::negated_layer,
    rules::negated_input,
    rules::positive_factor,
    rules::spelled_norm,
    rules::spelled_unit_norm,
    rules::scaled_norm,
    rules::expanded_norm,
    rules::sum_of_squares,
    rules::norm_by_name,
    rules::spelled_lp_norm,
    rules::norm_operand,
    rules::spelled_groups,
    // Products of two values
    rules::matmul_by_constant,
    rules::permuted_operand,
    rules::permuted_product,
    rules::scaled_operand,
    rules::scaled_product,
    rules::einsum_nothing,
    rules::einsum_product,
    // Attention
    rules::spelled_attention,
    rules::shared_keys,
    rules::cached_keys,
    rules::heads_in_rows,
    // Conversions, copies and choices
    rules::cast_chain,
    rules::rounding_between,
    rules::requantize_same,
    rules::relu_before_quantize,
    rules::expanded_operand,
    rules::where_not,
    rules::where_constant,
    // Constants along an axis, where nothing above takes them as an operand
    rules::binary_to_scale,
    rules::binary_to_inverse_scale,
    // Real numbers between bytes
    rules::multiply_bytes,
    rules::bytes_of_products,
    rules::move_bytes,
    rules::requantize_bytes,
    rules::average_bytes,
    rules::join_bytes,
    rules::compute_bytes,
    // Sums and activations
    rules::eltwise_to_binary,
    rules::activation_chain,
    rules::activation_within,
    rules::fuse_activation,
    rules::activation_before_pool,
    rules::activation_before_concat,
    rules::activation_before_split,
    rules::part_with_activation,
    rules::sum_of_maps,
    rules::fuse_residual,
    rules::fuse_residual_last,
    rules::weighted_sum,
    rules::scaled_term,
    rules::scaled_sum,
    // Weights of zeros and ones
    rules::neutral_weight,
    rules::zero_bias,
    rules::zero_channels,
    rules::fuse_slopes,
    // What costs less (graph/cost.hpp)
    rules::multiply_weights,
    rules::shuffled_weight,
    rules::average_first,
    rules::resize_last,
    rules::conv_of_one_pixel,
    rules::join_siblings,
    // Weights that take less memory as they are
    rules::keep_packed
    > {};
// clang-format on

/// The rules that change no number.
using exact_rules = only_exact<default_rules>;

/// The same rules, and speed before memory: optimized<net, speed_first<>> has Winograd's filtering take the memory that
/// it is fastest with, also where the arena becomes larger than the declared network's.
template <class Rules = default_rules>
struct speed_first : Rules {
  static constexpr bool comes_speed_first = true;
};

namespace ir {

template <class Rules>
inline constexpr bool comes_speed_first = requires {
  Rules::comes_speed_first;
};

}  // namespace ir

}  // namespace ctnn
