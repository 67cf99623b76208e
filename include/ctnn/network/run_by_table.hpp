// SPDX-License-Identifier: BSL-1.0
// Runs networks of types by the kernels that are compiled for loaded models (CTNN_COMPILED_KERNELS). Who includes this
// compiles neither kernels nor Highway's vectors, and stands in for dispatch.hpp.
#pragma once

#include <array>
#include <cstddef>
#include <type_traits>

#include "step_table.hpp"
#include "steps.hpp"
#include "target.hpp"

#if defined(CTNN_OWN_KERNELS)
#error "ctnn: kernels of your own for each target (CTNN_OWN_KERNELS) are not among those of CTNN_COMPILED_KERNELS"
#endif

namespace ctnn::ir {

namespace detail {

template <class... Ops>
struct types_of : std::type_identity<Ops>... {};
template <class... Ops>
types_of<Ops...> as_types(operator_list<Ops...>);
/// Has the library a kernel of it? Else the one that stands beside its struct.
template <class Op>
inline constexpr bool is_in_library = std::is_base_of_v<std::type_identity<Op>, decltype(as_types(all_operators{}))>;
template <class Net, std::size_t S>
constexpr loaded_run own_kernel_of_step() {
  using x = executable<Net>;
  constexpr plan_step step = x::plan.steps[S];
  if constexpr (step.runs_kernel() && step.cascade.count == 0) {
    using op = typename x::template operator_at<step.node>;
    if constexpr (!is_in_library<op>) return &run_own<op>;
  }
  return nullptr;
}

/// The table of a network's steps: functions of the plan, each a constant of its own, so that each has the compiler's
/// whole step limit.
template <class Net>
struct table_of {
  using x = executable<Net>;
  static constexpr const graph_view& g = x::g;
  static constexpr const plan_view& plan = x::plan;

  struct sizes {
    std::size_t steps, values, weights;
  };
  /// What a layer of a cascade takes: the first what the step takes, the last what is added as well.
  static constexpr int inputs_of_layer(const plan_step& s, int i) {
    return i + 1 == s.cascade.count ? s.inputs.count : 1;
  }
  static constexpr std::size_t weights_of_entry(const plan_step& s) {
    return s.runs_kernel() && s.cascade.count == 0 ? weights_of<Net>(s) : 0;
  }
  static constexpr sizes needed = [] {
    sizes n{plan.steps.size(), 0, 0};
    for (const plan_step& s : plan.steps) {
      n.values += plan.own_inputs(s).size() + static_cast<std::size_t>(s.outputs.count);
      n.weights += weights_of_entry(s);
      n.steps += static_cast<std::size_t>(s.cascade.count);
      for (int i = 0; i < s.cascade.count; ++i) n.values += static_cast<std::size_t>(inputs_of_layer(s, i) + 1);
      for (const node_id layer : plan.ids_of(s.cascade))
        n.weights += static_cast<std::size_t>(g.at(layer).weights.count);
    }
    return n;
  }();

  /// Hands every step to `step`, then the layers of cascades to `layer`, with the number of each.
  static constexpr void each(auto&& step, auto&& layer) {
    std::size_t at = 0;
    for (const plan_step& s : plan.steps) step(at++, s);
    for (const plan_step& s : plan.steps)
      for (int i = 0; i < s.cascade.count; ++i) layer(at++, s, i, plan.ids_of(s.cascade)[static_cast<std::size_t>(i)]);
  }

