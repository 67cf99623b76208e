// SPDX-License-Identifier: BSL-1.0
// Running networks of types with the current target's kernels, step by step with everything known.

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
#include "../kernels/frame.hpp"
#include "../kernels/simd/tile_set.hpp"
#include "../kernels/typed/run.hpp"
#include "../kernels/vectors/kernel_table-inl.hpp"
#include "executable.hpp"
#include "observer.hpp"
#include "steps.hpp"

CTNN_BEGIN_TARGET

/// Placement P where it lies. Nobody writes to inputs and constants: a result that lies there is a view of it, which
/// its kernel sees by the address.
template <class Net, int P, class T, bool AsImage = false>
CTNN_INLINE basic_tensor<T> tensor_at(const frame& f) {
  constexpr memory_place place = memory_place_of<Net, P>();
  return tensor_like<Net, P, T, AsImage>(const_cast<T*>(address_in(f, place)));
}

template <class Net, std::size_t S, std::size_t W>
CTNN_INLINE const float* weight_at(const frame& f) {
  constexpr memory_place place = memory_place_of_weight<Net, S, W>();
  return address_in(f, place);
}

/// The memory that step S has for its kernel.
template <class Net, std::size_t S>
CTNN_INLINE scratch_memory scratch_at(const frame& f) {
  using x = executable<Net>;
  constexpr int p = x::plan.steps[S].scratch;
  if constexpr (p == none) return {};
  else {
    constexpr placement own = x::plan.at(p);
    return scratch_memory(
        std::as_writable_bytes(std::span<float>(f.arena + own.offset, static_cast<std::size_t>(own.size))));
  }
}

/// Places of what step S reads, makes and has as weights.
template <class Net, std::size_t S>
using inputs_of_step = std::make_index_sequence<static_cast<std::size_t>(
    executable<Net>::plan.steps[S].inputs.count - count_slots(executable<Net>::plan.steps[S].given))>;
template <class Net, std::size_t S>
using outputs_of_step =
    std::make_index_sequence<static_cast<std::size_t>(executable<Net>::plan.steps[S].outputs.count)>;
template <class Net, std::size_t S>
using slots_of_step = std::make_index_sequence<weights_of_step<Net, S>()>;

#if !defined(CTNN_PLAIN)
/// A question about step S: its operator, its inputs and its output, without addresses.
template <class Net, std::size_t S, class Question, std::size_t... I>
constexpr auto ask_of_step(Question question, std::index_sequence<I...>) {
  using x = executable<Net>;
  constexpr plan_step step = x::plan.steps[S];
  constexpr auto inputs = x::plan.own_inputs(step);
  const const_tensor in[] = {tensor_like<Net, inputs[I], const float>(nullptr)...};
  const tensor out[] = {tensor_like<Net, x::plan.ids_of(step.outputs)[0], float>(nullptr)};
  const float* const weights[weights_of_step<Net, S>() + 1]{};
  using op_type = typename x::template operator_at<step.node>;
  return question(decode<op_type>(x::g.fields_of(x::g.at(step.node).fields)), arguments{in, out, weights, {}});
}
template <class Net, std::size_t S, class Question>
constexpr auto ask_of_step(Question question) {
  return ask_of_step<Net, S>(question, inputs_of_step<Net, S>{});
}
template <class Net, std::size_t S>
inline constexpr few_products few_products_of_step = ask_of_step<Net, S>([](const auto& op, const arguments& a) {
  return few_products_of(op, a);
});

/// Input I of concat step S, if it is of few numbers.
template <class Net, std::size_t S, std::size_t I>
inline constexpr few_neighbours few_neighbours_of_part = ask_of_step<Net, S>([](const op::concat& p,
                                                                                const arguments& a) {
  int before = 0;
  for (std::size_t i = 0; i < I; ++i) before += a.in[i].shape[normal_axis(p.axis, a.out[0].shape.rank)];
  return few_neighbours_of(p, a.out[0], a.in[I], before);
});
template <class Net, std::size_t S, std::size_t... I>
CTNN_INLINE void join_parts(const op::concat& p, const arguments& a, std::index_sequence<I...>) {
  if constexpr (((few_neighbours_of_part<Net, S, I>.count > 0) && ...)) {
    if (a.share.index == 0)
      (copy_few<few_neighbours_of_part<Net, S, I>.count>(a.out[0].data + few_neighbours_of_part<Net, S, I>.begin,
                                                         a.in[I].data),
       ...);
  } else {
    run(p, a);
  }
}
#endif

