// SPDX-License-Identifier: BSL-1.0
// A network's steps as a table, and the one function that runs any table, by the kernels that are compiled for loaded
// models. run_by_table.hpp makes tables of types.
#pragma once

#include "../base/compiled.hpp"
#include "../kernels/frame.hpp"
#include "../kernels/kernel_call.hpp"
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

/// Ranges are of the table's values, weights and steps.
struct table_step {
  enum class task : std::uint8_t { runs, runs_cascade, packs, converts, carries };

  task what = task::runs;
  bool takes_vectors = false;
  bool backwards = false;
  double nanoseconds = 0;  ///< on one thread, if it may be divided
  std::string_view name;
  const operator_type* type = nullptr;
  std::size_t op = 0;  ///< where its struct is among the table's, in bytes
  span<const double> fields;
  int packs = none;          ///< the slot
  loaded_run own = nullptr;  ///< the kernel of a user's operator
  range in, out, weights;
  range elements;  ///< of what it reads, and then of what it makes, where integers stand for real numbers
  memory_place scratch;
  std::int64_t scratch_size = 0;  ///< numbers
  range cascade;                  ///< its layers, which are behind the steps of the network
};

struct step_table {
  span<const table_step> steps;  ///< of the network
  const step_value* values;
  const memory_place* weights;
  const element* elements;
  bool any_rows = false;  ///< of arguments

  span<const step_value> values_of(const range& r) const { return {values + r.first, count_of(r)}; }
  span<const memory_place> weights_of(const range& r) const { return {weights + r.first, count_of(r)}; }
  span<const table_step> steps_of(const range& r) const { return {steps.data() + r.first, count_of(r)}; }

 private:
  static std::size_t count_of(const range& r) { return static_cast<std::size_t>(r.count); }
};

/// The kernels of a table's steps on one target, and the structs of their operators.
struct table_kernels {
  loaded_kernels of_target;
  std::span<loaded_kernel> of_steps;  ///< as many as steps
  const std::byte* operators;
};
/// Looks up the kernels of a table, for of_steps.
void choose_kernels(const step_table& table, const table_kernels& to);

/// Threads to run on, or who watches; or neither.
struct table_company {
  executor* threads = nullptr;
  const layer_observer* observer = nullptr;

  table_company() = default;
  table_company(executor& e) : threads(&e) {}
  table_company(const layer_observer& o) : observer(&o) {}
};
/// One inference.
void run_table(const step_table& table, const table_kernels& kernels, const frame& f, const table_company& with);

#if CTNN_DEFINES(CTNN_PART_DISPATCH)

namespace detail {

/// Room for what the kernels of one step are given: one, or those of a cascade.
class table_operands {
 public:
  void clear() { inputs_ = outputs_ = numbers_ = 0; }
  arguments add(const step_table& table, const table_step& s, const frame& f) {
    const std::size_t in = inputs_, out = outputs_, weights = numbers_;
    for (const step_value& v : table.values_of(s.in)) in_[inputs_++] = v.at<const float>(f);
    for (const step_value& v : table.values_of(s.out)) out_[outputs_++] = v.at<float>(f);
    for (const memory_place& p : table.weights_of(s.weights)) weights_[numbers_++] = address_in(f, p);
    return {.in = {in_ + in, inputs_ - in},
            .out = {out_ + out, outputs_ - out},
            .weights = {weights_ + weights, numbers_ - weights},
            .backwards = s.backwards,
            .any_rows = table.any_rows};
  }

 private:
  static constexpr std::size_t most = max_list + max_weights;  ///< values of a step
  const_tensor in_[most];
  tensor out_[most];
  const float* weights_[longest_cascade * max_weights];
  std::size_t inputs_ = 0, outputs_ = 0, numbers_ = 0;
};

}  // namespace detail

CTNN_ONCE void choose_kernels(const step_table& table, const table_kernels& to) {
  for (std::size_t i = 0; i < table.steps.size(); ++i) {
    const table_step& s = table.steps[i];
    if (s.what != table_step::task::runs) continue;
    to.of_steps[i] = s.own ? loaded_kernel{s.type, s.own, s.type->is.divides(false)}
                           : choose_kernel(to.of_target, *s.type, s.takes_vectors);
    if (to.of_steps[i].run == nullptr) refuse_at_run_time(s.name, "no kernel among the compiled ones");
  }
}

CTNN_ONCE void run_table(const step_table& table, const table_kernels& kernels, const frame& f,
                         const table_company& with) {
  using enum table_step::task;
  detail::table_operands operands;
  for (std::size_t i = 0; i < table.steps.size(); ++i) {
    const table_step& s = table.steps[i];
    operands.clear();
    kernel_call call;
    cascade_call layers;
    integer_arguments integers{&kernels.of_target.integers};
    double nanoseconds = s.nanoseconds;
    if (s.scratch_size > 0)
      call.scratch = scratch_memory(std::as_writable_bytes(
          std::span<float>(const_cast<float*>(address_in(f, s.scratch)), static_cast<std::size_t>(s.scratch_size))));
    if (s.what != runs_cascade) call.all = operands.add(table, s, f);
    switch (s.what) {
      case runs:
        if (s.elements.count > 0) {
          integers.of = table.elements + s.elements.first;
          integers.made = integers.of + s.in.count;
        }
        call.all.integers = &integers;
        call.run = kernels.of_steps[i].run;
        call.op = kernels.operators + s.op;
        if (!kernels.of_steps[i].divides) nanoseconds = 0;
        break;
      case runs_cascade:
        for (const table_step& stage : table.steps_of(s.cascade)) {
          const auto k = static_cast<std::size_t>(layers.count++);
          layers.stages[k] = {stage.type, kernels.operators + stage.op};
          layers.all[k] = operands.add(table, stage, f);
        }
        call.cascade = &layers;
        call.run_cascade = kernels.of_target.cascade;
        break;
      case converts: call.copy = kernels.of_target.convert; break;
      case carries: call.copy = kernels.of_target.carry; break;
      case packs: {
        const const_tensor& from = call.all.in[0];
        s.type->pack(s.fields, s.packs, from.shape, from.data, call.all.out[0].data, channel_block);
        break;
      }
    }
    if (s.what != packs) call.run_on(with.threads, nanoseconds);
    if (with.observer) with.observer->done(with.observer->context, s.name);
  }
}

#endif

}  // namespace ctnn::ir
