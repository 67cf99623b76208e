// SPDX-License-Identifier: BSL-1.0
// The compile errors of declared networks. The facts are template arguments: characters and numbers are the form that
// both GCC and Clang print, in the line of the error or the next. This is the first header of ctnn.hpp, and no macro
// makes these lines, since compilers say how they came to the line of an error.
#pragma once

#include "problem.hpp"

namespace ctnn::ir {

// The layer, the rule or the value that an error is about; the option, input or weight; what there is, what is needed.
template <char... Name>
struct layer_called;
template <char... Name>
struct rule_called;
template <char... Name>
struct value_called;
template <char... Name>
struct did_you_mean;
template <char... Word>
struct what;
template <int... Extents>
struct got;
template <int... Extents>
struct needed;
template <int Line, char... File>
struct in_line;

/// False, but not before there are facts.
template <class... Facts>
inline constexpr bool possible = false;

/// A mistake with the layer, the option, input or weight it is about, what there is and what is needed.
template <mistake Mistake, class... Facts>
struct network_error;

// clang-format off
template <class... F> struct network_error<mistake::missing_option, F...> {
  static_assert(possible<F...>, "ctnn: a required option is missing"); };
template <class... F> struct network_error<mistake::unknown_option, F...> {
  static_assert(possible<F...>, "ctnn: the layer has no such option"); };
template <class... F> struct network_error<mistake::option_given_twice, F...> {
  static_assert(possible<F...>, "ctnn: an option is given twice"); };
template <class... F> struct network_error<mistake::not_a_whole_number, F...> {
  static_assert(possible<F...>, "ctnn: the option takes whole numbers"); };
template <class... F> struct network_error<mistake::option_count, F...> {
  static_assert(possible<F...>, "ctnn: the option takes another count of numbers"); };
template <class... F> struct network_error<mistake::option_out_of_range, F...> {
  static_assert(possible<F...>, "ctnn: an option's value is out of range"); };
template <class... F> struct network_error<mistake::wrong_number_of_inputs, F...> {
  static_assert(possible<F...>, "ctnn: the layer needs another number of inputs (least, most)"); };
template <class... F> struct network_error<mistake::rank_mismatch, F...> {
  static_assert(possible<F...>, "ctnn: the input has the wrong number of dimensions (got, needed)"); };
template <class... F> struct network_error<mistake::shape_mismatch, F...> {
  static_assert(possible<F...>, "ctnn: shapes do not match"); };
template <class... F> struct network_error<mistake::operand_mismatch, F...> {
  static_assert(possible<F...>, "ctnn: the second input does not go with the first"); };
template <class... F> struct network_error<mistake::window_larger_than_padded_input, F...> {
  static_assert(possible<F...>, "ctnn: the window is larger than the padded input"); };
template <class... F> struct network_error<mistake::groups_do_not_divide_channels, F...> {
  static_assert(possible<F...>, "ctnn: groups do not divide the channels (in, out)"); };
template <class... F> struct network_error<mistake::ambiguous_axis, F...> {
  static_assert(possible<F...>, "ctnn: which axis has the channels? say axis<0>, or axis<1> (a batch is first)"); };
template <class... F> struct network_error<mistake::axis_out_of_range, F...> {
  static_assert(possible<F...>, "ctnn: the axis is out of range"); };
template <class... F> struct network_error<mistake::no_elements, F...> {
  static_assert(possible<F...>, "ctnn: the layer's output would have no elements"); };
template <class... F> struct network_error<mistake::element_count_mismatch, F...> {
  static_assert(possible<F...>, "ctnn: the number of elements does not match"); };
template <class... F> struct network_error<mistake::unknown_input, F...> {
  static_assert(possible<F...>, "ctnn: the layer reads a layer that does not exist"); };
template <class... F> struct network_error<mistake::input_declared_after_user, F...> {
  static_assert(possible<F...>, "ctnn: the layer reads a layer that is declared after it"); };
template <class... F> struct network_error<mistake::duplicate_name, F...> {
  static_assert(possible<F...>, "ctnn: two layers have the same name"); };
template <class... F> struct network_error<mistake::unnamed_layer, F...> {
  static_assert(possible<F...>, "ctnn: a layer needs a name"); };
template <class... F> struct network_error<mistake::duplicate_output, F...> {
  static_assert(possible<F...>, "ctnn: two outputs have the same name"); };
template <class... F> struct network_error<mistake::unknown_output, F...> {
  static_assert(possible<F...>, "ctnn: an output names a layer that does not exist"); };
template <class... F> struct network_error<mistake::no_network, F...> {
  static_assert(possible<F...>, "ctnn: this type is no network<...>"); };
template <class... F> struct network_error<mistake::no_input_before, F...> {
  static_assert(possible<F...>, "ctnn: the first layer must be an input"); };
template <class... F> struct network_error<mistake::carried_without_output, F...> {
  static_assert(possible<F...>, "ctnn: a carried input needs an output of its name: what it is in the next run"); };
template <class... F> struct network_error<mistake::looks_ahead, F...> {
  static_assert(possible<F...>,
                "ctnn: a stateful network cannot look ahead: pad on the left, slice off the end, attend causally"); };
template <class... F> struct network_error<mistake::mixes_sequence, F...> {
  static_assert(possible<F...>,
                "ctnn: a stateful network takes its sequence in parts, and the layer needs all (axis)"); };
template <class... F> struct network_error<mistake::block_not_a_multiple, F...> {
  static_assert(possible<F...>,
                "ctnn: blocks of a stateful network are a multiple of a layer's stride (samples, stride)"); };
template <class... F> struct network_error<mistake::stream_begins_later, F...> {
  static_assert(possible<F...>,
                "ctnn: the layer needs zeros where layers before it drop the first samples (samples)"); };
template <class... F> struct network_error<mistake::no_sequence, F...> {
  static_assert(possible<F...>,
                "ctnn: which axis is the sequence? say stateful<net, block, axis> (shape, axes that would do)"); };
template <class... F> struct network_error<mistake::no_place_for_batch, F...> {
  static_assert(possible<F...>,
                "ctnn: batched<...> knows no form of the layer for several samples: declare the network with them"); };
template <class... F> struct network_error<mistake::not_constant, F...> {
  static_assert(possible<F...>, "ctnn: the compiler cannot run forward(): an error before this one, or static_assert"
                                "((nn::graph{}, net::forward(m), true)) in it, says why"); };
template <class... F> struct network_error<mistake::no_values, F...> {
  static_assert(possible<F...>, "ctnn: forward(nn::graph&) does not compile (see the error before), or it is missing, "
                                "or it gives no value, array, pair or tuple of values, or nn::outputs{...}"); };
template <class... F> struct network_error<mistake::unread_layer, F...> {
  static_assert(possible<F...>, "ctnn: no layer reads what this one gives, and it is no output: a forgotten skip? "
                                "m.unused(x) says that it is meant"); };
template <class... F> struct network_error<mistake::unused_input, F...> {
  static_assert(possible<F...>, "ctnn: no layer reads this input: leave it away, or say that it is `unused`"); };
template <class... F> struct network_error<mistake::several_outputs, F...> {
  static_assert(possible<F...>, "ctnn: the block before has several outputs: from<...> says which, by full name"); };
template <class... F> struct network_error<mistake::shortcut_outside_of_residual, F...> {
  static_assert(possible<F...>, "ctnn: a shortcut<...> stands in a residual<...>"); };
template <class... F> struct network_error<mistake::residual_of_another_shape, F...> {
  static_assert(possible<F...>, "ctnn: a residual's input has not its result's shape: it needs a shortcut<...>"); };
template <class... F> struct network_error<mistake::missing_weight, F...> {
  static_assert(possible<F...>, "ctnn: a weight is missing"); };
template <class... F> struct network_error<mistake::unknown_weight, F...> {
  static_assert(possible<F...>, "ctnn: no layer has a weight of this name"); };
template <class... F> struct network_error<mistake::duplicate_weight, F...> {
  static_assert(possible<F...>, "ctnn: a weight is given twice"); };
template <class... F> struct network_error<mistake::weight_size_mismatch, F...> {
  static_assert(possible<F...>, "ctnn: a weight has the wrong number of elements"); };
template <class... F> struct network_error<mistake::weight_shape_mismatch, F...> {
  static_assert(possible<F...>, "ctnn: a weight has another shape"); };
template <class... F> struct network_error<mistake::weight_type_mismatch, F...> {
  static_assert(possible<F...>, "ctnn: a weight has elements of another type (ctnn::dtype: got, needed)"); };
template <class... F> struct network_error<mistake::too_large, F...> {
  static_assert(possible<F...>, "ctnn: a tensor has more elements than can be counted"); };
template <class... F> struct network_error<mistake::no_reference, F...> {
  static_assert(possible<F...>, "ctnn: the operator has no constexpr run_reference(const Op&, const arguments&)"); };
template <class... F> struct network_error<mistake::element_type, F...> {
  static_assert(possible<F...>, "ctnn: the operator does not take elements of this type"); };
template <class... F> struct network_error<mistake::no_such_element, F...> {
  static_assert(possible<F...>, "ctnn: of what it reads the layer cannot make integers of this scale (as_i8): it hands "
                                "them on as they are, or has no kernel for them (ctnn::dtype: made, asked for)"); };
// clang-format on

/// A rule that would let rewriting go on for ever (rewrite/measure.hpp).
template <class Rule>
struct rule_error {
  static_assert(possible<Rule>, "ctnn: a rule did not lower the component of the measure that its info declares");
};
/// Weights that are not constants.
template <class Net>
struct weights_of_run_time {
  static_assert(possible<Net>, "ctnn: weights that the compiler folds, and their table, are `constexpr` arrays; others "
                               "are read at start, by load() or load_folded()");
};
/// A question about a layer that there is not.
template <class Layer, class Nearest>
struct unknown_layer {
  static_assert(possible<Layer, Nearest>, "ctnn: no layer has this name; did_you_mean<...> is the nearest");
};
/// And of a rule's name.
template <class Rule, class Nearest>
struct unknown_rule {
  static_assert(possible<Rule, Nearest>, "ctnn: no rule of the list has this name; did_you_mean<...> is the nearest");
};
template <class Input, class Nearest>
struct no_such_input {
  static_assert(possible<Input, Nearest>,
                "ctnn: the network has no input of this name; did_you_mean<...> is the nearest");
};
template <class Output, class Nearest>
struct no_such_output {
  static_assert(possible<Output, Nearest>,
                "ctnn: the network has no output of this name; did_you_mean<...> is the nearest");
};

template <std::size_t Times>
struct given_once {
  static_assert(Times == 1, "ctnn: run(in<...>(...), ...) takes each input of the network once");
};
template <std::size_t Got, std::size_t Needed>
struct as_long {
  static_assert(Got == Needed,
                "ctnn: in<...> and into<...> take arrays or std::spans of as many numbers as the input or "
                "output has; of a vector std::span<T, numbers>(vector)");
};
template <class Got, class Needed>
struct of_type {
  static_assert(std::is_same_v<Got, Needed>,
                "ctnn: in<...> and into<...> take elements of the input's or output's type");
};

}  // namespace ctnn::ir
