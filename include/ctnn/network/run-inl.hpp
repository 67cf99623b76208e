// SPDX-License-Identifier: BSL-1.0
// Running networks with the current target's kernels: types step by step with everything known, loaded models through a
// table of the same kernels.

#if defined(CTNN_PLAIN)
#if !defined(CTNN_NETWORK_RUN_INL_HPP)
#define CTNN_NETWORK_RUN_INL_HPP
#define CTNN_NETWORK_RUN_ENABLED
#endif
#elif defined(CTNN_NETWORK_RUN_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef CTNN_NETWORK_RUN_INL_HPP
#undef CTNN_NETWORK_RUN_INL_HPP
#else
#define CTNN_NETWORK_RUN_INL_HPP
#endif
#define CTNN_NETWORK_RUN_ENABLED
#endif

#if defined(CTNN_NETWORK_RUN_ENABLED)
#undef CTNN_NETWORK_RUN_ENABLED

#if !defined(CTNN_PLAIN)
#include "../base/executor.hpp"
#endif
#include "../kernels/fma_peak-inl.hpp"
#include "../kernels/integer_products-inl.hpp"
#include "../kernels/kernels-inl.hpp"
#include "../kernels/loaded_kernels.hpp"
#include "executable.hpp"
#include "frame.hpp"

CTNN_BEGIN_TARGET

// Whatever comes from the graph or the plan is copied into a constant first: code that reads the tables themselves would
// link them, and with them every function of the passes.

/// Placement P of network Net, with its shape and layout as constants.
template <class Net, int P, class T>
CTNN_INLINE basic_tensor<T> tensor_at(const frame& f) {
  using x = executable<Net>;
  constexpr placement p = x::plan.at(P);
  constexpr placement root = x::plan.at(x::plan.root(P));
  constexpr extents shape = x::g.shape(p.value);
  constexpr std::ptrdiff_t shift = static_cast<std::ptrdiff_t>(x::plan.shift(P));
  constexpr node_id producer = x::g.at_value(root.value).producer;
  if constexpr (!root.external) {
    return {f.arena + root.offset + shift, shape, p.order, p.pitch};
  } else {
    // Nobody writes here: a result that lies in an input or a constant is a view of it, which its kernel sees by the address.
    const float* whole = nullptr;
    if constexpr (x::g.template is<op::constant>(producer)) {
      constexpr auto slot = x::slot_offsets[static_cast<std::size_t>(x::g.at(producer).weights.first)];
      whole = f.weights + slot;
    } else {
      constexpr std::size_t index = x::input_index(root.value);
      whole = f.inputs[index];
    }
    return {const_cast<T*>(whole + shift), shape, p.order, p.pitch};
  }
}

template <class Net, std::size_t S, std::size_t... I, std::size_t... O, std::size_t... W>
CTNN_INLINE void run_step(const frame& f, const work_share& share, std::index_sequence<I...>, std::index_sequence<O...>,
                          std::index_sequence<W...>) {
  using x = executable<Net>;
  constexpr plan_step step = x::plan.steps[S];
  if constexpr (step.node == none) {
    convert(tensor_at<Net, x::plan.ids_of(step.outputs)[0], float>(f), tensor_at<Net, x::plan.ids_of(step.inputs)[0], const float>(f),
            share);
  } else {
    constexpr node n = x::g.at(step.node);
    using op_type = typename x::template operator_at<step.node>;
    constexpr op_type op = decode<op_type>(x::g.fields_of(n.fields));
    const const_tensor in[sizeof...(I) + 1] = {tensor_at<Net, x::plan.ids_of(step.inputs)[I], const float>(f)..., {}};
    const tensor out[sizeof...(O) + 1] = {tensor_at<Net, x::plan.ids_of(step.outputs)[O], float>(f)..., {}};
    constexpr std::int64_t slots[sizeof...(W) + 1] = {x::slot_offsets[static_cast<std::size_t>(n.weights.first) + W]..., 0};
    const float* const weights[sizeof...(W) + 1] = {(f.weights + slots[W])..., nullptr};
    run(op, arguments{{in, sizeof...(I)}, {out, sizeof...(O)}, {weights, sizeof...(W)}, share});
  }
}

