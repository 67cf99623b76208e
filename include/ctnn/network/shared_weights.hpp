// SPDX-License-Identifier: BSL-1.0
// Networks that run on the packed weights of another: for several samples, for a stream, and these optimised.
#pragma once

#include "batched.hpp"
#include "parameters.hpp"
#include "stateful.hpp"

namespace ctnn::ir::detail {

/// Whether graph `many` has every weight where graph `one` has the weight of the same name, packed the same way.
constexpr bool finds_weights(const graph_view& many, const graph_view& one) {
  struct place {
    const node* of;
    int number;
    std::int64_t offset;
    const expression* e;
  };
  pool<place> places;
  for_each_slot(one, [&](const node& n, int k, expression_id e, std::int64_t offset, std::int64_t, bool) {
    places.push_back({&n, k, offset, &one.at_expression(e)});
  });
  bool all = true;
  for_each_slot(many, [&](const node& n, int k, expression_id id, std::int64_t offset, std::int64_t, bool) {
    const expression& e = many.at_expression(id);
    bool found = false;
    for (const place& p : places)
      found = found || (p.offset == offset && !e.type && !p.e->type && p.e->layer == e.layer && p.e->name == e.name &&
                        ir::packs_alike({one, *p.of, p.number}, {many, n, k}));
    all = all && found;
  });
  return all;
}

/// Net and One, of which Net may be made.
template <class Net, class One>
struct network_pair {
  static constexpr graph_view many = compiled<Net>::view(), one = compiled<One>::view();
  /// Whether both are given weights of the same names: no others are looked at any further.
  static constexpr bool same_names = [] {
    if (many.values.empty() || one.values.empty()) return false;
    const auto has_all = [](const graph_view& of, const graph_view& in) {
      for (const expression& e : of.expressions) {
        bool found = e.type != nullptr;
        for (const expression& other : in.expressions)
          found = found || (!other.type && other.layer == e.layer && other.name == e.name);
        if (!found) return false;
      }
      return true;
    };
    return has_all(many, one) && has_all(one, many);
  }();
  /// Samples of Net's first input, if it is One's with an axis before the others.
  static constexpr int samples = [] {
    if (!same_names) return 0;
    const extents &batch = many.shape(0), &sample = one.shape(0);
    return batch.rank == sample.rank + 1 && batch.without_axis(0) == sample ? batch[0] : 0;
  }();
  /// The axis along which Net's first input is another part of the sequence, or which One must tell; none if there is
  /// no such axis.
  static constexpr int axis = [] {
    if (!same_names || many.shape(0).rank != one.shape(0).rank) return none;
    int found = automatic_axis, differ = 0;
    for (int i = 0; i < one.shape(0).rank; ++i)
      if (many.shape(0)[i] != one.shape(0)[i]) found = i, ++differ;
    return differ > 1 ? none : found;
  }();

  template <class Made>
  static constexpr weights_are compare() {
    using made = typename Made::type;
    if constexpr (stands_in<made>) {
      return weights_are::of_another;
    } else if constexpr (std::is_same_v<typename made::network_type, typename Net::network_type>) {
      return finds_weights(many, one) ? weights_are::the_same : weights_are::packed_otherwise;
    } else if constexpr (std::is_same_v<typename optimized<made>::network_type, typename Net::network_type>) {
      return finds_weights(optimized_graph<made>, one) ? weights_are::the_same : weights_are::packed_otherwise;
    } else {
      return weights_are::of_another;
    }
  }
  static constexpr weights_are find() {
    if constexpr (samples > 0) return compare<decltype(lift_batch<One, samples>())>();
    else if constexpr (axis == automatic_axis) return compare<decltype(lift_stream<One, 0, automatic_axis>())>();
    else if constexpr (axis != none) return compare<decltype(lift_stream<One, many.shape(0)[axis], axis>())>();
    else return weights_are::of_another;
  }
};

template <class Net, class One>
constexpr weights_are weights_beside() {
  if constexpr (std::is_same_v<typename One::network_type, typename Net::network_type>) return weights_are::the_same;
  else return network_pair<Net, One>::find();
}

}  // namespace ctnn::ir::detail
