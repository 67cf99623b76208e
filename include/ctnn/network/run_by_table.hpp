// SPDX-License-Identifier: BSL-1.0
// Runs networks of types by the kernels that are compiled for loaded models (CTNN_COMPILED_KERNELS). Who includes this
// compiles neither kernels nor Highway's vectors, and stands in for dispatch.hpp.
#pragma once

#include <array>

#include "step_table.hpp"
#include "steps.hpp"
#include "target.hpp"

#if defined(CTNN_OWN_KERNELS)
#error "ctnn: kernels of your own for each target (CTNN_OWN_KERNELS) are not among those of CTNN_COMPILED_KERNELS"
#endif

namespace ctnn::ir {

namespace detail {

template <class Op, class... Ops>
constexpr bool is_one_of(operator_list<Ops...>) {
  return (std::is_same_v<Op, Ops> || ...);
}

template <class Net, int P>
inline constexpr step_value value_at{memory_place_of<Net, P>(), tensor_like<Net, P, const float>(nullptr)};
/// What is nowhere: only how it would lie.
template <class Net, int P>
inline constexpr step_value value_between{{}, tensor_like<Net, P, const float>(nullptr)};

template <class Net, std::size_t S>
struct table_step_of {
  using x = executable<Net>;
  static constexpr plan_step step = x::plan.steps[S];
  static constexpr auto own_inputs = x::plan.own_inputs(step);
  static constexpr auto outputs = x::plan.ids_of(step.outputs);

  template <std::size_t... I>
  static constexpr std::array<step_value, sizeof...(I) + 1> values_in(std::index_sequence<I...>) {
    return {value_at<Net, own_inputs[I]>...};
  }
  template <std::size_t... I>
  static constexpr std::array<step_value, sizeof...(I) + 1> values_out(std::index_sequence<I...>) {
    return {value_at<Net, outputs[I]>...};
  }
  template <std::size_t... W>
  static constexpr std::array<memory_place, sizeof...(W) + 1> places(std::index_sequence<W...>) {
    return {memory_place_of_weight<Net, S, W>()...};
  }
  static constexpr auto in = values_in(std::make_index_sequence<own_inputs.size()>{});
  static constexpr auto out = values_out(std::make_index_sequence<outputs.size()>{});

  static constexpr table_step common() {
    table_step s;
    s.name = name_of_step<Net, S>;
    s.nanoseconds = nanoseconds_of_step<Net, S>();
    s.in = {in.data(), own_inputs.size()};
    s.out = {out.data(), outputs.size()};
    s.backwards = step.backwards;
    if constexpr (step.scratch != none) {
      s.scratch = memory_place_of<Net, step.scratch>();
      s.scratch_size = x::plan.at(step.scratch).size;
    }
    return s;
  }
};

template <class Net, std::size_t S>
struct table_entry : table_step_of<Net, S> {
  static constexpr table_step value = [] {
    table_step s = table_entry::common();
    s.what = table_entry::step.carries ? table_step::task::carries : table_step::task::converts;
    return s;
  }();
};
/// One that runs a kernel, or packs for one.
template <class Net, std::size_t S>
  requires(executable<Net>::plan.steps[S].node != none && executable<Net>::plan.steps[S].cascade.count == 0)
struct table_entry<Net, S> : table_step_of<Net, S> {
  using x = executable<Net>;
  static constexpr node n = x::g.at(table_entry::step.node);
  using op_type = typename x::template operator_at<table_entry::step.node>;
  static constexpr op_type op = decode<op_type>(x::g.fields_of(n.fields));
  static constexpr std::size_t weight_count = table_entry::step.packs == none ? weights_of_step<Net, S>() : 0;
  static constexpr auto weights = table_entry::places(std::make_index_sequence<weight_count>{});
  static constexpr table_step value = [] {
    table_step s = table_entry::common();
    s.what = table_entry::step.packs != none ? table_step::task::packs : table_step::task::runs;
    s.packs = table_entry::step.packs;
    s.takes_vectors = takes_vectors(x::g, n);
    s.type = n.type;
    s.op = &op;
    s.fields = x::g.fields_of(n.fields);
    s.weights = {weights.data(), weight_count};
    if constexpr (!is_one_of<op_type>(all_operators{})) s.own = &run_own<op_type>;
    return s;
  }();
};
/// Layer I of cascade S.
template <class Net, std::size_t S, std::size_t I>
struct table_stage : stage_of_step<Net, S, I> {
  using stage = stage_of_step<Net, S, I>;
  static constexpr std::array<step_value, stage::inputs> in = [] {
    std::array<step_value, stage::inputs> all{};
    if constexpr (stage::is_first) all[0] = value_at<Net, stage::in>;
    else all[0] = value_between<Net, stage::in>;
    if constexpr (stage::inputs == 2) all[1] = value_at<Net, stage::added>;
    return all;
  }();
  static constexpr step_value out = [] {
    if constexpr (stage::is_last) return value_at<Net, stage::out>;
    else return value_between<Net, stage::out>;
  }();
  static constexpr table_step value = [] {
    table_step s;
    s.type = &type_of<typename stage::op_type>;
    s.op = &stage::op;
    s.in = {in.data(), in.size()};
    s.out = {&out, 1};
    s.weights = {stage::weights.data(), stage::weights.size()};
    return s;
  }();
};
template <class Net, std::size_t S>
  requires(executable<Net>::plan.steps[S].cascade.count > 0)
struct table_entry<Net, S> : table_step_of<Net, S> {
  template <std::size_t... I>
  static constexpr std::array<table_step, sizeof...(I)> make(std::index_sequence<I...>) {
    return {table_stage<Net, S, I>::value...};
  }
  static constexpr auto stages =
      make(std::make_index_sequence<static_cast<std::size_t>(table_entry::step.cascade.count)>{});
  static constexpr table_step value = [] {
    table_step s = table_entry::common();
    s.what = table_step::task::runs_cascade;
    s.cascade = stages;
    return s;
  }();
};

template <class Net>
struct table_of {
  static constexpr std::size_t size = executable<Net>::plan.steps.size();
  template <std::size_t... S>
  static constexpr std::array<table_step, sizeof...(S) + 1> make(std::index_sequence<S...>) {
    return {table_entry<Net, S>::value...};
  }
  static constexpr auto all = make(std::make_index_sequence<size>{});
  static constexpr span<const table_step> steps() { return {all.data(), size}; }

  /// Looked up at the first inference on target number Target.
  template <int Target>
  static const table_kernels& kernels() {
    static std::array<loaded_kernel, size + 1> of_steps;
    static const table_kernels chosen = [] {
      const table_kernels k{kernels_for<all_operators>(target_id{Target}), {of_steps.data(), size}};
      choose_kernels(steps(), k);
      return k;
    }();
    return chosen;
  }
};

/// Runs it on each target, with such `Company`.
template <class Net, class... Company>
struct table_dispatch {
  template <int Target>
  static void run(const frame& f, Company&... with) {
    run_table(table_of<Net>::steps(), table_of<Net>::template kernels<Target>(), f, {with...});
  }
  static constexpr void (*table[])(const frame&, Company&...) = {&run<0>, &run<1>, &run<2>, &run<3>, &run<4>};
  static constexpr auto at(target_id t) { return table[t.index]; }
};

}  // namespace detail

template <class Net>
struct network_dispatch : detail::table_dispatch<Net> {};
/// The same before an observer.
template <class Net>
struct observed_dispatch : detail::table_dispatch<Net, const layer_observer> {};
/// The same on several threads.
template <class Net>
struct threaded_dispatch : detail::table_dispatch<Net, executor> {};

}  // namespace ctnn::ir
