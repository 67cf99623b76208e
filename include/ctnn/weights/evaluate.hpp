// SPDX-License-Identifier: BSL-1.0
// From weight expressions to numbers, by the reference kernels: constant folding in the compiler, when a model is
// loaded, and at start-up from a caller's scratch memory. Operators compute floats. Integers they only move, which is
// asked of the places of the numbers: they are floats in these kernels, too.
#pragma once

#include "../base/typed_span.hpp"
#include "../graph/graph.hpp"
#include "../kernels/operator_code.hpp"

namespace ctnn::ir {

/// f(typed_span) with the integers of an expression: a leaf, or what operators that copy elements make of leaves of one
/// type. `leaf.numbers(expression)` has those of a leaf.
template <class Leaf, class F>
constexpr void with_integers(const graph_view& g, expression_id e, const Leaf& leaf, F f);

/// Evaluates one expression and what it is made of.
class expression_evaluator {
 public:
  constexpr expression_evaluator(const graph_view& g, expression_id target) : g_(g), target_(target) {
    // Arguments have smaller numbers: one walk down finds everything needed.
    needed_ = pool<bool>(static_cast<std::size_t>(target) + 1, false);
    needed_[static_cast<std::size_t>(target)] = true;
    int pending = 1;
    for (expression_id e = target; e >= 0 && pending > 0; --e) {
      if (!needed_[static_cast<std::size_t>(e)]) continue;
      --pending;
      first_ = e;
      for (expression_id a : g.arguments(g.at_expression(e))) {
        if (needed_[static_cast<std::size_t>(a)]) continue;
        needed_[static_cast<std::size_t>(a)] = true;
        ++pending;
      }
      if (e != target && !is_alias(e) && g.at_expression(e).type) scratch_ += g.at_expression(e).shape.count();
    }
  }

  /// Numbers of scratch memory that run() needs.
  constexpr std::int64_t scratch_size() const { return scratch_; }

  /// `leaf(expression)` points to a leaf's numbers, in logical order, `leaf.numbers(expression)` has integers in their
  /// own type, or is not there and nothing reads them as real numbers; the result goes to `out`.
  template <class T>
  constexpr void run(auto&& leaf, std::type_identity_t<T>* scratch, T* out) const {
    pool<const T*> numbers(needed_.size(), nullptr);
    pool<basic_tensor<const T>> in;
    pool<const T*> weights;
    for (expression_id e = first_; e <= target_; ++e) {
      if (!needed_[static_cast<std::size_t>(e)]) continue;
      const expression& x = g_.at_expression(e);
      const std::int64_t count = x.shape.count();
      const auto arguments_of_x = g_.arguments(x);
      if (has_types<decltype(leaf)> && is_integer(x.element)) {
        continue;  // whoever reads them asks for them
      } else if (!x.type) {
        numbers[static_cast<std::size_t>(e)] = leaf(x);
      } else if (is_alias(e)) {
        numbers[static_cast<std::size_t>(e)] = numbers[static_cast<std::size_t>(arguments_of_x[0])];
      } else {
        T* to = e == target_ ? out : scratch;
        if (e != target_) scratch += count;
        bool is_done = false;
        if constexpr (std::is_same_v<T, float>)
          if (x.type == &type_of<op::dequantize>) run_dequantize(x, leaf, numbers, to), is_done = true;
        if (!is_done) run_one(x, numbers, in, weights, to);
        numbers[static_cast<std::size_t>(e)] = to;
      }
      if (e != target_) continue;
      const T* from = numbers[static_cast<std::size_t>(e)];
      for (std::int64_t i = 0; i < count && from != out; ++i) out[i] = from[i];
    }
  }

 private:
  constexpr bool is_alias(expression_id e) const { return g_.at_expression(e).type == &type_of<op::reshape>; }

