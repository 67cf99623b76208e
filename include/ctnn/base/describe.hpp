// SPDX-License-Identifier: BSL-1.0
// A problem in words, for the messages of the hosted half.
#pragma once

#include <string>

#include "dtype.hpp"
#include "problem.hpp"
#include "text.hpp"

namespace ctnn::ir {

/// "3 x 224 x 224"; "scalar" for rank 0.
inline std::string describe(const extents& shape) {
  std::string out;
  append_shape(out, shape);
  return out;
}

inline std::string describe(const problem& p) {
  const std::string what(p.what), got = describe(p.got), needed = describe(p.needed);
  switch (p.kind) {
    case mistake::none: return "nothing is wrong";
    case mistake::missing_option: return what + " is missing";
    case mistake::unknown_option: return "there is no option " + what;
    case mistake::option_given_twice: return what + " is given twice";
    case mistake::not_a_whole_number: return what + " is not a whole number";
    case mistake::option_count: return what + " takes another count of numbers than " + got;
    case mistake::option_out_of_range:
      if (p.got.rank == 0) return what + " makes no sense for these inputs";
      if (p.needed.rank == 0) return what + " is out of range: got " + got;
      return what + " is out of range: got " + got + ", expected " +
             (p.needed.rank == 2 && p.got.rank == 1 ? std::to_string(p.needed[0]) + " to " + std::to_string(p.needed[1])
                                                    : needed);
    case mistake::wrong_number_of_inputs:
      return "got " + got + " inputs, expected " + std::to_string(p.needed[0]) +
             (p.needed[0] == p.needed[1] ? "" : " to " + std::to_string(p.needed[1]));
    case mistake::rank_mismatch: return what + ": input is " + got + ", expected " + needed + " dimensions";
    case mistake::shape_mismatch: return what + " is " + got + ", expected " + needed;
    case mistake::operand_mismatch: return what + ", " + got + ", does not go with the first, " + needed;
    case mistake::window_larger_than_padded_input:
      return "window " + needed + " is larger than the padded input " + got;
    case mistake::groups_do_not_divide_channels: return needed + " groups do not divide the channels " + got;
    case mistake::ambiguous_axis: return what + " must be said for an input " + got;
    case mistake::axis_out_of_range: return what + " " + got + " is out of range for " + needed + " dimensions";
    case mistake::no_elements: return "its output, " + got + ", has no elements";
    case mistake::element_count_mismatch: return what + ": " + got + " cannot become " + needed;
    case mistake::unknown_input: return "no layer is called " + what;
    case mistake::input_declared_after_user: return "input " + what + " is declared further down";
    case mistake::duplicate_name: return "two layers are called " + what;
    case mistake::unnamed_layer: return "a layer (" + what + ") has no name";
    case mistake::duplicate_output: return "two outputs are called " + what;
    case mistake::unknown_output: return "no layer for output " + what;
    case mistake::no_input_before: return "no layer before the first";
    case mistake::no_network: return "no network";
    case mistake::carried_without_output: return "no output is called " + what;
    case mistake::looks_ahead: return what + ": " + got + " results need samples that come later";
    case mistake::mixes_sequence: return what + " needs the whole sequence (axis " + got + ")";
    case mistake::block_not_a_multiple: return "parts of " + got + " samples are no multiple of " + what + " " + needed;
    case mistake::stream_begins_later: return what + ": a stream has " + got + " samples where zeros are needed";
    case mistake::no_sequence: return "which axis of " + got + " is the sequence?";
    case mistake::no_place_for_batch: return what + " does not take several samples at once";
    case mistake::unused_input: return "no layer reads input " + what;
    case mistake::unread_layer: return "no layer reads what this " + what + " gives";
    case mistake::not_constant: return "the compiler cannot run the function that declares the network";
    case mistake::no_values: return "the function that declares the network gives no value";
    case mistake::several_outputs: return what + " has several outputs";
    case mistake::shortcut_outside_of_residual: return what + " is no part of a residual";
    case mistake::residual_of_another_shape: return what + " is " + got + ", but is added to " + needed;
    case mistake::missing_weight: return "no numbers for weight " + what;
    case mistake::unknown_weight: return "no layer has a weight " + what;
    case mistake::duplicate_weight: return "weight " + what + " is given twice";
    case mistake::weight_shape_mismatch:
    case mistake::weight_size_mismatch: return what + " has shape " + got + ", expected " + needed;
    case mistake::weight_type_mismatch:
      return what + " is " + std::string(name_of(static_cast<dtype>(p.got[0]))) + ", expected " +
             std::string(name_of(static_cast<dtype>(p.needed[0])));
    case mistake::too_large: return what + " makes more elements than an index can count";
    case mistake::no_reference: return "operator " + what + " has no reference kernel";
    case mistake::element_type:
      return what + " cannot be of type " + std::string(name_of(static_cast<dtype>(p.got[0])));
    case mistake::no_such_element:
      return what + " makes " + std::string(name_of(static_cast<dtype>(p.got[0]))) + " of what it reads, not " +
             std::string(name_of(static_cast<dtype>(p.needed[0]))) + " of the scale and zero point asked for";
  }
  return what;
}

}  // namespace ctnn::ir
