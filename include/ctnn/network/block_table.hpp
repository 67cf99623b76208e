// SPDX-License-Identifier: BSL-1.0
// A network that takes blocks of any size up to the longest: the table of its steps for the longest block, and for one
// that is a unit shorter. Extents, offsets and fields of operators are linear in the number of units, so these two say
// them for every block; the memory is that of the longest. Histories advance by what a block has
// (plan/history_placement.hpp) and go back to where they began when the next block would pass their end.
#pragma once

#include <cstring>

#include "step_table.hpp"

namespace ctnn::ir {

/// What is carried from block to block.
struct block_state {
  int history = none;      ///< its number among those that advance; none: it stays where it is
  std::int64_t begin = 0;  ///< of a history: where its memory begins in the arena, and how much that is, in numbers
  std::int64_t room = 0;
  int zero = 0;  ///< what every element is at first
};

/// Constant.
struct block_tables {
  step_table longest, shorter;  ///< of `units` units and of one less; of one unit alone both are the same
  int units = 1;
  // Counts. Behind the values of the steps are those of inputs, outputs, of what is carried, and what that becomes.
  std::size_t values = 0, inputs = 0, outputs = 0;
  span<const block_state> states;

  std::size_t input(std::size_t i) const { return values - 2 * states.size() - outputs - inputs + i; }
  std::size_t output(std::size_t o) const { return values - 2 * states.size() - outputs + o; }
  std::size_t past(std::size_t s) const { return values - 2 * states.size() + s; }
  std::size_t next(std::size_t s) const { return values - states.size() + s; }
};

/// Where it is for the present block.
struct block_memory {
  step_value* values;      ///< as many as block_tables::values
  table_step* steps;       ///< with the layers of cascades
  double* fields;          ///< of all operators
  std::byte* operators;    ///< their structs
  std::int32_t* advanced;  ///< by how many numbers each history lies further on than at first
  const float** pointers;  ///< inputs, histories, and what the tables name behind them
  float* arena;
  const float* weights;
  int* units;  ///< of the present block; 0: it is yet to be set
};

/// Do both tables have the same steps, so that all that differs is numbers?
constexpr bool are_alike(const step_table& a, const step_table& b, std::size_t values, std::size_t layers) {
  if (a.steps.size() != b.steps.size()) return false;
  const auto same_range = [](const range& x, const range& y) { return x.first == y.first && x.count == y.count; };
  for (std::size_t i = 0; i < layers; ++i) {
    const table_step &x = a.steps.data()[i], &y = b.steps.data()[i];
    if (x.what != y.what || x.type != y.type || x.packs != y.packs || x.own != y.own || x.backwards != y.backwards)
      return false;
    if (x.takes_vectors != y.takes_vectors || x.fields.size() != y.fields.size() || x.op != y.op) return false;
    if (!same_range(x.in, y.in) || !same_range(x.out, y.out) || !same_range(x.weights, y.weights) ||
        !same_range(x.elements, y.elements) || !same_range(x.cascade, y.cascade))
      return false;
    if (x.scratch.base != y.scratch.base) return false;
  }
  for (std::size_t i = 0; i < values; ++i) {
    const step_value &x = a.values[i], &y = b.values[i];
    if (x.place.base != y.place.base || x.like.order != y.like.order || x.like.shape.rank != y.like.shape.rank)
      return false;
    for (int k = 0; k < x.like.shape.rank; ++k)
      if (x.like.shape[k] < y.like.shape[k]) return false;
    // Of constants a shorter block has others, and not the first ones of the longer block's.
    if (x.place.base == memory_place::in_weights && !(x.like.shape == y.like.shape)) return false;
  }
  return true;
}

/// Of a value of the longest block and of one a unit shorter, in memory that begins at `begin`: is it there in a block
/// of one unit, too? What is said to be so many numbers before the block's end is not, if the block is all that is
/// there.
constexpr bool is_there_in_any(const step_value& longest, const step_value& shorter, int units, std::int64_t begin) {
  return longest.place.offset - (units - 1) * (longest.place.offset - shorter.place.offset) >= begin;
}

/// Makes ready for blocks of so many units.
void set_units(const block_tables& of, const block_memory& m, int units);
/// A new sequence: what is carried begins anew.
void begin_blocks(const block_tables& of, const block_memory& m);
/// The next block, of so many units. Outputs are where the values of block_tables::output say, until the next one.
void run_block(const block_tables& of, const table_kernels& kernels, const block_memory& m, int units,
               const float* const* inputs);

#if CTNN_DEFINES(CTNN_PART_DISPATCH)

namespace detail {

/// A number of a block that is `back` units shorter than the longest.
template <class T>
T in_block(T longest, T shorter, int back) {
  return static_cast<T>(longest - static_cast<T>(back) * (longest - shorter));
}
inline step_value in_block(const step_value& longest, const step_value& shorter, int back) {
  step_value v = longest;
  v.place.offset = in_block(longest.place.offset, shorter.place.offset, back);
  v.like.pitch = in_block(longest.like.pitch, shorter.like.pitch, back);
  for (int k = 0; k < v.like.shape.rank; ++k)
    v.like.shape[k] = in_block(longest.like.shape[k], shorter.like.shape[k], back);
  return v;
}
inline std::int64_t numbers_of(const step_value& v) { return v.like.shape.count(); }

}  // namespace detail

CTNN_ONCE void set_units(const block_tables& of, const block_memory& m, int units) {
  const int back = of.units - units;
  for (std::size_t i = 0; i < of.values; ++i)
    m.values[i] = detail::in_block(of.longest.values[i], of.shorter.values[i], back);
  double* fields = m.fields;
  const bool first = *m.units == 0;
  std::size_t layers = of.longest.steps.size();
  for (std::size_t i = 0; i < layers; ++i) {
    const table_step &a = of.longest.steps.data()[i], &b = of.shorter.steps.data()[i];
    layers += static_cast<std::size_t>(a.cascade.count);
    table_step& step = m.steps[i] = a;
    if (!step.type) continue;
    bool differ = false;
    for (std::size_t k = 0; k < a.fields.size(); ++k) {
      differ = differ || a.fields[k] != b.fields[k];
      fields[k] = detail::in_block(a.fields[k], b.fields[k], back);
    }
    step.fields = {fields, a.fields.size()};
    fields += a.fields.size();
    if (first || differ) step.type->construct(step.fields, m.operators + step.op);
  }
  *m.units = units;
}

CTNN_ONCE void begin_blocks(const block_tables& of, const block_memory& m) {
  if (*m.units == 0) set_units(of, m, of.units);
  for (std::size_t s = 0; s < of.states.size(); ++s) {
    const block_state& state = of.states[s];
    if (state.history != none) m.advanced[state.history] = 0;
    const step_value& past = m.values[of.past(s)];
    const auto size = static_cast<std::size_t>(size_of(past.like.type));
    const auto bytes = static_cast<std::size_t>(detail::numbers_of(past)) * size;
    auto* const to = static_cast<unsigned char*>(static_cast<void*>(m.arena + past.place.offset));
    for (std::size_t i = 0; i < bytes; ++i) {
      const std::size_t at = std::endian::native == std::endian::little ? i % size : size - 1 - i % size;
      to[i] = static_cast<unsigned char>(at < 4 ? state.zero >> 8 * at : 0);
    }
  }
}

CTNN_ONCE void run_block(const block_tables& of, const table_kernels& kernels, const block_memory& m, int units,
                         const float* const* inputs) {
  if (*m.units != units) set_units(of, m, units);
  for (std::size_t s = 0; s < of.states.size(); ++s) {
    const block_state& state = of.states[s];
    if (state.history == none) continue;
    const step_value &past = m.values[of.past(s)], &next = m.values[of.next(s)];
    std::int32_t& now = m.advanced[state.history];
    if (now + detail::numbers_of(past) + (next.place.offset - past.place.offset) > state.room) {
      std::memmove(m.arena + state.begin, m.arena + state.begin + now,
                   static_cast<std::size_t>(detail::numbers_of(past)) * sizeof(float));
      now = 0;
    }
    m.pointers[of.inputs + static_cast<std::size_t>(state.history)] = m.arena + now;
  }
  for (std::size_t i = 0; i < of.inputs; ++i) {
    m.pointers[i] = inputs[i];
    const step_value& v = m.values[of.input(i)];
    if (v.place.base == memory_place::in_arena)
      std::memmove(m.arena + v.place.offset, inputs[i],
                   static_cast<std::size_t>(detail::numbers_of(v) * size_of(v.like.type)));
  }
  const step_table table{{m.steps, of.longest.steps.size()}, m.values, of.longest.weights, of.longest.elements, true};
  run_table(table, kernels, {m.pointers, m.weights, m.arena}, {});
  for (std::size_t s = 0; s < of.states.size(); ++s)
    if (const int h = of.states[s].history; h != none)
      m.advanced[h] += static_cast<std::int32_t>(m.values[of.next(s)].place.offset - m.values[of.past(s)].place.offset);
}

#endif

}  // namespace ctnn::ir
