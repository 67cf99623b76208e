// SPDX-License-Identifier: BSL-1.0
// What a rule looks for: a tree of operators as a type. Its parts have names, members of the rule's `match`, and are
// found once; guard and rewrite get the match.
//
//   struct match { node_id product = none, gate = none; value_id x = none; };
//   using pattern = find::either_order<product_of_values, &match::product,
//                                      find::alone<find::node<sigmoid, &match::gate, find::value<&match::x>>>,
//                                      find::value<&match::x>>;
//
// A part is an operator (op::permute), one of several (find::any_of<op::flatten, op::reshape>), any at all
// (find::any_operator), or an operator of a kind: a struct that says why not.
//
//   struct product_of_values {
//     using of = op::binary;
//     static constexpr std::string_view why_not(const op::binary& b) {  // or (const rewriter& r, node_id n)
//       return b.function == mul ? "" : "it is not a product";
//     }
//   };
//
// Where a part is another operator the rule has nothing to say, unless find::or_say gives the words.
#pragma once

#include <array>
#include <utility>

#include "../base/fixed_string.hpp"
#include "rewriter.hpp"

namespace ctnn::ir {

namespace find {

/// One of several operators.
template <class... Ops>
struct any_of {
  /// Calls f with the operator of node n, which is one of these.
  static constexpr void visit(const rewriter& r, node_id n, auto&& f) {
    (void)((r.is<Ops>(n) && (f(r.get<Ops>(n)), true)) || ...);
  }
  /// Whether node n is one of these.
  static constexpr bool visits(const rewriter& r, node_id n) { return (r.is<Ops>(n) || ...); }
};
/// Any operator whatsoever.
using any_operator = any_of<>;

namespace detail {
template <class... Sets>
struct joined_sets;
template <class... Ops>
struct joined_sets<any_of<Ops...>> {
  using type = any_of<Ops...>;
};
template <class... A, class... B, class... More>
struct joined_sets<any_of<A...>, any_of<B...>, More...> : joined_sets<any_of<A..., B...>, More...> {};
}  // namespace detail

/// One of any of several such sets.
template <class... Sets>
using any_of_all = typename detail::joined_sets<Sets...>::type;

/// Convolutions over one axis, two or three.
using convolutions = any_of<op::conv1d, op::conv2d, op::conv3d>;
using transposed_convolutions = any_of<op::conv_transpose1d, op::conv_transpose2d, op::conv_transpose3d>;
/// Those whose kernels add a residual and apply a slope an output.
using fusing_convolutions = any_of<op::conv1d, op::conv2d>;

namespace detail {

template <class What>
struct choice {
  static constexpr const operator_type* types[] = {&type_of<What>};
  static constexpr operator_set set{types, 1};
  static constexpr bool has(const operator_type* type) { return type == &type_of<What>; }
  static constexpr reason wrong(const rewriter&, node_id) { return {}; }
};
template <class What>
  requires requires { typename What::of; }
struct choice<What> : choice<typename What::of> {
  static constexpr reason wrong(const rewriter& r, node_id n) {
    if constexpr (requires { What::why_not(r, n); }) return {What::why_not(r, n)};
    else return {What::why_not(r.get<typename What::of>(n))};
  }
};
template <class... Ops>
struct choice<any_of<Ops...>> {
  static constexpr const operator_type* types[] = {&type_of<Ops>...};
  static constexpr operator_set set{types, sizeof...(Ops)};
  static constexpr bool has(const operator_type* type) { return ((type == &type_of<Ops>) || ...); }
  static constexpr reason wrong(const rewriter&, node_id) { return {}; }
};
template <>
struct choice<any_of<>> {
  static constexpr operator_set set{};
  static constexpr bool has(const operator_type*) { return true; }
  static constexpr reason wrong(const rewriter&, node_id) { return {}; }
};

inline constexpr reason another_operator{"another operator", {}, false, true};

constexpr reason first_of(const reason& a, const reason& b) { return a ? a : b; }

/// Why node n, which is one of What's operators, is none that the pattern means.
template <class What>
constexpr reason unfit(const rewriter& r, node_id n) {
  const bool of_another_kind =
      (r.is_for_floats() && r.reads_bytes(n)) || (r.is_for_own_weights() && r.has_packed_weight(n));
  return of_another_kind ? another_operator : choice<What>::wrong(r, n);
}

template <class Part>
constexpr operator_set operators_of() {
  if constexpr (requires { Part::roots; }) return Part::roots;
  else return {};
}

/// Two sets as one.
template <const operator_set& A, const operator_set& B>
struct joined {
  static constexpr auto types = [] {
    std::array<const operator_type*, A.count + B.count> all{};
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = i < A.count ? A.types[i] : B.types[i - A.count];
    return all;
  }();
  static constexpr operator_set set =
      A.count == 0 || B.count == 0 ? operator_set{} : operator_set{types.data(), types.size()};
};

/// What patterns have in common that start at a node; `Tree` has ways() and at().
template <class Tree, class What>
struct starts_at_node {
  using what = What;
  static constexpr operator_set roots = choice<What>::set;

