// SPDX-License-Identifier: BSL-1.0
// Graphs over the field: the definitions of operators (kernels/reference/), which are for any numbers, with random ones
// for inputs and weights. What is known of weights holds: zeros, ones, channels of zeros.
#pragma once

#include <cmath>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "../../graph/zero_channels.hpp"
#include "../../network/constant_run.hpp"
#include "unknowns.hpp"

namespace ctnn::ir::field {

/// Weights and inputs by their names, made up on demand; in the order of real numbers, or in one of their own.
class random_numbers {
 public:
  random_numbers(const graph_view& g, bool in_order, std::uint64_t seed) : g_(g), in_order_(in_order), seed_(seed) {}

  const residue* operator()(const expression& e) { return of_leaf(e).data(); }
  const residue* input(const node& n) {
    const value& v = g_.at_value(n.outputs.first);
    numbers& all = of(n.name, "", v.shape.count(), 1);
    if (v.type == dtype::boolean) make_booleans(all);
    return all.data();
  }
  /// Leaves of this graph next, which was rewritten from the one before.
  void look_at(const graph_view& g) { g_ = g; }

 private:
  using numbers = std::vector<residue>;

  const numbers& of_leaf(const expression& e) {
    const bool is_new = !known_.contains({std::string(e.layer), std::string(e.name)});
    // Sums of products stay as large as what they are of.
    const std::int64_t one_output = e.shape.rank > 1 ? e.shape.count(1, e.shape.rank) : 1;
    numbers& all = of(e.layer, e.name, e.shape.count(), 1 / std::sqrt(static_cast<double>(one_output)));
    if (!is_new) return all;
    if (e.element == dtype::boolean) make_booleans(all);
    if (e.numbers == numbers_are::zeros) all.assign(all.size(), 0);
    if (e.numbers == numbers_are::ones) all.assign(all.size(), 1);
    for (residue& x : all)
      if ((e.numbers == numbers_are::positive || e.name == "running_var") && x < 0) x = -x;
    write_zero_channels(g_, e, [&](std::size_t i) { all[i] = 0; });
    return all;
  }
  static void make_booleans(numbers& all) {
    for (residue& x : all) x = residue(x.bits() & 1u);
  }
  numbers& of(std::string_view layer, std::string_view name, std::int64_t count, double size) {
    numbers& all = known_[{std::string(layer), std::string(name)}];
    if (!all.empty()) return all;
    std::uint64_t state = seed_;
    for (const std::string_view part : {layer, std::string_view("\n"), name})
      for (const char c : part) state = mix(state ^ static_cast<unsigned char>(c));
    for (std::int64_t i = 0; i < count; ++i) {
      const std::uint64_t bits = mix(state + static_cast<std::uint64_t>(i));
      all.push_back(residue::of_bits(bits >> 3, in_order_ ? size * real_number(mix(bits)) : residue::no_order));
    }
    return all;
  }

  graph_view g_;
  bool in_order_;
  std::uint64_t seed_;
  std::map<std::pair<std::string, std::string>, numbers> known_;
};

/// Every value of a graph.
inline basic_graph_values<residue> evaluate(const graph_view& g, random_numbers& random) {
  random.look_at(g);
  std::vector<const residue*> in;
  for (const node& n : g.nodes)
    if (n.type == &type_of<op::input>) in.push_back(random.input(n));
  basic_graph_values<residue> values;
  run_graph(g, random, in, values);
  return values;
}

}  // namespace ctnn::ir::field
