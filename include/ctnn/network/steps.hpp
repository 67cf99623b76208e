// SPDX-License-Identifier: BSL-1.0
// The steps of a network type as constants: where their numbers lie, how, and what a step takes. run-inl.hpp runs them
// by kernels of the network's own, run_by_table.hpp by those that are compiled for loaded models.
#pragma once

#include <array>

#include "../kernels/frame.hpp"
#include "executable.hpp"
#include "plan_steps.hpp"

namespace ctnn::ir {

// Numbers of the graph and the plan are copied into constants first, and never a whole node: code that reads the tables
// themselves, or holds a pointer to an operator's type, would link them, and with them every function of the passes.
// Compilers that optimise drop such pointers; -O0 and -Og do not.

/// Where placement p of network Net lies.
template <class Net>
constexpr memory_place memory_place_at(int p) {
  using x = executable<Net>;
  return place_in(
      x::g, x::plan, p, static_cast<int>(x::input_count), [](value_id v) { return x::input_index(v); },
      [](int slot) { return x::slot_offsets[static_cast<std::size_t>(slot)]; });
}
template <class Net, int P>
constexpr memory_place memory_place_of() {
  return memory_place_at<Net>(P);
}

/// Placement P of network Net, with its shape and layout as constants, at `data`; a signal as itself or as an image of
/// one row.
template <class Net, int P, class T, bool AsImage = false>
CTNN_INLINE constexpr basic_tensor<T> tensor_like(T* data) {
  using x = executable<Net>;
  constexpr placement p = x::plan.at(P);
  constexpr dtype type = x::g.at_value(p.value).type;
  constexpr const_tensor own{nullptr, x::g.shape(p.value), p.order, p.pitch, type};
  constexpr const_tensor seen = AsImage ? as_image(own) : own;
  constexpr extents shape = seen.shape;
  return {data, shape, seen.order, seen.pitch, type};
}

/// The elements of node N's inputs and results as constants, if its integers stand for real numbers.
template <class Net, node_id N>
struct elements_of_node {
  using x = executable<Net>;
  static constexpr std::size_t inputs = static_cast<std::size_t>(x::g.at(N).inputs.count),
                               outputs = static_cast<std::size_t>(x::g.at(N).outputs.count);
  static constexpr auto all = [] {
    std::array<element, inputs + outputs> e{};
    for (std::size_t i = 0; i < inputs; ++i) e[i] = x::g.at_value(x::g.inputs(x::g.at(N))[i]).type;
    for (std::size_t k = 0; k < outputs; ++k)
      e[inputs + k] = x::g.at_value(x::g.output_of(N, static_cast<int>(k))).type;
    return e;
  }();
  static constexpr bool stand_for_reals = [] {
    bool any = false;
    for (const element& e : all) any = any || e.real;
    return any;
  }();
  static constexpr integer_arguments as_arguments(const integer_kernels* kernels) {
    if constexpr (stand_for_reals) return {kernels, all.data(), all.data() + inputs};
    else return {kernels};
  }
};

/// Where weight number `w` of node n's own lies.
template <class Net>
constexpr memory_place memory_place_of_own_weight(node_id n, std::size_t w) {
  using x = executable<Net>;
  const auto first = static_cast<std::size_t>(x::g.at(n).weights.first);
  return {memory_place::in_weights, static_cast<std::ptrdiff_t>(x::slot_offsets[first + w])};
}
/// Weight w of a step: among the network's weights, or an input of the step.
template <class Net>
constexpr memory_place memory_place_of_weight_at(const plan_step& step, std::size_t w) {
  using x = executable<Net>;
  const auto given_before = static_cast<std::size_t>(count_slots(step.given & ((slot_set{1} << w) - 1)));
  if ((step.given >> w & 1u) != 0) return memory_place_at<Net>(x::plan.given_inputs(step)[given_before]);
  return memory_place_of_own_weight<Net>(step.node, w - given_before);
}
template <class Net, std::size_t S, std::size_t W>
constexpr memory_place memory_place_of_weight() {
  return memory_place_of_weight_at<Net>(executable<Net>::plan.steps[S], W);
}
/// How many weights a step has.
template <class Net, std::size_t S>
constexpr std::size_t weights_of_step() {
  return weights_of(executable<Net>::g, executable<Net>::plan.steps[S]);
}

/// Layer I of a cascade, which is step S.
template <class Net, std::size_t S, std::size_t I>
struct stage_of_step {
  using x = executable<Net>;
  static constexpr plan_step step = x::plan.steps[S];
  static constexpr node_id n = x::plan.ids_of(step.cascade)[I];
  using op_type = typename x::template operator_at<n>;
  static constexpr op_type op = decode<op_type>(x::g.fields_of(x::g.at(n).fields));
  static constexpr bool is_first = I == 0, is_last = I + 1 == static_cast<std::size_t>(step.cascade.count);
  static constexpr std::size_t inputs = is_last ? static_cast<std::size_t>(step.inputs.count) : 1;
  /// Placements; the graph's values are the first ones. What lies between two layers is nowhere.
  static constexpr int in = is_first ? x::plan.ids_of(step.inputs)[0] : x::g.inputs(x::g.at(n))[0];
  static constexpr int added = inputs == 2 ? x::plan.ids_of(step.inputs)[1] : none;
  static constexpr int out = x::g.at(n).outputs.first;
  static constexpr auto weights = [] {
    std::array<memory_place, static_cast<std::size_t>(x::g.at(n).weights.count)> all{};
    for (std::size_t w = 0; w < all.size(); ++w) all[w] = memory_place_of_own_weight<Net>(n, w);
    return all;
  }();
};

template <class Net, std::size_t S>
inline constexpr std::string_view name_of_step = name_of(executable<Net>::g, executable<Net>::plan,
                                                         executable<Net>::plan.steps[S]);

template <class Net, std::size_t S>
constexpr double nanoseconds_of_step() {
  return nanoseconds_of(executable<Net>::g, executable<Net>::plan, executable<Net>::plan.steps[S]);
}

}  // namespace ctnn::ir