template <class Net, std::size_t S>
constexpr std::size_t weights_of_step() {
  using x = executable<Net>;
  constexpr node_id n = x::plan.steps[S].node;
  return n == none ? 0 : static_cast<std::size_t>(x::g.at(n == none ? 0 : n).weights.count);
}

/// A step whose result already lies in its input (flatten, a split into parts) has nothing to do.
template <class Net, std::size_t S>
CTNN_INLINE void run_numbered_step(const frame& f, const work_share& share = {}) {
  using x = executable<Net>;
  constexpr plan_step step = x::plan.steps[S];
  run_step<Net, S>(f, share, std::make_index_sequence<static_cast<std::size_t>(step.inputs.count)>{},
                   std::make_index_sequence<static_cast<std::size_t>(step.outputs.count)>{},
                   std::make_index_sequence<weights_of_step<Net, S>()>{});
}

template <class Net, std::size_t... S>
CTNN_INLINE void run_steps(const frame& f, std::index_sequence<S...>) {
  (run_numbered_step<Net, S>(f), ...);
}

/// One inference of a network type.
template <class Net>
void run_network(const frame& f) {
  run_steps<Net>(f, std::make_index_sequence<executable<Net>::plan.steps.size()>{});
}

#if !defined(CTNN_PLAIN)
/// A step in parts, for an executor.
struct divided_step {
  const frame* f;
  int parts;
};
template <class Net, std::size_t S>
void run_part(void* step, int i) {
  const auto& s = *static_cast<const divided_step*>(step);
  run_numbered_step<Net, S>(*s.f, {i, s.parts});
}
/// 0 if the step cannot be divided.
template <class Net, std::size_t S>
constexpr double divisible_nanoseconds() {
  using x = executable<Net>;
  constexpr plan_step step = x::plan.steps[S];
  if constexpr (step.node == none) return static_cast<double>(x::g.shape(x::plan.at(x::plan.ids_of(step.inputs)[0]).value).count());
  else return divides<typename x::template operator_at<step.node>> ? nanoseconds_of(x::g, step.node) : 0;
}
template <class Net, std::size_t S>
CTNN_INLINE void run_step_on(const frame& f, executor& threads) {
  constexpr double nanoseconds = divisible_nanoseconds<Net, S>();
  divided_step s{&f, nanoseconds > 0 ? parts_for(threads, nanoseconds) : 1};
  if (s.parts > 1) threads.run(s.parts, &run_part<Net, S>, &s);
  else run_part<Net, S>(&s, 0);
}
template <class Net, std::size_t... S>
CTNN_INLINE void run_steps_on(const frame& f, executor& threads, std::index_sequence<S...>) {
  (run_step_on<Net, S>(f, threads), ...);
}

/// The same with large steps in parts.
template <class Net>
void run_network_on(const frame& f, executor& threads) {
  run_steps_on<Net>(f, threads, std::make_index_sequence<executable<Net>::plan.steps.size()>{});
}
#endif

/// Kernel of an operator that is known at run time only.
template <class Op>
void run_loaded(const void* op, const arguments& a) {
  run(*static_cast<const Op*>(op), a);
}
inline void convert_loaded(const tensor& to, const const_tensor& from, const work_share& share) { convert(to, from, share); }

template <class List>
struct loaded_kernel_table;
template <class... Ops>
struct loaded_kernel_table<operator_list<Ops...>> {
  template <class Op>
  static constexpr loaded_kernel entry() {
    if constexpr (requires(const Op& op, const arguments& a) { run(op, a); }) return {&type_of<Op>, &run_loaded<Op>, divides<Op>};
    else return {&type_of<Op>, nullptr};
  }
  static constexpr loaded_kernel table[sizeof...(Ops)] = {entry<Ops>()...};
};

/// All kernels of the list's operators for models that are loaded at run time.
template <class List>
loaded_kernels kernels_of() {
  return {loaded_kernel_table<List>::table, &convert_loaded, &multiply_integers};
}

/// Tells whether the target is compiled.
inline void probe_target() {}

CTNN_END_TARGET

#endif