  /// Input i of node n is made by such a node.
  template <class M>
  static constexpr reason operand(const rewriter& r, node_id n, int i, M& m) {
    const node_id p = r.producer(r.input(n, i));
    if (!choice<What>::has(r.at(p).type)) return another_operator;
    reason no = another_operator;
    if constexpr (requires { Tree::one_way; }) {
      no = Tree::at(r, p, 0, m);
      if (no && no.layer.empty()) no.layer = r.name(p);
      return no;
    }
    const int ways = Tree::ways(r, p);
    for (int way = 0; way < ways; ++way) {
      M tried = m;
      const reason why = Tree::at(r, p, way, tried);
      if (!why) {
        m = tried;
        return {};
      }
      if (no.silent) no = why;
    }
    if (no.layer.empty()) no.layer = r.name(p);
    return no;
  }
};

}  // namespace detail

/// An operator and its first operands, in order.
template <class What, auto Name, class... Operands>
struct node : detail::starts_at_node<node<What, Name, Operands...>, What> {
  template <class First = any_of<>, class...>
  static constexpr operator_set first() { return detail::operators_of<First>(); }
  static constexpr operator_set firsts = first<Operands...>();

  static constexpr bool one_way = true;
  static constexpr int ways(const rewriter&, node_id) { return 1; }
  template <class M>
  static constexpr reason at(const rewriter& r, node_id n, int, M& m) {
    m.*Name = n;
    if constexpr (sizeof...(Operands) == 0) return detail::unfit<What>(r, n);
    if (r.inputs_count(n) < values) return detail::another_operator;
    const reason no = operands(r, n, m, std::make_index_sequence<sizeof...(Operands)>{});
    return no.silent ? no : detail::first_of(detail::unfit<What>(r, n), no);
  }

 private:
  static constexpr std::size_t values = (std::size_t{0} + ... + (requires { Operands::is_number; } ? 0u : 1u));

  template <class M, std::size_t... I>
  static constexpr reason operands([[maybe_unused]] const rewriter& r, [[maybe_unused]] node_id n,
                                   [[maybe_unused]] M& m, std::index_sequence<I...>) {
    reason no;
    (void)(static_cast<bool>(no = Operands::operand(r, n, static_cast<int>(I), m)) || ...);
    return no;
  }
};

/// An operator of two operands, whichever of them is A and whichever B.
template <class What, auto Name, class A, class B>
struct either_order : detail::starts_at_node<either_order<What, Name, A, B>, What> {
  static constexpr operator_set firsts = detail::operators_of<A>();

  static constexpr int ways(const rewriter&, node_id) { return 2; }
  template <class M>
  static constexpr reason at(const rewriter& r, node_id n, int way, M& m) {
    m.*Name = n;
    if (r.inputs_count(n) != 2) return detail::another_operator;
    reason no = A::operand(r, n, way, m);
    if (!no) no = B::operand(r, n, 1 - way, m);
    return no.silent ? no : detail::first_of(detail::unfit<What>(r, n), no);
  }
};

/// An operator one of whose operands is A, input `Index`.
template <class What, auto Name, auto Index, class A>
struct reader : detail::starts_at_node<reader<What, Name, Index, A>, What> {
  static constexpr operator_set firsts = detail::operators_of<A>();
  static constexpr bool names_all_if_shared = true;  ///< all is found where only another reader is in the way

  static constexpr int ways(const rewriter& r, node_id n) { return static_cast<int>(r.inputs_count(n)); }
  template <class M>
  static constexpr reason at(const rewriter& r, node_id n, int way, M& m) {
    m.*Name = n;
    m.*Index = way;
    const reason no = A::operand(r, n, way, m);
    if (no && !no.shared) return no;
    return detail::first_of(detail::unfit<What>(r, n), no);
  }
};

/// Any value; the same one wherever the name stands.
template <auto Name>
struct value {
  template <class M>
  static constexpr reason operand(const rewriter& r, node_id n, int i, M& m) {
    const value_id v = r.input(n, i);
    if (m.*Name != none && m.*Name != v) return {"another value", r.name(r.producer(v)), false, true};
    m.*Name = v;
    return {};
  }
};

/// The scalar that a binary function has for its second operand.
template <auto Name>
struct number {
  static constexpr bool is_number = true;  ///< and no input

