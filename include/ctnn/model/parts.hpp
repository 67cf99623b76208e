// SPDX-License-Identifier: BSL-1.0
// Loops and choices of networks that run in parts (loaded/network_parts.hpp).
#pragma once

#include <algorithm>
#include <cstring>
#include <iterator>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "../loaded/budget.hpp"
#include "../loaded/network_parts.hpp"

namespace ctnn::ir {

inline const array& part_value(const arrays_by_name& all, const std::string& name) {
  const auto at = all.find(name);
  if (at == all.end()) throw error("'" + name + "' is needed, and has not been fed");
  return at->second;
}
inline bool truth_of(const array& a, const std::string& name) {
  if (a.type() != dtype::boolean || a.size() != 1)
    throw error("condition '" + name + "' is " + describe(a.shape()) + " of " + std::string(name_of(a.type())) +
                ", expected one boolean");
  return a.elements<std::uint8_t>()[0] != 0;
}
inline std::int64_t count_of(const array& a, const std::string& name) {
  if (a.type() != dtype::i64 || a.size() != 1)
    throw error("'" + name + "' is " + describe(a.shape()) + " of " + std::string(name_of(a.type())) +
                ", expected one i64");
  return a.elements<std::int64_t>()[0];
}
template <class T>
array scalar_of(T value, dtype type) {
  array a(extents{}, type);
  a.elements<T>()[0] = value;
  return a;
}

/// The axis of a number that may count from the last one.
inline int axis_of(std::int64_t axis, int rank, const std::string& name) {
  if (axis < -rank || axis >= rank)
    throw error("'" + name + "' has " + std::to_string(rank) + " axes, axis " + std::to_string(axis) + " is asked for");
  return static_cast<int>(axis < 0 ? axis + rank : axis);
}
/// How many elements an axis steps over, and what is before it.
struct around_axis {
  std::int64_t before = 1, after = 1;
  around_axis(const extents& shape, int axis) {
    for (int k = 0; k < shape.rank; ++k) (k < axis ? before : after) *= k == axis ? 1 : shape[k];
  }
};

/// A value that a loop takes apart.
class sliced {
 public:
  sliced(const array& all, loop_part::slices along, const std::string& name)
      : all_(&all), axis_(axis_of(along.axis, all.shape().rank, name)), backwards_(along.backwards) {
    for (int k = 0; k < all.shape().rank; ++k)
      if (k != axis_) one_.push_back(all.shape()[k]);
  }
  int count() const { return all_->shape()[axis_]; }
  /// Slice i, or zeros if there is none.
  array at(std::int64_t i) const {
    array slice(one_, all_->type());
    if (count() == 0 || slice.size() == 0) return slice;
    const around_axis sizes(all_->shape(), axis_);
    const auto run = static_cast<std::size_t>(sizes.after * size_of(all_->type()));
    const auto place = static_cast<std::size_t>(backwards_ ? count() - 1 - i : i);
    const std::span<std::byte> to = slice.bytes();
    for (std::size_t k = 0; k < static_cast<std::size_t>(sizes.before); ++k)
      std::memcpy(to.data() + k * run, all_->bytes().data() + (k * static_cast<std::size_t>(count()) + place) * run,
                  run);
    return slice;
  }

 private:
  const array* all_;
  int axis_;
  bool backwards_;
  extents one_{};
};

/// Arrays of one shape along a new axis.
class gathered {
 public:
  void add(const array& one, const std::string& name, std::uint64_t most_bytes) {
    if (count_ == 0) shape_ = one.shape(), type_ = one.type();
    if (!(one.shape() == shape_) || one.type() != type_)
      throw error("'" + name + "' is " + describe(shape_) + " in one turn of a loop and " + describe(one.shape()) +
                  " in another: what is gathered must not change");
    if (bytes_.size() + one.bytes().size() > most_bytes || count_ == std::numeric_limits<int>::max())
      throw error("'" + name + "', gathered by a loop, needs more memory than the limit: " +
                  over_limit(bytes_.size() + one.bytes().size(), most_bytes, "bytes", "memory_bytes"));
    bytes_.insert(bytes_.end(), one.bytes().begin(), one.bytes().end());
    ++count_;
  }
  std::size_t bytes() const { return bytes_.capacity(); }
  /// Without turns there is but the shape of `like`.
  array made(loop_part::slices along, const std::string& name, const array* like = nullptr) const {
    const extents& one = like ? like->shape() : shape_;
    if (one.rank == max_rank) throw error("a loop gathers values of " + std::to_string(max_rank) + " dimensions");
    const int axis = axis_of(along.axis, one.rank + 1, name);
    const extents shape = one.with_axis(axis, count_);
    array all(shape, like ? like->type() : type_);
    const around_axis sizes(shape, axis);
    const auto count = static_cast<std::size_t>(count_), before = static_cast<std::size_t>(sizes.before),
               run = static_cast<std::size_t>(sizes.after * size_of(all.type()));
    if (bytes_.empty()) return all;
    const std::span<std::byte> to = all.bytes();
    for (std::size_t i = 0; i < count; ++i)
      for (std::size_t k = 0; k < before; ++k)
        std::memcpy(to.data() + (k * count + (along.backwards ? count - 1 - i : i)) * run,
                    bytes_.data() + (i * before + k) * run, run);
    return all;
  }