  /// How placement p lies, and where unless it is nowhere: between two layers of a cascade.
  static constexpr step_value value_at(int p, bool is_somewhere) {
    const placement& at = plan.at(p);
    const value& v = g.at_value(at.value);
    return {is_somewhere ? memory_place_at<Net>(p) : memory_place{}, {nullptr, v.shape, at.order, at.pitch, v.type}};
  }
  static constexpr auto values = [] {
    std::array<step_value, needed.values + 1> all{};
    std::size_t n = 0;
    each(
        [&](std::size_t, const plan_step& s) {
          for (const int p : plan.own_inputs(s)) all[n++] = value_at(p, true);
          for (const int p : plan.ids_of(s.outputs)) all[n++] = value_at(p, true);
        },
        [&](std::size_t, const plan_step& s, int i, node_id layer) {
          const auto in = plan.ids_of(s.inputs);
          all[n++] = i == 0 ? value_at(in[0], true) : value_at(g.inputs(g.at(layer))[0], false);
          if (inputs_of_layer(s, i) == 2) all[n++] = value_at(in[1], true);
          all[n++] = value_at(g.at(layer).outputs.first, i + 1 == s.cascade.count);
        });
    return all;
  }();
  static constexpr bool stands_for_reals(const plan_step& s) {
    bool any = false;
    for (const int p : plan.own_inputs(s)) any = any || g.at_value(plan.at(p).value).type.real;
    for (const int p : plan.ids_of(s.outputs)) any = any || g.at_value(plan.at(p).value).type.real;
    return any;
  }
  static constexpr std::size_t elements_needed = [] {
    std::size_t n = 0;
    for (const plan_step& s : plan.steps)
      if (stands_for_reals(s)) n += plan.own_inputs(s).size() + static_cast<std::size_t>(s.outputs.count);
    return n;
  }();
  static constexpr auto elements = [] {
    std::array<element, elements_needed + 1> all{};
    std::size_t n = 0;
    for (const plan_step& s : plan.steps) {
      if (!stands_for_reals(s)) continue;
      for (const int p : plan.own_inputs(s)) all[n++] = g.at_value(plan.at(p).value).type;
      for (const int p : plan.ids_of(s.outputs)) all[n++] = g.at_value(plan.at(p).value).type;
    }
    return all;
  }();
  static constexpr auto weights = [] {
    std::array<memory_place, needed.weights + 1> all{};
    std::size_t n = 0;
    each(
        [&](std::size_t, const plan_step& s) {
          for (std::size_t w = 0; w < weights_of_entry(s); ++w) all[n++] = memory_place_of_weight_at<Net>(s, w);
        },
        [&](std::size_t, const plan_step&, int, node_id layer) {
          const auto count = static_cast<std::size_t>(g.at(layer).weights.count);
          for (std::size_t w = 0; w < count; ++w) all[n++] = memory_place_of_own_weight<Net>(layer, w);
        });
    return all;
  }();
  static constexpr auto nanoseconds = [] {
    std::array<double, plan.steps.size() + 1> all{};
    for (std::size_t i = 0; i < plan.steps.size(); ++i) all[i] = nanoseconds_of<Net>(plan.steps[i]);
    return all;
  }();
  template <std::size_t... S>
  static constexpr std::array<loaded_run, sizeof...(S) + 1> own_kernels(std::index_sequence<S...>) {
    return {own_kernel_of_step<Net, S>()..., nullptr};
  }

  static constexpr std::size_t room_of(const operator_type& type) {
    constexpr std::size_t apart = alignof(std::max_align_t);
    return (type.size + apart - 1) / apart * apart;
  }
  static constexpr auto steps = [] {
    constexpr auto own = own_kernels(std::make_index_sequence<plan.steps.size()>{});
    std::array<table_step, needed.steps + 1> all{};
    int value = 0, weight = 0, element_at = 0, layers = static_cast<int>(plan.steps.size());
    std::size_t op = 0;
    const auto take = [](int& from, int count) { return range{(from += count) - count, count}; };
    const auto take_operator = [&](table_step& to, const node& n) {
      to.type = n.type;
      to.fields = g.fields_of(n.fields);
      to.op = op;
      op += room_of(*n.type);
    };
    each(
        [&](std::size_t i, const plan_step& s) {
          using enum table_step::task;
          table_step& to = all[i];
          to.what = s.cascade.count > 0 ? runs_cascade
                    : s.packs != none   ? packs
                    : s.node != none    ? runs
                    : s.carries         ? carries
                                        : converts;
          to.name = name_of<Net>(s);
          to.nanoseconds = nanoseconds[i];
          to.in = take(value, static_cast<int>(plan.own_inputs(s).size()));
          to.out = take(value, s.outputs.count);
          if (stands_for_reals(s)) to.elements = take(element_at, to.in.count + to.out.count);
          to.weights = take(weight, static_cast<int>(weights_of_entry(s)));
          to.cascade = take(layers, s.cascade.count);
          to.backwards = s.backwards;
          to.packs = s.packs;
          to.own = own[i];
          if (s.scratch != none) {
            to.scratch = memory_place_at<Net>(s.scratch);
            to.scratch_size = plan.at(s.scratch).size;
          }
          if (s.node == none || s.cascade.count > 0) return;
          take_operator(to, g.at(s.node));
          to.takes_vectors = takes_vectors(g, g.at(s.node));
        },
        [&](std::size_t i, const plan_step& s, int k, node_id layer) {
          table_step& to = all[i];
          take_operator(to, g.at(layer));
          to.in = take(value, inputs_of_layer(s, k));
          to.out = take(value, 1);
          to.weights = take(weight, g.at(layer).weights.count);
        });
    all[needed.steps].op = op;
    return all;
  }();
  static constexpr step_table table() {
    return {{steps.data(), plan.steps.size()}, values.data(), weights.data(), elements.data()};
  }

  /// The structs of all operators, made when the program needs the first.
  struct operators {
    alignas(std::max_align_t) std::byte bytes[steps[needed.steps].op + 1];
    operators() {
      for (std::size_t i = 0; i < needed.steps; ++i)
        if (const table_step& s = steps[i]; s.type) s.type->construct(s.fields, bytes + s.op);
    }
    static const std::byte* all() {
      static const operators made;
      return made.bytes;
    }
  };
  /// Looked up at the first inference on target number Target.
  template <int Target>
  static const table_kernels& kernels() {
    static std::array<loaded_kernel, plan.steps.size() + 1> of_steps;
    static const table_kernels chosen = [] {
      const table_kernels k{
          kernels_for<all_operators>(target_id{Target}), {of_steps.data(), plan.steps.size()}, operators::all()};
      choose_kernels(table(), k);
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
    run_table(table_of<Net>::table(), table_of<Net>::template kernels<Target>(), f, {with...});
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
