// SPDX-License-Identifier: BSL-1.0
// Everything the optimiser does, on one page.
#pragma once

#include "driver.hpp"
#include "rules/activation.hpp"
#include "rules/affine.hpp"
#include "rules/composite.hpp"
#include "rules/constant.hpp"
#include "rules/elimination.hpp"
#include "rules/gelu.hpp"
#include "rules/join.hpp"
#include "rules/lifting.hpp"
#include "rules/matrix.hpp"
#include "rules/movement.hpp"
#include "rules/padding.hpp"
#include "rules/residual.hpp"

namespace ctnn {

// clang-format off
struct default_rules : rule_list<
    // Layers that change nothing
    rules::identity,                                        // identity                       ->  x
    rules::dropout,                                         // dropout                        ->  x  |  x * scale
    rules::concat_of_one,                                   // concat(x)                      ->  x
    rules::split_into_one,                                  // split(x)                       ->  x
    rules::slice_of_all,                                    // slice(x)                       ->  x
    rules::pool_1x1,                                        // pool2d(1x1)                    ->  x
    rules::interpolate_same_size,                           // interpolate(x)                 ->  x
    rules::adaptive_pool_same_size,                         // adaptive_pool2d(x)             ->  x
    rules::neutral_scalar,                                  // x + 0, x * 1 ...               ->  x
    // Layers that only rearrange
    rules::same_shape<op::flatten>,                         // flatten(x)                     ->  x
    rules::same_shape<op::reshape>,                         // reshape(x)                     ->  x
    rules::global_pool_flatten<op::flatten>,                // adaptive_pool2d > flatten      ->  adaptive_pool2d
    rules::global_pool_flatten<op::reshape>,                // adaptive_pool2d > reshape      ->  adaptive_pool2d
    rules::reshape_chain<op::flatten, op::flatten>,         // flatten > flatten              ->  flatten
    rules::reshape_chain<op::reshape, op::flatten>,         // reshape > flatten              ->  flatten
    rules::reshape_chain<op::flatten, op::reshape>,         // flatten > reshape              ->  reshape
    rules::reshape_chain<op::reshape, op::reshape>,         // reshape > reshape              ->  reshape
    rules::flatten_linear<op::flatten>,                     // flatten > linear               ->  linear
    rules::flatten_linear<op::reshape>,                     // reshape > linear               ->  linear
    rules::linear_ones,                                     // linear > reshape(x, 1, 1)      ->  linear
    rules::permute_none,                                    // permute(0, 1, ...)             ->  x
    rules::permute_ones,                                    // permute(ones)                  ->  reshape
    rules::permute_chain,                                   // permute > permute              ->  permute
    rules::shuffle_channels,                                // reshape > permute > reshape    ->  channel_shuffle
    rules::shuffle_pixels,                                  // reshape > permute > reshape    ->  pixel_shuffle
    rules::shuffle_nothing<op::channel_shuffle>,            // channel_shuffle(x)             ->  x
    rules::shuffle_nothing<op::pixel_shuffle>,              // pixel_shuffle(x)               ->  x
    rules::leading_ones,                                    // reshape(1, x) > binary         ->  binary
    // Arithmetic before rearranging
    rules::function_first<op::flatten, op::activation>,     // flatten > activation           ->  activation > flatten
    rules::function_first<op::reshape, op::activation>,     // reshape > activation           ->  activation > reshape
    rules::function_first<op::permute, op::activation>,     // permute > activation           ->  activation > permute
    rules::function_first<op::flatten, op::binary>,         // flatten > * scalar ...         ->  * scalar ... > flatten
    rules::function_first<op::reshape, op::binary>,         // reshape > * scalar ...         ->  * scalar ... > reshape
    rules::function_first<op::permute, op::binary>,         // permute > * scalar ...         ->  * scalar ... > permute
    rules::function_first<op::flatten, op::scale>,          // flatten > scale                ->  scale > flatten
    rules::function_first<op::flatten, op::bias>,           // flatten > bias                 ->  bias > flatten
    rules::function_first<op::flatten, op::prelu>,          // flatten > prelu                ->  prelu > flatten
    rules::function_first<op::reshape, op::scale>,          // reshape > scale                ->  scale > reshape
    rules::function_first<op::reshape, op::bias>,           // reshape > bias                 ->  bias > reshape
    rules::function_first<op::reshape, op::prelu>,          // reshape > prelu                ->  prelu > reshape
    rules::slice_first,                                     // reshape > slice                ->  slice > reshape
    rules::reshape_once,                                    // reshape(a) + reshape(b)        ->  reshape(a + b)
    // Joining and cutting
    rules::concat_chain,                                    // concat > concat                ->  concat
    rules::slice_chain,                                     // slice > slice                  ->  slice
    rules::slice_of_concat,                                 // slice(concat(..., x, ...))     ->  x
    rules::concat_of_split,                                 // concat(split(x))               ->  x
    // Padding
    rules::pad_nothing,                                     // pad(x)                         ->  x
    rules::pad_window<op::conv2d>,                          // pad(0) > conv2d                ->  conv2d
    rules::pad_window<op::pool2d>,                          // pad > pool2d                   ->  pool2d
    // What is known before the network runs
    rules::full_to_constant,                                // full                           ->  constant
    rules::fold_constant<op::binary>,                       // op(constants)                  ->  constant
    rules::fold_constant<op::unary>,
    rules::fold_constant<op::activation>,
    rules::fold_constant<op::eltwise>,
    rules::fold_constant<op::scale>,
    rules::fold_constant<op::bias>,
    rules::fold_constant<op::batch_norm>,
    rules::fold_constant<op::softmax>,
    rules::fold_constant<op::reshape>,
    rules::fold_constant<op::flatten>,
    rules::fold_constant<op::permute>,
    rules::fold_constant<op::concat>,
    rules::fold_constant<op::slice>,
    rules::fold_constant<op::interpolate>,
    rules::fold_constant<op::linear>,
    rules::fold_constant<op::matmul>,
    // Scales and shifts
    rules::batch_norm_to_scale,                             // batch_norm                     ->  scale
    rules::fold_last_axis,                                  // linear > + * k[output]         ->  linear
    rules::binary_to_scale,                                 // x * k[c], x + k[c]             ->  scale | bias
    rules::binary_to_inverse_scale,                         // x - k[c], x / k[c]             ->  bias | scale
    rules::scale_before<op::conv2d>,                        // x * scalar > conv2d            ->  conv2d
    rules::scale_before<op::conv_transpose2d>,              // x * scalar > conv_transpose2d  ->  conv_transpose2d
    rules::scale_before<op::linear>,                        // x * scalar > linear            ->  linear
    rules::fold_affine<op::conv2d, op::scale>,              // conv2d > scale                 ->  conv2d
    rules::fold_affine<op::conv2d, op::bias>,               // conv2d > bias                  ->  conv2d
    rules::fold_affine<op::conv2d, op::binary>,             // conv2d > * / + - scalar        ->  conv2d
    rules::fold_affine<op::conv_transpose2d, op::scale>,    // conv_transpose2d > scale       ->  conv_transpose2d
    rules::fold_affine<op::conv_transpose2d, op::bias>,     // conv_transpose2d > bias        ->  conv_transpose2d
    rules::fold_affine<op::conv_transpose2d, op::binary>,   // conv_transpose2d > * scalar ...  ->  conv_transpose2d
    rules::fold_affine<op::linear, op::scale>,              // linear > scale                 ->  linear
    rules::fold_affine<op::linear, op::bias>,               // linear > bias                  ->  linear
    rules::fold_affine<op::linear, op::binary>,             // linear > * / + - scalar        ->  linear
    rules::merge_affine<op::scale, op::scale>,              // scale > scale                  ->  scale
    rules::merge_affine<op::scale, op::bias>,               // scale > bias                   ->  scale
    rules::merge_affine<op::scale, op::binary>,             // scale > * / + - scalar         ->  scale
    rules::merge_affine<op::bias, op::scale>,               // bias > scale                   ->  scale
    rules::merge_affine<op::bias, op::bias>,                // bias > bias                    ->  bias
    rules::merge_affine<op::bias, op::binary>,              // bias > * / + - scalar          ->  scale | bias
    rules::merge_affine<op::binary, op::scale>,             // * / + - scalar > scale         ->  scale
    rules::merge_affine<op::binary, op::bias>,              // * / + - scalar > bias          ->  scale | bias
    // Several operators that spell one
    rules::gated_by_itself,                                 // x * sigmoid|hardsigmoid(x)     ->  silu | hardswish
    rules::two_sided_relu<op::scale>,                       // relu(x) + k[c] * relu(-x)      ->  prelu
    rules::two_sided_relu<op::binary>,                      // relu(x) + k * relu(-x)         ->  leaky_relu
    rules::bound_by_scalar,                                 // maximum|minimum(x, scalar)     ->  relu | clip
    rules::power_by_name,                                   // x ^ 2, x ^ 0.5, 1 / x ...      ->  square | sqrt | reciprocal ...
    rules::square_by_name,                                  // x * x                          ->  square
    rules::rsqrt_by_name,                                   // sqrt > reciprocal              ->  rsqrt
    rules::times_reciprocal,                                // b * reciprocal(a)              ->  b / a
    rules::gelu_by_tanh,                                    // x / 2 * (1 + tanh(...))        ->  gelu_tanh
    // Products of two values
    rules::permuted_operand,                                // permute(1, 0) > matmul         ->  matmul
    rules::permuted_product,                                // matmul > permute(1, 0)         ->  matmul
    rules::scaled_operand,                                  // * scalar > matmul              ->  matmul
    rules::scaled_product,                                  // matmul > * scalar              ->  matmul
    // Sums and activations
    rules::eltwise_to_binary,                               // eltwise(a, b)                  ->  binary(a, b)
    rules::activation_chain,                                // relu|clip > relu|clip          ->  relu | clip
    rules::fuse_activation<op::conv2d>,                     // conv2d > activation            ->  conv2d
    rules::fuse_activation<op::conv_transpose2d>,           // conv_transpose2d > activation  ->  conv_transpose2d
    rules::fuse_activation<op::linear>,                     // linear > activation            ->  linear
    rules::fuse_activation<op::binary>,                     // binary > activation            ->  binary
    rules::fuse_activation<op::eltwise>,                    // eltwise > activation           ->  eltwise
    rules::conv2d_residual,                                 // conv2d > add                   ->  conv2d with a residual
    rules::weighted_sum,                                    // a * scalar + b                 ->  eltwise
    rules::scaled_term                                      // eltwise(a * scalar, ...)       ->  eltwise
    > {};
// clang-format on

}  // namespace ctnn
