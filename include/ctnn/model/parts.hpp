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

/// Arrays of one shape along a new first axis.
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
  array made(const array* like = nullptr) const {
    const extents& one = like ? like->shape() : shape_;
    extents shape{count_};
    if (one.rank == max_rank) throw error("a loop gathers values of " + std::to_string(max_rank) + " dimensions");
    for (int k = 0; k < one.rank; ++k) shape.push_back(one[k]);
    array all(shape, like ? like->type() : type_);
    if (!bytes_.empty()) std::memcpy(all.bytes().data(), bytes_.data(), bytes_.size());
    return all;
  }

 private:
  extents shape_{};
  dtype type_ = dtype::f32;
  std::vector<std::byte> bytes_;
  int count_ = 0;
};

/// Runs a loop and adds its results to `all`. The body's extractor has been fed what the body sees around it. Returns
/// the most bytes that turns have had at one time.
template <class Extractor>
std::size_t run_loop(const loop_part& l, Extractor& body, arrays_by_name& all) {
  const std::int64_t trips =
      l.trips.empty() ? std::numeric_limits<std::int64_t>::max() : count_of(part_value(all, l.trips), l.trips);
  bool go_on = l.condition.empty() || truth_of(part_value(all, l.condition), l.condition);
  std::vector<array> state;
  for (const std::string& name : l.carried) state.push_back(part_value(all, name));
  std::vector<gathered> lists(l.body_outputs.size() - 1 - state.size());
  // Of each turn: whether to go on, the state, and what somebody gathers.
  const auto first_list = static_cast<std::ptrdiff_t>(1 + state.size());
  std::vector<std::string> wanted(l.body_outputs.begin(), l.body_outputs.begin() + first_list);
  std::vector<std::size_t> asked;
  for (std::size_t k = 0; k < lists.size(); ++k) {
    if (l.results[k + state.size()].empty()) continue;
    wanted.push_back(l.body_outputs[k + 1 + state.size()]);
    asked.push_back(k);
  }
  const auto turn = [&](std::int64_t number) {
    body.input(l.body_inputs[0], scalar_of(number, dtype::i64));
    body.input(l.body_inputs[1], scalar_of<std::uint8_t>(1, dtype::boolean));
    for (std::size_t k = 0; k < state.size(); ++k) body.input(l.body_inputs[k + 2], state[k]);
  };
  std::int64_t i = 0;
  std::size_t most = 0;
  for (; i < trips && go_on; ++i) {
    if (static_cast<std::uint64_t>(i) >= l.most_turns)
      throw error("a loop turns more often than the limit of " + std::to_string(l.most_turns) +
                  ": budget::turns allows more (load_options::read.limits)");
    turn(i);
    std::vector<array> made = body.extract(wanted);
    go_on = truth_of(made[0], wanted[0]);
    for (std::size_t k = 0, from = 1 + state.size(); k < asked.size(); ++k, ++from)
      lists[asked[k]].add(made[from], wanted[from], l.most_bytes);
    std::vector<array> next(std::make_move_iterator(made.begin() + 1),
                            std::make_move_iterator(made.begin() + first_list));
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
    if (i > 0) {
      all.insert_or_assign(result, lists[k].made());
      continue;
    }
    turn(0);  // for the shape alone
    const array like = body.extract(l.body_outputs[k + 1 + state.size()]);
    all.insert_or_assign(result, lists[k].made(&like));
  }
  for (std::size_t k = 0; k < state.size(); ++k)
    if (!l.results[k].empty()) all.insert_or_assign(l.results[k], std::move(state[k]));
  return most;
}

}  // namespace ctnn::ir
