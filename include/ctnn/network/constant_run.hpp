// SPDX-License-Identifier: BSL-1.0
// Whole graphs with the reference kernels: in the compiler, for answers in static_assert, and as the yardstick of
// tests. No plan, no packing: every value is nchw and is kept.
#pragma once

#include <algorithm>

#include "parameters.hpp"

namespace ctnn::ir {

/// Every value of a graph, nchw.
template <class T>
struct basic_graph_values {
  pool<T> numbers;
  pool<std::int64_t> first;  ///< by value_id: its first number; one more at the end

  constexpr const T* data(value_id v) const { return numbers.data() + first[static_cast<std::size_t>(v)]; }
  constexpr T* data(value_id v) { return numbers.data() + first[static_cast<std::size_t>(v)]; }
  constexpr std::span<const T> of(value_id v) const {
    const auto i = static_cast<std::size_t>(v);
    return {numbers.data() + first[i], static_cast<std::size_t>(first[i + 1] - first[i])};
  }
};
using graph_values = basic_graph_values<float>;

/// Computes every value of g into `result`. `leaf(expression)` points to a weight's numbers; `inputs` are the
/// network's, in order. (An argument, not a result: see lower().)
template <class T>
constexpr void run_graph(const graph_view& g, auto&& leaf, std::span<const std::type_identity_t<T>* const> inputs,
                         basic_graph_values<T>& result) {
  result.first = pool<std::int64_t>(g.values.size() + 1, 0);
  for (std::size_t v = 0; v < g.values.size(); ++v) result.first[v + 1] = result.first[v] + g.values[v].shape.count();
  result.numbers = pool<T>(static_cast<std::size_t>(result.first[g.values.size()]), T{});

  pool<basic_tensor<const T>> in;
  pool<basic_tensor<T>> out;
  std::size_t next_input = 0;
  for (const node& n : g.nodes) {
    if (n.type == &type_of<op::input>) {
      const T* from = inputs[next_input++];
      std::copy(from, from + g.shape(n.outputs.first).count(), result.data(n.outputs.first));
      continue;
    }
    in.clear();
    out.clear();
    const slot_set given = g.given(n);
    const auto all = g.inputs(n);
    const std::size_t own = all.size() - static_cast<std::size_t>(count_slots(given));
    for (value_id v : all.first(own)) in.push_back({result.data(v), g.shape(v)});
    for (value_id v = n.outputs.first; v < n.outputs.first + n.outputs.count; ++v)
      out.push_back({result.data(v), g.shape(v)});
    // Folded weights first, all in one array.
    pool<const T*> weights;
    pool<std::int64_t> folded;
    std::int64_t folded_count = 0;
    for (expression_id e : g.weights(n)) {
      folded.push_back(folded_count);
      if (g.at_expression(e).type) folded_count += g.at_expression(e).shape.count();
    }
    pool<T> numbers(static_cast<std::size_t>(folded_count), T{});
    for (std::size_t k = 0; k < folded.size(); ++k) {
      const expression_id e = g.weights(n)[k];
      if (!g.at_expression(e).type) {
        weights.push_back(leaf(g.at_expression(e)));
        continue;
      }
      const expression_evaluator evaluate(g, e);
      pool<T> scratch(static_cast<std::size_t>(evaluate.scratch_size()), T{});
      evaluate.run(leaf, scratch.data(), numbers.data() + folded[k]);
      weights.push_back(numbers.data() + folded[k]);
    }
    pool<const T*> slots;
    merge_slots(
        given, [&](std::size_t i) { return result.data(all[own + i]); }, [&](std::size_t i) { return weights[i]; },
        weights.size(), slots);
    detail::definitions<T>::of (g, n)(
        g.fields_of(n.fields), {{in.data(), in.size()}, {out.data(), out.size()}, {slots.data(), slots.size()}});
  }
}

namespace detail {

template <class Net, std::size_t Output>
inline constexpr std::size_t result_size =
    static_cast<std::size_t>(declared_graph<Net>.shape(declared_graph<Net>.outputs[Output].value).count());

template <class Net>
inline constexpr problem_report missing_reference = [] {
  for (const node& n : declared_graph<Net>.nodes) {
    if (n.type != &type_of<op::input> && n.type->reference() == nullptr)
      return problem_report{{mistake::no_reference, n.type->name}, n.name};
    for (int k = 0; k < n.outputs.count; ++k)  // references are of floats
      if (const dtype t = declared_graph<Net>.at_value(n.outputs.first + k).type; t != dtype::f32)
        return problem_report{{mistake::element_type, n.type->name, {static_cast<int>(t)}}, n.name};
  }
  return problem_report{};
}();

}  // namespace detail

}  // namespace ctnn::ir

namespace ctnn {

/// Not constexpr on purpose: the compiler's message names it and the input.
inline void input_does_not_fit(std::string_view) {}

/// One inference by the reference kernels; slow at run time, but a constant expression:
///   static_assert(ctnn::argmax(ctnn::constant_run<net, weights>(image)) == 3);
/// `Given` are Net's weights as for fold(); inputs are nchw, in the order of declaration, as long as declared. Clang's
/// step limit admits about 400,000 multiply-adds.
template <class Net, const auto& Given = no_weights, std::size_t Output = 0, class... Inputs>
constexpr std::array<float, ir::detail::result_size<Net, Output>> constant_run(const Inputs&... inputs) {
  static_assert(sizeof(ir::detail::weights_error<Net, Given>) > 0);
  static_assert(sizeof(ir::error_in<ir::detail::missing_reference<Net>>) > 0);
  constexpr ir::graph_view g = ir::declared_graph<Net>;
  const std::span<const float> given[] = {std::span<const float>(inputs)...};
  const float* pointers[sizeof...(Inputs)] = {};
  std::size_t n = 0;
  for (const ir::node& x : g.nodes) {
    if (x.type != &ir::type_of<op::input>) continue;
    if (n == sizeof...(Inputs) || static_cast<std::int64_t>(given[n].size()) != g.shape(x.outputs.first).count())
      input_does_not_fit(x.name);
    pointers[n] = given[n].data();
    ++n;
  }
  ir::graph_values values;
  run_graph(g, ir::detail::leaf_lookup{Given}, pointers, values);
  std::array<float, ir::detail::result_size<Net, Output>> out{};
  const float* from = values.data(g.outputs[Output].value);
  std::copy(from, from + out.size(), out.begin());
  return out;
}

/// Index of the largest number, the first of equal ones.
constexpr std::size_t argmax(std::span<const float> scores) {
  std::size_t best = 0;
  for (std::size_t i = 1; i < scores.size(); ++i)
    if (scores[i] > scores[best]) best = i;
  return best;
}

}  // namespace ctnn