/// The same for step S, whose convolution is by one size of Winograd's tiles or directly, and links nothing else.
template <class Net, std::size_t S, tile_set Tiles, class Op>
CTNN_INLINE void run_kernel_of_step(const Op& op, const arguments& a, scratch_memory memory) {
#if !defined(CTNN_PLAIN)
  if constexpr (std::is_same_v<Op, op::conv2d> || std::is_same_v<Op, op::conv1d>) {
    using x = executable<Net>;
    constexpr int m = winograd_size(x::g, x::g.at(x::plan.steps[S].node));
    if constexpr (m > 0) return run_winograd<m>(op, a, memory);
    else if constexpr (constexpr few_products few = few_products_of_step<Net, S>; few.runs > 0)
      return multiply_few<few>(op, a);
    else return run<Tiles>(op, a);
  } else if constexpr (std::is_same_v<Op, op::linear>) {
    using x = executable<Net>;
    constexpr few_products few = few_products_of_step<Net, S>;
    constexpr bool packed = x::g.template get<op::linear>(x::plan.steps[S].node).weight.is_packed();
    if constexpr (few.runs > 0) return multiply_few<few>(op, a);
    else return run<Tiles, packed>(op, a);
  } else if constexpr (std::is_same_v<Op, op::slice>) {
    constexpr few_neighbours few = ask_of_step<Net, S>(
        [](const op::slice& p, const arguments& b) { return few_neighbours_of(p, b.out[0], b.in[0]); });
    if constexpr (few.count == 0) return run(op, a);
    else if (a.share.index == 0) copy_few<few.count>(a.out[0].data, a.in[0].data + few.begin);
  } else if constexpr (std::is_same_v<Op, op::concat>) {
    return join_parts<Net, S>(
        op, a, std::make_index_sequence<executable<Net>::plan.own_inputs(executable<Net>::plan.steps[S]).size()>());
  } else
#endif
      if constexpr (requires { run_in_order<layout::nchw>(op, a); }) {
    using x = executable<Net>;
    constexpr layout order = x::plan.at(x::plan.own_inputs(x::plan.steps[S])[0]).order;
    run_in_order<order>(op, a);
  } else run_kernel(op, a, memory);
}
constexpr bool has_halves(const graph_view& g, const node& n) {
  const auto half = [&](value_id v) { return is_narrow(g.at_value(v).type); };
  for (value_id v : g.inputs(n))
    if (half(v)) return true;
  for (int k = 0; k < n.outputs.count; ++k)
    if (half(n.outputs.first + k)) return true;
  return false;
}
/// What runs step S: the kernel for vectors where there is one for its elements, else the one for any elements (of
/// kernels/typed/, if its header is included).
template <class Net, std::size_t S>
constexpr bool runs_typed() {
  using x = executable<Net>;
  using op_type = typename x::template operator_at<x::plan.steps[S].node>;
  if constexpr (takes_vectors(x::g, x::g.at(x::plan.steps[S].node)) && has_kernel<op_type>()) return false;
  else return typed::has_kernel<op_type>;
}
/// Without one its definition runs, plain loops over plain values (windows over one axis or three, say), unless its
/// weights are packed for a kernel.
template <class Op>
constexpr bool runs_by_definition() {
  if (has_kernel<Op>() || operator_code<Op>::reference() == nullptr) return false;
  for (int slot = 0; slot < static_cast<int>(max_weights); ++slot)
    if (operator_code<Op>::packs(slot, dtype::f32)) return false;
  return true;
}
template <class Op>
struct kernel_of {
  static_assert(
      has_kernel<Op>() || runs_by_definition<Op>(),
      "ctnn: an operator of the network has no kernel: include <ctnn/typed.hpp>, or give it void run(const Op&, const "
      "ctnn::ir::arguments&) beside its struct");
};

/// Is step S one over signals, by a kernel of images? Its constants are those of an image.
template <class Net, std::size_t S>
constexpr bool is_seen_as_image() {
  using x = executable<Net>;
  constexpr plan_step step = x::plan.steps[S];
  if constexpr (!step.runs_kernel()) return false;
  else {
    using op_type = typename x::template operator_at<step.node>;
    const node& n = x::g.at(step.node);
    if (byte_kernel_of(x::g, n).there || runs_typed<Net, S>()) return false;
    if constexpr (op::pooling_of_windows<op_type>) return decode<op_type>(x::g.fields_of(n.fields)).of_signals();
    else return op::convolution_of_signals<op_type>;
  }
}
template <class Net, std::size_t S>
constexpr auto operator_of_step() {
  using x = executable<Net>;
  constexpr node_id n = x::plan.steps[S].node;
  constexpr auto own = decode<typename x::template operator_at<n>>(x::g.fields_of(x::g.at(n).fields));
  if constexpr (is_seen_as_image<Net, S>()) return as_image(own);
  else return own;
}