  /// Integers as the real numbers that they stand for: what the leaves hold in another type.
  constexpr void run_dequantize(const expression& x, auto&& leaf, const pool<const float*>& numbers, float* to) const {
    const auto op = decode<op::dequantize>(g_.fields_of(x.fields));
    const auto of = g_.arguments(x);
    const quantization& said = g_.at_expression(of[0]).element.real;
    const std::int64_t count = x.shape.count();
    const float* const scale = of.size() > 1 ? numbers[static_cast<std::size_t>(of[1])] : nullptr;
    const std::int64_t scales = scale ? g_.at_expression(of[1]).shape.count() : 1;
    pool<std::int64_t> zero(static_cast<std::size_t>(scales), said.zero);
    if (of.size() > 2)
      visit_integers(leaf, of[2], numbers, [&](const auto* first) {
        for (std::size_t k = 0; k < zero.size(); ++k) zero[k] = static_cast<std::int64_t>(first[k]);
      });
    visit_integers(leaf, of[0], numbers, [&](const auto* first) {
      for (std::int64_t i = 0; i < count; ++i) {
        const std::int64_t k = op.scale_of(x.shape, scales, i),
                           integer = static_cast<std::int64_t>(first[i]) - zero[static_cast<std::size_t>(k)];
        to[i] = static_cast<float>(integer) * (scale ? scale[k] : static_cast<float>(said.scale));
      }
    });
  }
  /// Has whoever asks more than floats?
  template <class Leaf>
  static constexpr bool has_types = requires(Leaf leaf, const expression& e) {
    leaf.numbers(e);
  };
  /// f(const T*) with the integers of an expression.
  template <class Leaf, class F>
  constexpr void visit_integers(Leaf&& leaf, expression_id e, const pool<const float*>& numbers, F f) const {
    if constexpr (has_types<Leaf>)
      with_integers(g_, e, leaf, [&](const typed_span& all) {
        all.visit([&]<class T>(const T* first, std::size_t) {
          if constexpr (std::is_integral_v<T>) f(first);
        });
      });
    else f(numbers[static_cast<std::size_t>(e)]);
  }

  template <class T>
  constexpr void run_one(const expression& x, const pool<const T*>& numbers, pool<basic_tensor<const T>>& in,
                         pool<const T*>& weights, T* to) const {
    const basic_tensor<T> result{to, x.shape};
    if (x.type == &type_of<op::full>) {
      const T value = static_cast<T>(decode<op::full>(g_.fields_of(x.fields)).value);
      for (std::int64_t i = 0; i < x.shape.count(); ++i) to[i] = value;
      return;
    }
    in.clear();
    weights.clear();
    for (expression_id a : g_.arguments(x)) {
      in.push_back({numbers[static_cast<std::size_t>(a)], g_.at_expression(a).shape});
    }
    // Inputs come first, weights after.
    const auto all = static_cast<std::size_t>(input_count(x, static_cast<int>(in.size())));
    const slot_set given = given_of(*x.type, g_.fields_of(x.fields));
    const std::size_t own = all - static_cast<std::size_t>(count_slots(given));
    merge_slots(given, [&](std::size_t i) { return in[own + i].data; }, [&](std::size_t i) { return in[all + i].data; },
                in.size() - all, weights);
    detail::definitions<T>::of (g_, x, all)(g_.fields_of(x.fields),
                                            {{in.data(), own}, {&result, 1}, {weights.data(), weights.size()}});
  }
  constexpr int input_count(const expression& x, int arguments) const {
    description d;
    pool<extents> shapes;
    const auto ids = g_.arguments(x);
    const int given = count_slots(given_of(*x.type, g_.fields_of(x.fields)));
    for (int n = x.type->min_inputs + given; n <= arguments && n <= x.type->max_inputs + given; ++n) {
      shapes.clear();
      for (int i = 0; i < n; ++i) shapes.push_back(g_.at_expression(ids[static_cast<std::size_t>(i)]).shape);
      if (!x.type->describe(g_.fields_of(x.fields), inputs(shapes.data(), shapes.size()), {}, d) &&
          n + static_cast<int>(d.weights.size()) == arguments)
        return n;
    }
    return arguments;
  }

