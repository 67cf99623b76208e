// SPDX-License-Identifier: BSL-1.0
// What the optimiser does besides for loaded models, whose operators and element types static networks do not have.
#pragma once

#include "rules.hpp"
#include "rules/broadcast.hpp"
#include "rules/normalization.hpp"
#include "rules/typing.hpp"

namespace ctnn {

// clang-format off
struct rules_of_loaded_operators : rule_list<
    // Conversions
    rules::cast_same,                                       // cast(x)                        ->  x
    rules::cast_chain,                                      // cast > cast                    ->  cast
    rules::requantize_same,                                 // dequantize > quantize          ->  x
    rules::relu_before_quantize,                            // relu > quantize                ->  quantize
    // Copies and choices
    rules::copy_of_all<op::expand>,                         // expand(x)                      ->  x
    rules::copy_of_all<op::tile>,                           // tile(x)                        ->  x
    rules::copy_of_all<op::strided_slice>,                  // strided_slice(x)               ->  x
    rules::expanded_operand,                                // expand > binary                ->  binary
    rules::where_not,                                       // not > where(a, b)              ->  where(b, a)
    rules::einsum_nothing,                                  // einsum(ij -> ij)               ->  x
    rules::einsum_product,                                  // einsum(bik, bkj -> bij)        ->  matmul
    // Several operators that spell one
    rules::gelu_by_erf,                                     // x / 2 * (1 + erf(...))         ->  gelu
    rules::spelled_norm,                                    // d / sqrt(mean(d * d) + eps)    ->  layer_norm | rms_norm
    rules::norm_operand<op::layer_norm>,                    // layer_norm > * k, + b          ->  layer_norm
    rules::norm_operand<op::rms_norm>                       // rms_norm > * k                 ->  rms_norm
    > {};
// clang-format on

/// All of it: what loaded models are rewritten by.
struct loaded_rules : joined_rules<default_rules, rules_of_loaded_operators> {};

}  // namespace ctnn
