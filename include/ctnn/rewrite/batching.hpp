// SPDX-License-Identifier: BSL-1.0
// A network for several samples at once, from the network for one: an axis is put before those of every input and of
// all that is computed from them. Constants stay as they are.
//
// An operator is taken as it is, or with its axes moved, if its result then is its result for one sample with that axis
// before it, and if it says that parts along that axis are computed part by part (operator_type::passes). Windows and
// recurrent layers know a batch by themselves. All others are refused.
#pragma once

#include "expansion.hpp"
#include "moved_axes.hpp"
#include "samples_apart.hpp"

namespace ctnn::ir::detail {

/// A template so that who takes no batches does not compile it.
template <class = void>
class batch_maker {
 public:
  constexpr batch_maker(graph&& one, name_maker& names, int samples)
      : x_(static_cast<graph&&>(one), names), samples_(samples) {
    many_ = pool<bool>(x_.source().values.size(), false);
  }

  problem_report error{};

  /// The graph, if there is no error.
  constexpr void run(graph& result) {
    for (const node& n : x_.source().nodes) {
      if (n.type == &type_of<op::constant>) continue;  // copied if somebody reads it
      if (const problem p = take(n)) {
        error = {p, n.name};
        return;
      }
    }
    result = x_.finish();
  }

 private:
  constexpr bool is_many(value_id v) const { return many_[static_cast<std::size_t>(v)]; }
  constexpr const extents& one(value_id v) const { return x_.source().shape(v); }
  constexpr extents many(const extents& shape) const {
    extents s{samples_};
    s.append(shape);
    return s;
  }
  constexpr span<const double> fields(const node& n) const { return x_.source().fields_of(n.fields); }
  constexpr span<const value_id> own_inputs(const node& n) const {
    const auto in = x_.source().inputs(n);
    return in.first(in.size() - static_cast<std::size_t>(count_slots(x_.source().given(n))));
  }
  /// The node n as another operator, or with other fields.
  template <class Op>
  constexpr node as(node n, const Op& op) {
    const node made = x_.as_node(op, n.name);
    n.type = made.type;
    n.fields = made.fields;
    return n;
  }
  static constexpr problem refused(const node& n) { return {mistake::no_place_for_batch, n.type->name}; }

  /// The node with the axes that its fields name one further on.
  constexpr node moved_axes(const node& n) {
    field_values moved;
    if (!has_axes(n.type) || !move_axes(n.type, fields(n), axis_map::added(one(own_inputs(n)[0]), samples_), moved))
      return n;
    return x_.as_node(n, moved);
  }

  // Operators.

  /// Of inputs that meet axis by axis from the last on: axes of 1 behind the batch, as many as the longest has more.
  constexpr value_id lengthened(const node& reader, std::size_t i, value_id v, int rank) {
    const extents& s = one(v);
    if (!is_many(v) || s.rank == rank) return x_.moved(v);
    constexpr std::string_view digits = "0123456789";
    extents shape{samples_};
    for (int k = s.rank; k < rank; ++k) shape.push_back(1);
    shape.append(s);
    value_id made = none;
    const std::string_view name = x_.name(x_.name(reader.name, ".batch."), digits.substr(i, 1));
    const node view = x_.as_node(op::reshape{as_list(shape)}, name);
    (void)x_.try_add(view, pool<value_id>(1, x_.moved(v)), made);
    return made;
  }

  template <class Op>
  constexpr problem recur(const node& n, Op op) {
    // (length, in) has a batch first if it says so; states, the directions' before it.
    if (own_inputs(n).size() > 1 || one(own_inputs(n)[0]).rank != 2) return refused(n);
    op.batch_first = true;
    value_id made = none;
    if (x_.try_add(as(n, op), all_moved(n), made)) return refused(n);
    set(n.outputs.first, made);
    op::permute batch_first;
    for (int axis : {1, 0, 2}) batch_first.order.push_back(axis);
    for (int k = 1; k < n.outputs.count; ++k) {
      value_id state = made + k;
      if (x_.source().at_value(n.outputs.first + k).readers > 0) {
        const node turned = x_.as_node(batch_first, x_.name(n.name, k == 1 ? ".h" : ".c"));
        (void)x_.try_add(turned, pool<value_id>(1, made + k), state);
      }
      set(n.outputs.first + k, state);
    }
    return {};
  }
  constexpr pool<value_id> all_moved(const node& n) {
    pool<value_id> in;
    for (value_id v : x_.source().inputs(n)) in.push_back(x_.moved(v));
    return in;
  }
  constexpr void set(value_id v, value_id made) {
    x_.move(v, made);
    many_[static_cast<std::size_t>(v)] = true;
  }
  constexpr problem done(const node& n, const node& as, const pool<value_id>& read) {
    value_id made = none;
    if (x_.try_add(as, read, made)) return refused(n);
    for (int k = 0; k < n.outputs.count; ++k) {
      const value_id v = n.outputs.first + k;
      if (!(x_.made_shape(made + k) == many(one(v)))) return refused(n);
      set(v, made + k);
    }
    pool<bool> have_it;
    for (value_id v : x_.source().inputs(n)) have_it.push_back(is_many(v));
    const bool any = n.inputs.count > 0;
    return any && !keeps_samples_apart(x_.made(), x_.made().nodes.back(), have_it) ? refused(n) : problem{};
  }

