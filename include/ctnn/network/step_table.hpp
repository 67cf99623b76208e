// SPDX-License-Identifier: BSL-1.0
// A network's steps as a table, and the one function that runs any table, by the kernels that are compiled for loaded
// models. run_by_table.hpp makes tables of types.
#pragma once

#include "../base/compiled.hpp"
#include "../base/executor.hpp"
#include "../kernels/frame.hpp"
#include "../kernels/loaded_kernels.hpp"
#include "../kernels/typed/table.hpp"
#include "observer.hpp"

namespace ctnn::ir {

/// What a step reads or writes.
struct step_value {
  memory_place place;
  const_tensor like;  ///< without address

  template <class T>
  basic_tensor<T> at(const frame& f) const {
    // Nobody writes to inputs and constants (run-inl.hpp).
    return {const_cast<T*>(address_in(f, place)), like.shape, like.order, like.pitch, like.type};
  }
};

struct table_step {
  enum class task : std::uint8_t { runs, runs_cascade, packs, converts, carries };

  task what = task::runs;
  bool takes_vectors = false;
  bool backwards = false;
  double nanoseconds = 0;  ///< on one thread, if it may be divided
  std::string_view name;
  const operator_type* type = nullptr;
  const void* op = nullptr;  ///< its struct
  span<const double> fields;
  int packs = none;          ///< the slot
  loaded_run own = nullptr;  ///< the kernel of a user's operator
  span<const step_value> in, out;
  span<const memory_place> weights;
  memory_place scratch;
  std::int64_t scratch_size = 0;   ///< numbers
  span<const table_step> cascade;  ///< its convolutions
};

/// The kernels of a table's steps on one target.
struct table_kernels {
  loaded_kernels of_target;
  std::span<loaded_kernel> of_steps;  ///< as many as steps
};
/// Looks up the kernels of a table, for of_steps.
void choose_kernels(span<const table_step> steps, const table_kernels& to);

/// One inference, on several threads if there are any, and before an observer if there is one.
void run_table(span<const table_step> steps, const table_kernels& kernels, const frame& f, executor* threads,
               const layer_observer* observer);

#if !CTNN_COMPILED_ELSEWHERE

namespace detail {

/// Most values and weights of a step.
inline constexpr std::size_t most_operands = max_list + max_weights;

/// A step's work, to be called for each part.
struct table_work {
  const table_step& step;
  const loaded_kernel& kernel;
  const loaded_kernels& all;
  arguments given;
  scratch_memory scratch;
  const cascade_call* cascade;
  int parts = 1;

  static void run_part(void* work, int i) {
    const auto& w = *static_cast<const table_work*>(work);
    arguments a = w.given;
    a.share = {i, w.parts};
    using enum table_step::task;
    switch (w.step.what) {
      case runs: return w.kernel.run(w.step.op, a, w.scratch);
      case runs_cascade: return w.all.cascade(*w.cascade, a.share, w.scratch);
      case converts: return w.all.convert(a.out[0], a.in[0], a.share);
      case carries: return w.all.carry(a.out[0], a.in[0], a.share);
      case packs:
        return w.step.type->pack(w.step.fields, w.step.packs, a.in[0].shape, a.in[0].data, a.out[0].data,
                                 channel_block);
    }
  }
  void run(executor* threads) {
    const bool divides = step.what != table_step::task::runs || kernel.divides;
    if (threads && divides) parts = parts_for(*threads, step.nanoseconds, step.what == table_step::task::runs_cascade);
    if (parts > 1) threads->run(parts, &run_part, this);
    else run_part(this, 0);
  }
};

/// Room for what the kernel of a step is given.
struct table_operands {
  const_tensor in[most_operands];
  tensor out[most_operands];
  const float* weights[max_weights];

  arguments of(const table_step& s, const frame& f) {
    for (std::size_t i = 0; i < s.in.size(); ++i) in[i] = s.in[i].at<const float>(f);
    for (std::size_t i = 0; i < s.out.size(); ++i) out[i] = s.out[i].at<float>(f);
    for (std::size_t i = 0; i < s.weights.size(); ++i) weights[i] = address_in(f, s.weights[i]);
    return {{in, s.in.size()}, {out, s.out.size()}, {weights, s.weights.size()}, {}, nullptr, s.backwards};
  }
};

}  // namespace detail

CTNN_ONCE void choose_kernels(span<const table_step> steps, const table_kernels& to) {
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const table_step& s = steps[i];
    if (s.what != table_step::task::runs) continue;
    to.of_steps[i] = s.own ? loaded_kernel{s.type, s.own, s.type->is.divides(false)}
                           : choose_kernel(to.of_target, *s.type, s.takes_vectors);
    if (to.of_steps[i].run == nullptr) refuse_at_run_time(s.name, "no kernel among the compiled ones");
  }
}

CTNN_ONCE void run_table(span<const table_step> steps, const table_kernels& kernels, const frame& f, executor* threads,
                         const layer_observer* observer) {
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const table_step& s = steps[i];
    scratch_memory scratch;
    if (s.scratch_size > 0)
      scratch = scratch_memory(std::as_writable_bytes(
          std::span<float>(const_cast<float*>(address_in(f, s.scratch)), static_cast<std::size_t>(s.scratch_size))));
    if (s.what == table_step::task::runs_cascade) {
      detail::table_operands all[longest_cascade];
      cascade_call call;
      for (const table_step& stage : s.cascade) {
        const auto k = static_cast<std::size_t>(call.count++);
        call.stages[k] = static_cast<const op::conv2d*>(stage.op);
        call.all[k] = all[k].of(stage, f);
      }
      detail::table_work{s, kernels.of_steps[i], kernels.of_target, {}, scratch, &call}.run(threads);
    } else {
      detail::table_operands all;
      arguments a = all.of(s, f);
      a.integers = &kernels.of_target.integers;
      detail::table_work{s, kernels.of_steps[i], kernels.of_target, a, scratch, nullptr}.run(threads);
    }
    if (observer) observer->done(observer->context, s.name);
  }
}

#endif

}  // namespace ctnn::ir