  template <class M>
  static constexpr reason operand(const rewriter& r, node_id n, int, M& m) {
    const auto scalar = r.get<op::binary>(n).scalar;
    if (!scalar) return detail::another_operator;
    m.*Name = *scalar;
    return {};
  }
};

/// What nobody else reads: it may disappear.
template <class A>
struct alone {
  static constexpr operator_set roots = A::roots;

  template <class M>
  static constexpr reason operand(const rewriter& r, node_id n, int i, M& m) {
    const reason no = A::operand(r, n, i, m);
    if (no.silent) return no;
    const value_id v = r.input(n, i);
    if (r.readers(v) == 1) return no;
    return {r.is_output(v) ? "its input is a network output too" : "its input is also read by another layer",
            r.name(r.producer(v)), true};
  }
};

/// A, or else B.
template <class A, class B>
struct one_of {
  static constexpr operator_set of_a = detail::operators_of<A>(), of_b = detail::operators_of<B>();
  static constexpr operator_set roots = detail::joined<of_a, of_b>::set;

  template <class M>
  static constexpr reason operand(const rewriter& r, node_id n, int i, M& m) {
    M tried = m;
    if (!A::operand(r, n, i, tried)) {
      m = tried;
      return {};
    }
    return B::operand(r, n, i, m);
  }
};

/// A tree that stands in one of two forms, both with the same operator at its root.
template <class A, class B>
struct two_forms : detail::starts_at_node<two_forms<A, B>, typename A::what> {
  static constexpr operator_set firsts = detail::joined<A::firsts, B::firsts>::set;

  static constexpr int ways(const rewriter& r, node_id n) { return A::ways(r, n) + B::ways(r, n); }
  template <class M>
  static constexpr reason at(const rewriter& r, node_id n, int way, M& m) {
    const int of_a = A::ways(r, n);
    return way < of_a ? A::at(r, n, way, m) : B::at(r, n, way - of_a, m);
  }
};

/// A with what it names, or anything.
template <class A>
struct maybe {
  template <class M>
  static constexpr reason operand(const rewriter& r, node_id n, int i, M& m) {
    M tried = m;
    if (!A::operand(r, n, i, tried)) m = tried;
    return {};
  }
};

/// A, and nothing to say where there is something else.
template <class A>
struct silently {
  static constexpr operator_set roots = detail::operators_of<A>();

  template <class M>
  static constexpr reason operand(const rewriter& r, node_id n, int i, M& m) {
    reason no = A::operand(r, n, i, m);
    no.silent = no.silent || (no && !no.shared);
    return no;
  }
};

/// A and B at once.
template <class A, class B>
struct also {
  static constexpr operator_set roots = detail::operators_of<A>();

  template <class M>
  static constexpr reason operand(const rewriter& r, node_id n, int i, M& m) {
    const reason no = A::operand(r, n, i, m);
    return no ? no : B::operand(r, n, i, m);
  }
};

/// A, or A behind at most `Most` operators of a kind that read their first operand, which nobody else reads.
template <class What, int Most, class A>
struct behind {
  static constexpr operator_set of_a = detail::operators_of<A>();
  static constexpr operator_set roots = detail::joined<of_a, detail::choice<What>::set>::set;

  template <class M>
  static constexpr reason operand(const rewriter& r, node_id n, int i, M& m) {
    reason no = A::operand(r, n, i, m);
    for (int step = 0; step < Most && no.silent; ++step) {
      const value_id v = r.input(n, i);
      n = r.producer(v);
      i = 0;
      if (r.readers(v) != 1 || !detail::choice<What>::has(r.at(n).type) || detail::choice<What>::wrong(r, n)) break;
      no = A::operand(r, n, i, m);
    }
    return no;
  }
};

/// A, and these words where there is something else.
template <fixed_string Text, class A>
struct or_say {
  static constexpr operator_set roots = detail::operators_of<A>();

  template <class M>
  static constexpr reason operand(const rewriter& r, node_id n, int i, M& m) {
    const reason no = A::operand(r, n, i, m);
    if (!no || no.shared || no.said) return no;
    return {Text.view(), r.name(r.producer(r.input(n, i))), false, false, true};
  }
};

}  // namespace find

/// What the patterns of one or two operators match: `first` produces input `input` of `last`, which is looked up by its
/// operator.
struct match {
  node_id first = none;
  node_id last = none;
  int input = 0;
};

/// An operator by itself.
template <class What>
using single = find::node<What, &match::last>;

/// `First` whose result `Last` reads, and nobody else.
template <class First, class Last>
using chain = find::reader<Last, &match::last, &match::input, find::alone<find::node<First, &match::first>>>;

/// `First` whose result `Last` reads; others may read it as well, it stays for them.
template <class First, class Last>
using edge = find::reader<Last, &match::last, &match::input, find::node<First, &match::first>>;

}  // namespace ctnn::ir