  /// Attention: the samples are batches. A mask is broadcast to all of them, or is of each sample's sequence.
  constexpr problem attend(const node& n) {
    const auto own = own_inputs(n);
    const auto op = decode<op::attention>(fields(n));
    const int batch = one(own[0])[0];
    bool apart = !op.past && !op.lengths && n.outputs.count == 1;
    for (std::size_t i = 0; i < 3; ++i) apart = apart && is_many(own[i]);
    if (op.mask) {
      const extents& m = one(own[3]);
      const bool alike = m.rank < 4 || m[0] == 1;
      apart = apart && (is_many(own[3]) ? batch == 1 || (m.rank == 4 && m[0] == batch) : alike);
    }
    if (!apart) return refused(n);
    pool<value_id> read;
    value_id made = none;
    for (std::size_t i = 0; i < own.size(); ++i) {
      if (!is_many(own[i])) {
        read.push_back(x_.moved(own[i]));
        continue;
      }
      extents shape = one(own[i]);
      while (i == 3 && shape.rank < 4) shape = shape.with_axis(0, 1);
      shape[0] *= samples_;
      constexpr std::string_view digits = "0123456789";
      const std::string_view name = x_.name(x_.name(n.name, ".batch."), digits.substr(i, 1));
      const node view = x_.as_node(op::reshape{as_list(shape)}, name);
      (void)x_.try_add(view, pool<value_id>(1, x_.moved(own[i])), made);
      read.push_back(made);
    }
    if (x_.try_add(n, read, made)) return refused(n);
    const node view = x_.as_node(op::reshape{as_list(many(one(n.outputs.first)))}, x_.name(n.name, ".batch"));
    (void)x_.try_add(view, pool<value_id>(1, made), made);
    set(n.outputs.first, made);
    return {};
  }

  constexpr problem take_input(const node& n) {
    auto input = decode<op::input>(fields(n));
    if (input.carried) return refused(n);
    input.shape = as_list(many(one(n.outputs.first)));
    return done(n, as(n, input), {});
  }
  // Templates stand before who calls them: Clang wants them whole in constants.
  constexpr problem take(const node& n) {
    if (n.type == &type_of<op::input>) return take_input(n);
    const auto own = own_inputs(n), all = x_.source().inputs(n);
    bool any = false;
    int rank = 0;
    for (value_id v : all) any = any || is_many(v);
    for (value_id v : own) rank = one(v).rank > rank ? one(v).rank : rank;
    if (!any) {
      x_.copy(n);
      return {};
    }
    if (n.type->is.view) return done(n, as(n, op::reshape{as_list(many(one(n.outputs.first)))}), all_moved(n));
    if (n.type == &type_of<op::rnn>) return recur(n, decode<op::rnn>(fields(n)));
    if (n.type == &type_of<op::gru>) return recur(n, decode<op::gru>(fields(n)));
    if (n.type == &type_of<op::lstm>) return recur(n, decode<op::lstm>(fields(n)));
    if (n.type == &type_of<op::attention>) return attend(n);
    // Matrices of each sample, and what meets number by number.
    const bool multiplies = n.type == &type_of<op::matmul> && one(own[0]).rank >= 2 && one(own[1]).rank >= 2;
    if (!multiplies && !n.type->is.each) return done(n, moved_axes(n), all_moved(n));
    pool<value_id> read;
    for (std::size_t i = 0; i < all.size(); ++i)
      read.push_back(i < own.size() ? lengthened(n, i, all[i], rank) : x_.moved(all[i]));
    return done(n, moved_axes(n), read);
  }

  expander x_;
  int samples_;
  pool<bool> many_{};  ///< by value of the source: it has the axis
};

}  // namespace ctnn::ir::detail