#if defined(CTNN_PLAIN)
/// Those that need no numbers, once for all layers.
template <function Kind>
inline constexpr epilogue plain_epilogue = epilogue_of({Kind});
/// Step S as constants, if it is a convolution whose numbers a record can tell.
template <class Net, std::size_t S>
struct record_of {
  static constexpr bool exists = false;
};
template <class Net, std::size_t S>
requires(executable<Net>::plan.steps[S].runs_kernel() &&
         (executable<Net>::g.template is<op::conv2d>(executable<Net>::plan.steps[S].node) ||
          executable<Net>::g.template is<op::conv1d>(executable<Net>::plan.steps[S].node)) &&
         computes_f32(executable<Net>::g, executable<Net>::g.at(executable<Net>::plan.steps[S].node)) &&
         !runs_typed<Net, S>()) struct record_of<Net, S> {
  using x = executable<Net>;
  static constexpr plan_step step = x::plan.steps[S];
  static constexpr bool image = is_seen_as_image<Net, S>();
  static constexpr op::conv2d op = operator_of_step<Net, S>();
  static constexpr auto inputs = x::plan.own_inputs(step);
  static constexpr int residual = inputs.size() > 1 ? inputs[inputs.size() - 1] : inputs[0];
  static constexpr int out = x::plan.ids_of(step.outputs)[0];
  static constexpr epilogue end = epilogue_of(op.activation);

  static constexpr auto ask(auto&& question) {
    const const_tensor in[] = {tensor_like<Net, inputs[0], const float, image>(nullptr),
                               tensor_like<Net, residual, const float, image>(nullptr)};
    const tensor to[] = {tensor_like<Net, out, float, image>(nullptr)};
    const float* const weights[] = {nullptr, nullptr, nullptr};
    return question(arguments{{in, inputs.size()}, to, weights, {}, nullptr, step.backwards});
  }
  static constexpr auto places = [] {
    std::array<memory_place, convolution_record::operands> all{};
    all[convolution_record::in] = memory_place_of<Net, inputs[0]>();
    all[convolution_record::out] = memory_place_of<Net, out>();
    all[convolution_record::weights] = memory_place_of_weight<Net, S, 0>();
    if constexpr (op.bias) all[convolution_record::bias] = memory_place_of_weight<Net, S, 1>();
    if constexpr (inputs.size() > 1) all[convolution_record::residual] = memory_place_of<Net, residual>();
    return all;
  }();
  static constexpr convolution_record value = [] {
    auto r = ask([](const arguments& a) { return convolution_record(op, a); });
    for (std::size_t i = 0; i < places.size(); ++i) r.place(static_cast<convolution_record::operand>(i), places[i]);
    r.end = op.activation.kind == function::none   ? &plain_epilogue<function::none>
            : op.activation.kind == function::relu ? &plain_epilogue<function::relu>
                                                   : &end;
    return r;
  }();
  static constexpr bool exists = ask([](const arguments& a) { return value.tells(op, a, places); });
};