  graph_view g_;
  expression_id target_;
  expression_id first_ = 0;
  pool<bool> needed_;
  std::int64_t scratch_ = 0;
};

/// Where the elements of an expression come from that operators copy from leaves.
class copied_elements {
 public:
  constexpr copied_elements(const graph_view& g, expression_id e) : g_(g), e_(e) {
    find(e);
    // Floats count to 2^24.
    for (std::int64_t of_ones = std::int64_t{1} << 24; total_ > of_ones; of_ones <<= 12) units_ <<= 12;
    place_ = pool<std::int64_t>(static_cast<std::size_t>(g.at_expression(e).shape.count()), 0);
    for (std::int64_t unit = units_; unit > 0; unit >>= 12) add(unit);
  }
  /// Calls put(i, leaf, k) for each element i of the expression, which is element k of that leaf.
  constexpr void run(auto&& put) const {
    for (std::size_t i = 0; i < place_.size(); ++i) {
      std::size_t from = leaves_.size() - 1;
      while (place_[i] < leaves_[from].first) --from;
      put(i, from, static_cast<std::size_t>(place_[i] - leaves_[from].first));
    }
  }
  constexpr std::size_t leaves() const { return leaves_.size(); }
  constexpr const expression& leaf(std::size_t k) const { return g_.at_expression(leaves_[k].e); }

 private:
  struct source {
    expression_id e;
    std::int64_t first;  ///< place of its first element among all
  };
  constexpr void find(expression_id e) {
    const expression& x = g_.at_expression(e);
    for (const expression_id a : g_.arguments(x)) find(a);
    if (x.type) return;
    for (const source& known : leaves_)
      if (known.e == e) return;
    leaves_.push_back({e, total_});
    total_ += x.shape.count();
  }
  /// Adds the digits of the places that count `unit`s.
  constexpr void add(std::int64_t unit) {
    pool<float> digits(static_cast<std::size_t>(total_), 0.0f);
    for (std::int64_t i = 0; i < total_; ++i) {
      const std::int64_t above = unit == units_ ? 0 : i / (unit << 12) << 12;
      digits[static_cast<std::size_t>(i)] = static_cast<float>(i / unit - above);
    }
    const expression_evaluator evaluate(g_, e_);
    pool<float> scratch(static_cast<std::size_t>(evaluate.scratch_size()), 0.0f), copied(place_.size(), 0.0f);
    const auto leaf = [&](const expression& x) {
      std::size_t k = 0;
      while (&g_.at_expression(leaves_[k].e) != &x) ++k;
      return static_cast<const float*>(digits.data()) + leaves_[k].first;
    };
    evaluate.run(leaf, scratch.data(), copied.data());
    for (std::size_t i = 0; i < copied.size(); ++i) place_[i] += static_cast<std::int64_t>(copied[i]) * unit;
  }

  graph_view g_;
  expression_id e_;
  pool<source> leaves_;
  pool<std::int64_t> place_;
  std::int64_t total_ = 0, units_ = 1;
};

template <class Leaf, class F>
constexpr void with_integers(const graph_view& g, expression_id e, const Leaf& leaf, F f) {
  while (g.at_expression(e).type && g.at_expression(e).type->is.view) e = g.arguments(g.at_expression(e))[0];
  if (!g.at_expression(e).type) return f(leaf.numbers(g.at_expression(e)));
  const copied_elements from(g, e);
  leaf.numbers(from.leaf(0)).visit([&]<class T>(const T*, std::size_t) {
    if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
      pool<T> copied(static_cast<std::size_t>(g.at_expression(e).shape.count()), T{});
      pool<typed_span> numbers;
      for (std::size_t k = 0; k < from.leaves(); ++k) numbers.push_back(leaf.numbers(from.leaf(k)));
      from.run([&](std::size_t i, std::size_t of, std::size_t k) {
        numbers[of].visit([&]<class U>(const U* first, std::size_t) {
          if constexpr (std::is_same_v<T, U>) copied[i] = first[k];
        });
      });
      f(typed_span(copied.data(), copied.size()));
    }
  });
}

}  // namespace ctnn::ir
