// SPDX-License-Identifier: BSL-1.0
// What is wrong with a network or its weights, as a value: the compiler and the loaders word it for their readers.
#pragma once

#include <string_view>

#include "shape.hpp"

namespace ctnn {

enum class mistake {
  none,
  missing_option,       ///< `what` is required
  unknown_option,       ///< the operator has no `what`
  option_given_twice,   ///< `what` is there already
  not_a_whole_number,   ///< `what` is a fraction
  option_count,         ///< `what` takes another count of numbers than got[0]
  option_out_of_range,  ///< `what` is got[0], needs at least needed[0], or needed[0] to needed[1]; no numbers: no sense
  wrong_number_of_inputs,           ///< got[0], needs needed[0] to needed[1]
  rank_mismatch,                    ///< input is `got`, needs rank needed[0]
  shape_mismatch,                   ///< input is `got`, needs `needed`
  operand_mismatch,                 ///< `what` is `got`, which does not go with a first input of `needed`
  window_larger_than_padded_input,  ///< padded input `got`, window `needed`
  groups_do_not_divide_channels,    ///< channels got[0], groups needed[0]
  ambiguous_axis,                   ///< input `got` does not tell which axis is the channels': 0 or 1
  axis_out_of_range,                ///< axis got[0] of rank needed[0]
  no_elements,                      ///< the output would be `got`, which has none
  element_count_mismatch,           ///< `got` elements cannot be `needed`
  unknown_input,                    ///< no layer is called `what`
  input_declared_after_user,        ///< `what` stands further down
  duplicate_name,                   ///< two layers are called `what`
  unnamed_layer,                    ///< of operator `what`
  duplicate_output,                 ///< two outputs are called `what`
  unknown_output,                   ///< no layer is called `what`
  no_input_before,                  ///< first layer reads "the layer before"
  no_network,                       ///< a type that is none, nor is made of one
  carried_without_output,           ///< no output is called `what`
  looks_ahead,                      ///< of a stream: got[0] results need samples that are not there yet, needs 0
  mixes_sequence,                   ///< of a stream: results need the whole sequence, along axis got[0] of `what`
  block_not_a_multiple,             ///< of a stream: blocks of got[0], needs a multiple of needed[0]
  stream_begins_later,              ///< of a stream: it needs zeros before, and got[0] samples are dropped there
  no_sequence,                      ///< of a stream: several axes of input `got` would do, or axis needed[0] is none
  no_place_for_batch,               ///< operator `what` does not take several samples at once
  unused_input,                     ///< nobody reads input `what`
  not_constant,                     ///< the compiler cannot run a function that declares a network
  no_values,                        ///< a function that declares a network gives none
  unread_layer,                     ///< nobody reads what a layer of operator `what` gives
  several_outputs,                  ///< group `what` has several, and who reads it does not say which
  shortcut_outside_of_residual,     ///< `what` is no part of a residual
  residual_of_another_shape,        ///< the input is `got`, the result it is added to `needed`
  missing_weight,                   ///< `what` has no numbers
  unknown_weight,                   ///< no layer has a weight called `what`
  duplicate_weight,                 ///< `what` is given twice
  weight_size_mismatch,             ///< `what` has `got`, needs `needed`
  weight_shape_mismatch,            ///< `what` is `got`, needs `needed`
  weight_type_mismatch,             ///< `what` has elements of dtype got[0], needs needed[0]
  too_large,                        ///< more elements than an index can count
  no_reference,                     ///< operator `what` cannot be run by the compiler
  element_type,                     ///< `what` cannot have elements of dtype got[0]
  no_such_element,  ///< operator `what` makes dtype got[0], not integers (needed[0]) of the scale asked for
};

struct problem {
  mistake kind = mistake::none;
  std::string_view what{};
  extents got{};
  extents needed{};

  constexpr explicit operator bool() const { return kind != mistake::none; }
};

/// A problem and the layer that has it.
struct problem_report {
  problem found{};
  std::string_view layer{};
  std::string_view file{};  ///< and the line of the program that declares it, where that is known
  int line = 0;
};

}  // namespace ctnn