/// Step S as constants, if it is one of bytes that has a task.
template <class Net, std::size_t S>
struct byte_step_of {
  static constexpr bool exists = false;
};
template <class Net, std::size_t S>
requires(executable<Net>::plan.steps[S].runs_kernel() &&
         byte_kernel_of(executable<Net>::g, executable<Net>::g.at(executable<Net>::plan.steps[S].node)).there &&
         requires(const typename executable<Net>::template operator_at<executable<Net>::plan.steps[S].node>& op,
                  const arguments& a) { byte_task_of(op, a); }) struct byte_step_of<Net, S> {
  using x = executable<Net>;
  static constexpr bool exists = true;
  static constexpr plan_step step = x::plan.steps[S];
  using op_type = typename x::template operator_at<step.node>;
  static constexpr auto inputs = x::plan.own_inputs(step);
  static constexpr int second = inputs.size() > 1 ? inputs[1] : inputs[0];
  static constexpr int out = x::plan.ids_of(step.outputs)[0];
  static constexpr std::size_t weights = weights_of_step<Net, S>();

  static constexpr auto task = [] {
    const const_tensor in[] = {tensor_like<Net, inputs[0], const float>(nullptr)};
    const tensor to[] = {tensor_like<Net, out, float>(nullptr)};
    const integer_arguments integers = elements_of_node<Net, step.node>::as_arguments(nullptr);
    const arguments of{in, to, {}, {}, &integers, step.backwards};
    constexpr bool reads_bytes = is_byte(x::g.at_value(x::g.inputs(x::g.at(step.node))[0]).type);
    if constexpr (std::is_same_v<op_type, op::quantize> && reads_bytes) return byte_table_of({}, of);
    else return byte_task_of(decode<op_type>(x::g.fields_of(x::g.at(step.node).fields)), of);
  }();
  static constexpr byte_step<std::remove_const_t<decltype(task)>> value = [] {
    memory_place all[byte_operands::count]{};
    all[byte_operands::in] = memory_place_of<Net, inputs[0]>();
    all[byte_operands::second] = memory_place_of<Net, second>();
    all[byte_operands::out] = memory_place_of<Net, out>();
    if constexpr (weights > 0) {
      all[byte_operands::weights] = memory_place_of_weight<Net, S, 0>();
      all[byte_operands::rows] = memory_place_of_weight<Net, S, weights - 1>();
    }
    if constexpr (step.scratch != none) all[byte_operands::scratch] = memory_place_of<Net, step.scratch>();
    return byte_step<std::remove_const_t<decltype(task)>>(task, all);
  }();
};
#endif

template <class Net, std::size_t S, tile_set Tiles, std::size_t... I, std::size_t... O, std::size_t... W>
CTNN_INLINE void run_step(const frame& f, const work_share& share, std::index_sequence<I...>, std::index_sequence<O...>,
                          std::index_sequence<W...>) {
  using x = executable<Net>;
  constexpr plan_step step = x::plan.steps[S];
  if constexpr (step.carries) {
    carry(tensor_at<Net, x::plan.ids_of(step.outputs)[0], float>(f),
          tensor_at<Net, x::plan.ids_of(step.inputs)[0], const float>(f), share);
  } else if constexpr (step.node == none) {
    convert_any(tensor_at<Net, x::plan.ids_of(step.outputs)[0], float>(f),
                tensor_at<Net, x::plan.ids_of(step.inputs)[0], const float>(f), share);
  } else {
    using op_type = typename x::template operator_at<step.node>;
    constexpr bool image = is_seen_as_image<Net, S>();
    // Static, as GCC copies a local one to the stack and then reads what it knows from there.
    static constexpr auto op = operator_of_step<Net, S>();
    const const_tensor in[sizeof...(I) + 1] = {tensor_at<Net, x::plan.own_inputs(step)[I], const float, image>(f)...,
                                               {}};
    const tensor out[sizeof...(O) + 1] = {tensor_at<Net, x::plan.ids_of(step.outputs)[O], float, image>(f)..., {}};
    if constexpr (step.packs != none) {
      if (share.index == 0) pack(op, step.packs, in[0].shape, in[0].data, out[0].data, channel_block);
    } else {
      const float* const weights[sizeof...(W) + 1] = {weight_at<Net, S, W>(f)..., nullptr};
#if defined(CTNN_PLAIN)
      if constexpr (byte_kernel_of(x::g, x::g.at(step.node)).there) {
        run_bytes(op, arguments{{in, sizeof...(I)}, {out, sizeof...(O)}, {weights, sizeof...(W)}, share});
      } else
#endif
      if constexpr (runs_typed<Net, S>()) {
        const integer_kernels of_target = integers_of_target();
        const integer_arguments integers = elements_of_node<Net, step.node>::as_arguments(&of_target);
        const arguments all{{in, sizeof...(I)}, {out, sizeof...(O)}, {weights, sizeof...(W)}, share, &integers};
        if constexpr (has_halves(x::g, x::g.at(step.node))) typed::run_widened(op, all, scratch_at<Net, S>(f));
        else typed::run_kernel(op, all, scratch_at<Net, S>(f));
      } else {
        static_assert(sizeof(kernel_of<op_type>) > 0);
        static_assert(takes_vectors(x::g, x::g.at(step.node)) || computes_f32(x::g, x::g.at(step.node)),
                      "ctnn: the network computes elements of other types than f32: include <ctnn/typed.hpp>");
        if constexpr (has_kernel<op_type>())
          run_kernel_of_step<Net, S, Tiles>(
              op,
              arguments{
                  {in, sizeof...(I)}, {out, sizeof...(O)}, {weights, sizeof...(W)}, share, nullptr, step.backwards},
              scratch_at<Net, S>(f));
        else if constexpr (runs_by_definition<op_type>())
          ir::detail::define(op, arguments{{in, sizeof...(I)}, {out, sizeof...(O)}, {weights, sizeof...(W)}, share});
      }
    }
  }
}