 private:
  extents shape_{};
  dtype type_ = dtype::f32;
  std::vector<std::byte> bytes_;
  int count_ = 0;
};

/// Runs a loop and adds its results to `all`. The extractors of its body, and of its test, have been fed what they see
/// around it. Returns the most bytes that turns have had at one time.
template <class Extractor>
std::size_t run_loop(const loop_part& l, Extractor& body, Extractor* test, arrays_by_name& all) {
  const std::int64_t trips =
      l.trips.empty() ? std::numeric_limits<std::int64_t>::max() : count_of(part_value(all, l.trips), l.trips);
  bool go_on = l.condition.empty() || truth_of(part_value(all, l.condition), l.condition);
  std::vector<array> state;
  for (const std::string& name : l.carried) state.push_back(part_value(all, name));
  std::vector<sliced> scans;
  for (std::size_t k = 0; k < l.scanned.size(); ++k) {
    scans.emplace_back(part_value(all, l.scanned[k]), l.scanned_along[k], l.scanned[k]);
    if (scans[k].count() != scans[0].count())
      throw error("a loop is given " + std::to_string(scans[0].count()) + " slices of '" + l.scanned[0] + "' and " +
                  std::to_string(scans[k].count()) + " of '" + l.scanned[k] + "'");
  }
  const std::int64_t last = scans.empty() ? trips : std::min<std::int64_t>(trips, scans[0].count());
  std::vector<gathered> lists(l.body_outputs.size() - 1 - state.size());
  // Of each turn: whether to go on, the state, and what somebody gathers.
  const std::size_t first_state = l.body_outputs[0].empty() ? 0 : 1, first_list = first_state + state.size();
  std::vector<std::string> wanted;
  for (std::size_t k = 0; k < 1 + state.size(); ++k)
    if (k > 0 || first_state) wanted.push_back(l.body_outputs[k]);
  std::vector<std::size_t> asked;
  for (std::size_t k = 0; k < lists.size(); ++k) {
    if (l.results[k + state.size()].empty()) continue;
    wanted.push_back(l.body_outputs[k + 1 + state.size()]);
    asked.push_back(k);
  }
  const auto turn = [&](std::int64_t number) {
    if (const std::string& name = l.body_inputs[0]; !name.empty()) body.input(name, scalar_of(number, dtype::i64));
    if (const std::string& name = l.body_inputs[1]; !name.empty())
      body.input(name, scalar_of<std::uint8_t>(1, dtype::boolean));
    for (std::size_t k = 0; k < state.size(); ++k) body.input(l.body_inputs[k + 2], state[k]);
    for (std::size_t k = 0; k < scans.size(); ++k) body.input(l.body_inputs[k + 2 + state.size()], scans[k].at(number));
  };
  const auto wants = [&] {
    if (!go_on || !test) return go_on;
    for (std::size_t k = 0; k < state.size(); ++k) test->input(l.test_inputs[k], state[k]);
    return truth_of(test->extract(l.test->outputs[0]), l.test->outputs[0]);
  };
  std::int64_t i = 0;
  std::size_t most = 0;
  for (; i < last && wants(); ++i) {
    if (scans.empty() && static_cast<std::uint64_t>(i) >= l.most_turns)
      throw error("a loop turns more often than the limit of " + std::to_string(l.most_turns) +
                  ": budget::turns allows more (load_options::read.limits)");
    turn(i);
    std::vector<array> made = body.extract(wanted);
    if (first_state) go_on = truth_of(made[0], wanted[0]);
    for (std::size_t k = 0; k < asked.size(); ++k)
      lists[asked[k]].add(made[first_list + k], wanted[first_list + k], l.most_bytes);
    const auto from = made.begin() + static_cast<std::ptrdiff_t>(first_state);
    std::vector<array> next(std::make_move_iterator(from),
                            std::make_move_iterator(from + static_cast<std::ptrdiff_t>(state.size())));
    std::size_t bytes = body.peak_bytes();
    for (const auto* values : {&state, &next})
      for (const array& a : *values) bytes += a.bytes().size();
    for (const gathered& list : lists) bytes += list.bytes();
    most = std::max(most, bytes);
    state = std::move(next);
  }
  for (std::size_t k = 0; k < lists.size(); ++k) {
    const std::string& result = l.results[k + state.size()];
    if (result.empty()) continue;
    const std::string& name = l.body_outputs[k + 1 + state.size()];
    if (i > 0) {
      all.insert_or_assign(result, lists[k].made(l.gathered_along[k], name));
      continue;
    }
    turn(0);  // for the shape alone
    const array like = body.extract(name);
    all.insert_or_assign(result, lists[k].made(l.gathered_along[k], name, &like));
  }
  for (std::size_t k = 0; k < state.size(); ++k)
    if (!l.results[k].empty()) all.insert_or_assign(l.results[k], std::move(state[k]));
  return most;
}

}  // namespace ctnn::ir
