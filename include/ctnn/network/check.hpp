// SPDX-License-Identifier: BSL-1.0
// Turns a problem with a declared network into a compile error that reads
//   error: static assertion failed: ctnn: the window is larger than the padded input
//   in instantiation of network_error<mistake::window_larger_than_padded_input, layer_called<'c','o','n','v','2'>,
//     what<'k','e','r','n','e','l'>, got<8, 8>, needed<11, 11>>
// Characters and numbers are the form that both GCC and Clang print.
#pragma once

#include <utility>

#include "../base/nearest.hpp"
#include "lower.hpp"

namespace ctnn::ir {

template <char... Word>
struct what;
template <int... Extents>
struct got;
template <int... Extents>
struct needed;

/// The facts are the arguments: the mistake, the layer, the option, input or weight it is about, what there is and what
/// is needed.
template <mistake Mistake, class Layer, class What, class Got, class Needed>
struct network_error;

#define CTNN_MISTAKE(kind, text)                                                  \
  template <class Layer, class What, class Got, class Needed>                     \
  struct network_error<mistake::kind, Layer, What, Got, Needed> {                 \
    static_assert(sizeof(Layer*) == 0, "ctnn: " text);                            \
  };
CTNN_MISTAKE(missing_option, "a required option is missing")
CTNN_MISTAKE(unknown_option, "the layer has no such option")
CTNN_MISTAKE(option_given_twice, "an option is given twice")
CTNN_MISTAKE(not_a_whole_number, "the option takes whole numbers")
CTNN_MISTAKE(option_count, "the option takes another count of numbers")
CTNN_MISTAKE(option_out_of_range, "an option's value is out of range")
CTNN_MISTAKE(wrong_number_of_inputs, "the layer needs another number of inputs (least, most)")
CTNN_MISTAKE(rank_mismatch, "the input has the wrong number of dimensions (got, needed)")
CTNN_MISTAKE(shape_mismatch, "shapes do not match")
CTNN_MISTAKE(operand_mismatch, "the second input does not go with the first")
CTNN_MISTAKE(window_larger_than_padded_input, "the window is larger than the padded input")
CTNN_MISTAKE(groups_do_not_divide_channels, "groups do not divide the channels (in, out)")
CTNN_MISTAKE(ambiguous_axis,
             "the input's shape does not tell which axis is the channels': say axis<0> (channels first) or axis<1> "
             "(a batch first, batch_norm1d)")
CTNN_MISTAKE(axis_out_of_range, "the axis is out of range")
CTNN_MISTAKE(no_elements, "the layer's output would have no elements")
CTNN_MISTAKE(element_count_mismatch, "the number of elements does not match")
CTNN_MISTAKE(unknown_input, "the layer reads a layer that does not exist")
CTNN_MISTAKE(input_declared_after_user, "the layer reads a layer that is declared after it")
CTNN_MISTAKE(duplicate_name, "two layers have the same name")
CTNN_MISTAKE(duplicate_output, "two outputs have the same name")
CTNN_MISTAKE(unknown_output, "an output names a layer that does not exist")
CTNN_MISTAKE(no_input_before, "the first layer must be an input")
CTNN_MISTAKE(carried_without_output, "a carried input needs an output of its name: what it is in the next run")
CTNN_MISTAKE(
    looks_ahead,
    "a stateful network cannot look ahead: the layer needs samples that come later (how many results, needed); "
    "pad on the left only, or slice off the end what depends on padding there")
CTNN_MISTAKE(mixes_sequence,
             "a stateful network takes its sequence in parts, and the layer needs all of it (axis of its input)")
CTNN_MISTAKE(block_not_a_multiple,
             "blocks of a stateful network must be a multiple of the layer's stride (samples, stride)")
CTNN_MISTAKE(stream_begins_later,
             "a stateful network has samples where the layer needs zeros: layers before it drop the first ones, by "
             "windows without padding or a slice (samples)")
CTNN_MISTAKE(
    no_sequence,
    "which axis of the first input is the sequence? Say stateful<net, block, axis> (shape, axes that would do)")
CTNN_MISTAKE(unused_input, "no layer reads this input: leave it away, or say that it is `unused`")
CTNN_MISTAKE(several_outputs,
             "the block before has several outputs: say with from<...> which is read, by its full name")
CTNN_MISTAKE(shortcut_outside_of_residual, "a shortcut<...> stands in a residual<...>")
CTNN_MISTAKE(residual_of_another_shape,
             "a residual's input has another shape than its result: a shortcut<...> in it brings it there")
CTNN_MISTAKE(missing_weight, "a weight is missing")
CTNN_MISTAKE(unknown_weight, "no layer has a weight of this name")
CTNN_MISTAKE(duplicate_weight, "a weight is given twice")
CTNN_MISTAKE(weight_size_mismatch, "a weight has the wrong number of elements")
CTNN_MISTAKE(weight_shape_mismatch, "a weight has another shape")
CTNN_MISTAKE(weight_type_mismatch, "a weight has elements of another type (ctnn::dtype: got, needed)")
CTNN_MISTAKE(too_large, "a tensor has more elements than can be counted")
CTNN_MISTAKE(no_reference,
             "the operator has no reference: give it constexpr void run_reference(const Op&, const arguments&) "
             "beside its struct")
CTNN_MISTAKE(element_type, "the operator does not take elements of this type")
#undef CTNN_MISTAKE

/// A rule that would let rewriting go on for ever (rewrite/measure.hpp).
template <class Rule>
struct rule_error {
  static_assert(sizeof(Rule*) == 0, "ctnn: a rule did not lower the component of the measure that its info declares");
};

namespace detail {

template <const problem_report& Report, class Layer, class What, class Got, class Needed>
struct error_of;
template <const problem_report& Report, std::size_t... L, std::size_t... W, std::size_t... G, std::size_t... N>
struct error_of<Report, std::index_sequence<L...>, std::index_sequence<W...>, std::index_sequence<G...>,
                std::index_sequence<N...>> {
  using type =
      network_error<Report.found.kind, layer_called<Report.layer[L]...>, what<Report.found.what[W]...>,
                    got<Report.found.got[static_cast<int>(G)]...>, needed<Report.found.needed[static_cast<int>(N)]...>>;
};

}  // namespace detail

/// Compiles only if the report is empty. Where a class asks for it, nothing follows from the error: Clang holds every
/// function invalid in which something is wrong, and all that calls it.
template <const problem_report& Report, bool Wrong = Report.found.kind != mistake::none>
struct no_problem {};
template <const problem_report& Report>
struct no_problem<Report, true> {
  typename detail::error_of<Report, std::make_index_sequence<Report.layer.size()>,
                            std::make_index_sequence<Report.found.what.size()>,
                            std::make_index_sequence<static_cast<std::size_t>(Report.found.got.rank)>,
                            std::make_index_sequence<static_cast<std::size_t>(Report.found.needed.rank)>>::type said;
};
template <const problem_report& Report>
constexpr bool require_no_problem() {
  return sizeof(no_problem<Report>) > 0 && Report.found.kind == mistake::none;
}

}  // namespace ctnn::ir