#if defined(CTNN_PLAIN)
/// Has the network a convolution as a record? Its stack is the deepest: that of other steps is not to lie above it.
template <class Net, std::size_t... S>
constexpr bool has_records(std::index_sequence<S...>) {
  return (record_of<Net, S>::exists || ...);
}
template <class Net, std::size_t S, tile_set Tiles>
CTNN_NOINLINE void run_step_apart(const frame& f) {
  run_step<Net, S, Tiles>(f, {}, inputs_of_step<Net, S>{}, outputs_of_step<Net, S>{}, slots_of_step<Net, S>{});
}
#else
/// Layer I of a cascade, which is step S.
template <class Net, std::size_t S, std::size_t I>
struct stage_of_cascade : stage_of_step<Net, S, I> {
  using stage = stage_of_step<Net, S, I>;

  template <std::size_t... W>
  static CTNN_INLINE cascade_stage at(const frame& f, std::index_sequence<W...>) {
    const_tensor from[2] = {tensor_like<Net, stage::in, const float>(nullptr), {}};
    tensor to[1] = {tensor_like<Net, stage::out, float>(nullptr)};
    if constexpr (stage::is_first) from[0] = tensor_at<Net, stage::in, const float>(f);
    if constexpr (stage::inputs == 2) from[1] = tensor_at<Net, stage::added, const float>(f);
    if constexpr (stage::is_last) to[0] = tensor_at<Net, stage::out, float>(f);
    const std::array<const float*, sizeof...(W)> numbers{address_in(f, stage::weights[W])...};
    return cascade_stage(stage::op, arguments{{from, stage::inputs}, to, numbers, {}});
  }
  static CTNN_INLINE cascade_stage at(const frame& f) {
    return at(f, std::make_index_sequence<stage::weights.size()>{});
  }
  static constexpr tile_set tiles() {
    const const_tensor from[] = {tensor_like<Net, stage::in, const float>(nullptr)};
    const tensor to[] = {tensor_like<Net, stage::out, float>(nullptr)};
    constexpr std::array<const float*, stage::weights.size()> none_yet{};
    return tiles_of_cascade(cascade_stage(stage::op, arguments{from, to, none_yet, {}}), stage::inputs == 2);
  }
};
template <class Net, std::size_t S, tile_set Tiles, std::size_t... I>
CTNN_INLINE void run_cascade_step(const frame& f, const work_share& share, std::index_sequence<I...>) {
  cascade_stage stages[] = {stage_of_cascade<Net, S, I>::at(f)...};
  using x = executable<Net>;
  constexpr extents image = x::g.shape(x::plan.at(stage_of_cascade<Net, S, 0>::in).value);
  run_cascade<Tiles>(stages, image.rank == 4 ? image[0] : 1, share, scratch_at<Net, S>(f));
}
template <class Net, std::size_t S>
using cascade_of_step =
    std::make_index_sequence<static_cast<std::size_t>(executable<Net>::plan.steps[S].cascade.count)>;
#endif

/// A step whose result already lies in its input (flatten, a split into parts) has nothing to do.
template <class Net, std::size_t S, tile_set Tiles>
CTNN_INLINE void run_numbered_step(const frame& f, const work_share& share = {}) {
#if defined(CTNN_PLAIN)
  if constexpr (record_of<Net, S>::exists) return run(record_of<Net, S>::value, f);
  else if constexpr (byte_step_of<Net, S>::exists) return run(byte_step_of<Net, S>::value, f);
  else if constexpr (has_records<Net>(std::make_index_sequence<executable<Net>::plan.steps.size()>{}))
    return run_step_apart<Net, S, Tiles>(f);
  else
#else
  constexpr plan_step step = executable<Net>::plan.steps[S];
  if constexpr (step.cascade.count > 0) return run_cascade_step<Net, S, Tiles>(f, share, cascade_of_step<Net, S>{});
  else
#endif
    run_step<Net, S, Tiles>(f, share, inputs_of_step<Net, S>{}, outputs_of_step<Net, S>{}, slots_of_step<Net, S>{});
}

