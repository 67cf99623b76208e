// SPDX-License-Identifier: BSL-1.0
// All weights of a network in the order its kernels want them, one after the other; what layers share is there once.
#pragma once

#include "../base/typed_span.hpp"
#include "../kernels/winograd.hpp"
#include "../plan/plan.hpp"
#include "evaluate.hpp"

namespace ctnn::ir {
inline namespace CTNN_PACKING {

/// Does the node's kernel want its weight packed, if of these elements?
constexpr bool packs_elements(const node& n, int slot, dtype element) {
  return is_byte(element) && n.type->packs(slot, element);
}

/// Numbers that weight i of a node takes when packed.
constexpr std::int64_t packed_size(const graph_view& g, const node& n, int i, int block = channel_block) {
  const expression& numbers = g.at_expression(g.weights(n)[static_cast<std::size_t>(i)]);
  const extents& shape = numbers.shape;
  if (const byte_rows rows = byte_rows_of(g, n, block))
    return byte_slot_words(rows, byte_slots(g, n)[static_cast<std::size_t>(i)]);
  const int slot = slot_of(g.given(n), i);
  if (numbers.element != dtype::f32 && !packs_elements(n, slot, numbers.element))
    return words(shape.count(), numbers.element);
  if (const int m = slot == 0 ? packed_winograd_size(g, n, block) : 0) return winograd_packed_count(m, shape, block);
  return n.type->packed_count(g.fields_of(n.fields), slot, shape, block);
}

/// Packs weight i of a node; `numbers(k)` are those of weight k in logical order, in which kernels take other types
/// than float but where byte_packing.hpp and quad_packing.hpp say otherwise.
constexpr void pack_slot(const graph_view& g, const node& n, int i, const auto& numbers, float* to,
                         int block = channel_block) {
  if (const byte_rows rows = byte_rows_of(g, n, block)) return pack_byte_slot(g, n, rows, i, numbers, to);
  const typed_span from = numbers(i);
  const extents& shape = g.at_expression(g.weights(n)[static_cast<std::size_t>(i)]).shape;
  const int slot = slot_of(g.given(n), i);
  if (from.type() != dtype::f32) {
    if (!packs_elements(n, slot, from.type())) return from.copy_to(to);
    pool<float> bytes(static_cast<std::size_t>(words(shape.count(), from.type())), 0.0f);
    from.copy_to(bytes.data());
    return n.type->pack(g.fields_of(n.fields), slot, shape, bytes.data(), to, block);
  }
  if (const int m = slot == 0 ? packed_winograd_size(g, n, block) : 0) pack_winograd(m, shape, from.data(), to, block);
  else n.type->pack(g.fields_of(n.fields), slot, shape, from.data(), to, block);
}

/// The numbers that packing a node's weight looks at, evaluated where they are not given as they are.
template <class Leaf>
class evaluated_weights {
 public:
  constexpr evaluated_weights(const graph_view& g, const node& n, int slot, const Leaf& leaf)
      : g_(g), n_(n), leaf_(leaf), only_(byte_rows_of(g, n) ? none : slot) {
    for (int k = 0; k < n.weights.count; ++k) {
      const expression_id e = g.weights(n)[static_cast<std::size_t>(k)];
      const expression& x = g.at_expression(e);
      pool<float> numbers;
      if (looks_at(k) && x.type && !is_integer(x.element)) {
        const expression_evaluator evaluate(g, e);
        pool<float> scratch(static_cast<std::size_t>(evaluate.scratch_size()), 0.0f);
        numbers = pool<float>(static_cast<std::size_t>(x.shape.count()), 0.0f);
        evaluate.run(leaf, scratch.data(), numbers.data());
      }
      floats_.push_back(static_cast<pool<float>&&>(numbers));
    }
  }
  /// f(numbers), where numbers(k) are those of weight k.
  constexpr void run(auto f) const { from(0, {}, f); }

 private:
  constexpr bool looks_at(int k) const { return only_ == none || only_ == k; }
  /// With the integers of all weights from k on.
  template <class F>
  constexpr void from(std::size_t k, pool<typed_span> all, F& f) const {
    if (k == floats_.size()) return f([&](int i) { return all[static_cast<std::size_t>(i)]; });
    const expression_id e = g_.weights(n_)[k];
    const expression& x = g_.at_expression(e);
    const auto next = [&](const typed_span& numbers) {
      pool<typed_span> more = all;
      more.push_back(numbers);
      from(k + 1, static_cast<pool<typed_span>&&>(more), f);
    };
    if (!looks_at(static_cast<int>(k))) next({});
    else if (!x.type) next(leaf_.numbers(x));
    else if (is_integer(x.element)) with_integers(g_, e, leaf_, next);
    else next({floats_[k].data(), floats_[k].size()});
  }

  graph_view g_;
  const node& n_;
  const Leaf& leaf_;
  int only_;
  pool<pool<float>> floats_;
};

/// A weight of a node: `number` counts those that are not given.
struct packed_slot {
  const graph_view& g;
  const node& of;
  int number;

  constexpr int slot() const { return slot_of(g.given(of), number); }
  constexpr const expression& numbers() const {
    return g.at_expression(g.weights(of)[static_cast<std::size_t>(number)]);
  }
  template <class Op>
  constexpr bool is() const {
    return of.type == &type_of<Op>;
  }
  template <class Op>
  constexpr Op get() const {
    return decode<Op>(g.fields_of(of.fields));
  }
};

namespace packed_detail {

constexpr bool same_fields(const packed_slot& a, const packed_slot& b) {
  const auto of = a.g.fields_of(a.of.fields), other = b.g.fields_of(b.of.fields);
  if (of.size() != other.size()) return false;
  for (std::size_t i = 0; i < of.size(); ++i)
    if (of[i] != other[i]) return false;
  return true;
}
/// What firmware's sums of bytes begin with follows from all weights, and from what the bytes stand for.
constexpr bool begins_alike(const packed_slot& a, const packed_slot& b) {
  const auto of = a.g.weights(a.of), other = b.g.weights(b.of);
  if (of.size() != other.size()) return false;
  for (std::size_t i = 0; i < of.size(); ++i)
    if (of[i] != other[i]) return false;
  return same_fields(a, b) && a.g.at_value(a.g.inputs(a.of)[0]).type == b.g.at_value(b.g.inputs(b.of)[0]).type &&
         a.g.at_value(a.of.outputs.first).type == b.g.at_value(b.of.outputs.first).type;
}
/// Of floats: rows, and filters of one shape in as many groups, lie the same way wherever they are applied.
constexpr bool lies_alike(const packed_slot& a, const packed_slot& b) {
  if (same_fields(a, b)) return true;
  if (a.is<op::linear>()) return !a.get<op::linear>().weight.is_packed() && !b.get<op::linear>().weight.is_packed();
  const auto same = [&]<class... Ops>(operator_list<Ops...>, auto&& of) {
    return ((a.is<Ops>() && of(a.get<Ops>()) == of(b.get<Ops>())) || ...);
  };
  const auto any = [&]<class... Ops>(operator_list<Ops...>) { return (a.is<Ops>() || ...); };
  return same(operator_list<op::conv1d, op::conv2d, op::conv3d>(), [](const auto& p) { return p.groups; }) ||
         same(operator_list<op::rnn, op::gru>(), [](const auto& p) { return p.hidden; }) ||
         same(operator_list<op::lstm>(), [](const op::lstm& p) { return p.weight ? 0 : p.hidden; }) ||
         any(operator_list<op::batch_norm, op::scale, op::bias, op::prelu, op::layer_norm, op::rms_norm,
                           op::group_norm>());  // as they are
}

}  // namespace packed_detail

/// Whether two weights, of which the numbers are the same, are packed the same way.
constexpr bool packs_alike(const packed_slot& a, const packed_slot& b, int block = channel_block) {
  if (a.of.type != b.of.type || a.slot() != b.slot()) return false;
  const byte_rows rows = byte_rows_of(a.g, a.of, block);
  if (!(rows == byte_rows_of(b.g, b.of, block))) return false;
  if (rows)
    return byte_slots(a.g, a.of)[static_cast<std::size_t>(a.number)].name == "weight" ||
           packed_detail::begins_alike(a, b);
  const dtype element = a.numbers().element;
  if (element != dtype::f32) return !packs_elements(a.of, a.slot(), element) || packed_detail::same_fields(a, b);
  if (a.slot() == 0 && packed_winograd_size(a.g, a.of, block) != packed_winograd_size(b.g, b.of, block)) return false;
  return packed_detail::lies_alike(a, b);
}

/// Places from one packed weight of this size to the next.
constexpr std::int64_t packed_room(std::int64_t size) {
  return (size + arena_alignment - 1) / arena_alignment * arena_alignment;
}
/// Is weight k of node i among the packed ones already, because a node before has it too?
constexpr bool is_packed_before(const graph_view& g, std::size_t i, int k, int block = channel_block) {
  const node& n = g.nodes[i];
  const expression_id e = g.weights(n)[static_cast<std::size_t>(k)];
  for (std::size_t j = 0; j <= i; ++j) {
    const node& other = g.nodes[j];
    for (int l = 0; l < (j == i ? k : other.weights.count); ++l)
      if (g.weights(other)[static_cast<std::size_t>(l)] == e && packs_alike({g, other, l}, {g, n, k}, block))
        return true;
  }
  return false;
}

/// Where each weight begins among a network's packed ones: calls slot(node, number of the weight, expression, offset,
/// packed size, is it there). Of those that layers share each has a place for every way that it is packed, and is there
/// when the second of its readers comes. Returns the total.
constexpr std::int64_t for_each_slot(const graph_view& g, auto&& slot, int block = channel_block) {
  struct place {
    const node* of;
    int number;
    std::int64_t offset;
    int before;  ///< another of the same expression
  };
  pool<place> places;
  pool<int> last(g.expressions.size(), none);  // place of each expression
  std::int64_t total = 0;
  for (std::size_t i = 0; i < g.nodes.size(); ++i) {
    const node& n = g.nodes[i];
    for (int k = 0; k < n.weights.count; ++k) {
      const expression_id e = g.weights(n)[static_cast<std::size_t>(k)];
      const std::int64_t size = packed_size(g, n, k, block);
      int& of_this = last[static_cast<std::size_t>(e)];
      int known = of_this;
      for (; known != none; known = places[static_cast<std::size_t>(known)].before)
        if (const place& p = places[static_cast<std::size_t>(known)];
            packs_alike({g, *p.of, p.number}, {g, n, k}, block))
          break;
      const bool is_there = known != none;
      if (!is_there) {
        known = static_cast<int>(places.size());
        places.push_back({&n, k, total, of_this});
        of_this = known;
        total += packed_room(size);
      }
      slot(n, k, e, places[static_cast<std::size_t>(known)].offset, size, is_there);
    }
  }
  return total;
}

constexpr std::int64_t packed_total(const graph_view& g, int block = channel_block) {
  return for_each_slot(
      g, [](const node&, int, expression_id, std::int64_t, std::int64_t, bool) {}, block);
}

}  // namespace CTNN_PACKING
}  // namespace ctnn::ir