/// The tiles that the kernel of step S takes for the whole layer.
template <class Net, std::size_t S>
constexpr tile_set tiles_of_step() {
#if !defined(CTNN_PLAIN)
  using x = executable<Net>;
  constexpr plan_step step = x::plan.steps[S];
  if constexpr (step.cascade.count > 0) {
    return []<std::size_t... I>(std::index_sequence<I...>) {
      return (stage_of_cascade<Net, S, I>::tiles() | ...);
    }(cascade_of_step<Net, S>{});
  } else if constexpr (step.runs_kernel()) {
    using op_type = typename x::template operator_at<step.node>;
    constexpr bool has_tiles = requires(const op_type& op, const arguments& a) { tiles_of(op, a); };
    if constexpr (has_tiles && !runs_typed<Net, S>() && winograd_size(x::g, x::g.at(step.node)) == 0) {
      return ask_of_step<Net, S>([](const auto& op, const arguments& a) {
        return few_products_of(op, a).runs > 0 ? tile_set{} : tiles_of(op, a);
      });
    }
  }
#endif
  return {};
}
template <class Net, std::size_t S>
inline constexpr tile_set tiles_of_each_step = tiles_of_step<Net, S>();
/// Of all steps together, as they share their kernels.
template <class Net, class Steps>
inline constexpr tile_set tiles_of_steps = all_tiles;
template <class Net, std::size_t... S>
inline constexpr tile_set tiles_of_steps<Net, std::index_sequence<S...>> = [] {
  tile_set all;
  for (const tile_set& each : {tile_set{}, tiles_of_each_step<Net, S>...}) all = all | each;
  return all;
}();

template <class Net, std::size_t... S>
CTNN_INLINE void run_steps(const frame& f, std::index_sequence<S...> steps) {
  (run_numbered_step<Net, S, tiles_of_steps<Net, decltype(steps)>>(f), ...);
}

template <class Net, std::size_t... S>
CTNN_INLINE void run_steps_observed(const frame& f, const layer_observer& o, std::index_sequence<S...> steps) {
  ((run_numbered_step<Net, S, tiles_of_steps<Net, decltype(steps)>>(f), o.done(o.context, name_of_step<Net, S>)), ...);
}
/// One inference, layer by layer before an observer.
template <class Net>
void run_network_observed(const frame& f, const layer_observer& o) {
  run_steps_observed<Net>(f, o, std::make_index_sequence<executable<Net>::plan.steps.size()>{});
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
template <class Net, std::size_t S, tile_set Tiles>
void run_part(void* step, int i) {
  const auto& s = *static_cast<const divided_step*>(step);
  run_numbered_step<Net, S, Tiles>(*s.f, {i, s.parts});
}
/// 0 if the step cannot be divided.
template <class Net, std::size_t S>
constexpr double divisible_nanoseconds() {
  using x = executable<Net>;
  constexpr plan_step step = x::plan.steps[S];
  if constexpr (step.runs_kernel() && step.cascade.count == 0)
    if (!traits_of<typename x::template operator_at<step.node>>.divides(runs_typed<Net, S>())) return 0;
  return nanoseconds_of_step<Net, S>();
}
template <class Net, std::size_t S, tile_set Tiles>
CTNN_INLINE void run_step_on(const frame& f, executor& threads) {
  constexpr double nanoseconds = divisible_nanoseconds<Net, S>();
  constexpr bool repeats = executable<Net>::plan.steps[S].cascade.count > 0;  // rows that two parts read
  divided_step s{&f, nanoseconds > 0 ? parts_for(threads, nanoseconds, repeats) : 1};
  if (s.parts > 1) threads.run(s.parts, &run_part<Net, S, Tiles>, &s);
  else run_part<Net, S, Tiles>(&s, 0);
}
template <class Net, std::size_t... S>
CTNN_INLINE void run_steps_on(const frame& f, executor& threads, std::index_sequence<S...> steps) {
  (run_step_on<Net, S, tiles_of_parts(tiles_of_steps<Net, decltype(steps)>)>(f, threads), ...);
}

/// The same with large steps in parts.
template <class Net>
void run_network_on(const frame& f, executor& threads) {
  run_steps_on<Net>(f, threads, std::make_index_sequence<executable<Net>::plan.steps.size()>{});
}
#endif

CTNN_END_TARGET

#endif
