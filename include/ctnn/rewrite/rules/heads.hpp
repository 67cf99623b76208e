// SPDX-License-Identifier: BSL-1.0
// Attention reads heads where they lie side by side in rows, as layers make them: what moves them apart and back goes.
#pragma once

#include "../../graph/operators/attention.hpp"
#include "../view_chain.hpp"
#include "movement.hpp"

namespace ctnn::rules {

/// Where heads that lie side by side in rows, (batch, length, heads * size), are once they are apart: as a value of
/// shape y, with the heads before the length.
constexpr index_map heads_apart(index_map rows, int heads, const extents& y) {
  const extents x = rows.shape();
  rows.reshape({x[0], x[1], heads, x[2] / heads});
  rows.permute({0, 2, 1, 3});
  rows.reshape(y);
  return rows;
}

/// permutes and reshapes that move heads apart > attention > those that move them back  ->  attention of rows, or of
/// columns of rows, if one layer makes queries, keys and values
struct heads_in_rows {
  static constexpr rule_info info{"heads_in_rows",
                                  "permute|reshape... > attention > permute|reshape -> attention of heads in rows",
                                  lowers::movable, numerics::exact};
  static constexpr bool any_type = true;
  /// Queries, keys or values: `from` has them in rows of `shape`; else `moves` makes these of it, as columns from
  /// `column` on, if there are more.
  struct source {
    value_id from = none;
    node_id moves = none;
    extents shape{};
    int column = none;
  };
  struct match {
    node_id back = none, between = none, whole = none;
    source of[3];
    source mask{};  ///< of batches and heads as one axis
    op::attention is{};
    extents rows{};
  };
  using attention = find::alone<find::node<op::attention, &match::whole>>;
  using movement = find::any_of<op::permute, op::reshape, op::flatten>;
  using pattern = find::node<movement, &match::back,
                             find::one_of<find::alone<find::node<reshapes, &match::between, attention>>, attention>>;

 private:
  static constexpr extents apart_of(const extents& x) {
    if (x.rank == 4) return {x[0] * x[1], x[2], x[3]};
    return x;
  }
  /// One batch of all heads has their rows, not those of several batches side by side.
  static constexpr bool keeps_axes(const extents& x, int batches_and_heads, const extents& rows) {
    const bool by_length = x.rank == 4 && x[0] == 1 && x[1] == rows[1];
    return rows[0] != 1 || batches_and_heads == 1 || x.back(0) == rows[2] || by_length;
  }
  static constexpr op::slice::walks taken(const extents& rows, int column) {
    return {{{0, rows[0], 1}, {0, rows[1], 1}, {column, rows[2], 1}}};
  }
  /// Has x wider rows, with these from a column on?
  static constexpr bool has_columns(const extents& x, const extents& rows, std::int64_t column) {
    return x.rank == 3 && x[0] == rows[0] && x[1] == rows[1] && x[2] > rows[2] && x[2] >= column + rows[2];
  }
  static constexpr index_map columns(const extents& x, const extents& rows, std::int64_t column) {
    index_map m(x);
    m.slice(taken(rows, static_cast<int>(column)));
    return m;
  }
  /// Where the rows of so many batches are that are moved to v.
  static constexpr reason find_rows(const rewriter& r, value_id v, int batch, source& found) {
    const extents x = apart_of(r.shape(v));
    if (x[0] % batch != 0) return {"its batch is another", r.name(r.producer(v))};
    const int heads = x[0] / batch;
    found.shape = {batch, x[1], heads * x[2]};
    const index_map wanted = heads_apart(index_map(found.shape), heads, r.shape(v));
    const view_chain chain(r, v);
    for (std::size_t of = 0; of <= chain.size(); ++of) {
      const value_id at = chain.source(of);
      index_map now(r.shape(at));
      if (!chain.map(of, now)) break;
      if (now == wanted && keeps_axes(r.shape(at), x[0], found.shape)) {
        found.from = at;
        found.column = none;
        if (r.shape(at) == found.shape) return {};
      }
      if (has_columns(r.shape(at), found.shape, now.first()) &&
          now == heads_apart(columns(r.shape(at), found.shape, now.first()), heads, r.shape(v))) {
        found.from = at;
        found.column = static_cast<int>(now.first());
      }
    }
    found.moves = r.producer(v);
    if (found.from == none) return {"no rows are moved to its heads", r.name(found.moves)};
    if (!view_layers::visits(r, found.moves)) return {"its heads are not moved apart", r.name(found.moves)};
    if (r.readers(v) != 1)
      return {r.is_output(v) ? "its input is a network output too" : "its input is also read by another layer",
              r.name(found.moves), true};
    return {};
  }
  /// Columns are sliced out of rows instead of what cut them: that must go, or there were a layer more.
  static constexpr reason cuts_once(const rewriter& r, const match& m) {
    for (const source& s : m.of) {
      if (s.column == none || r.is<op::permute>(s.moves)) continue;
      const node_id cut = r.producer(r.input(s.moves));
      int readers = 0, ours = 0;
      for (int k = 0; k < r.at(cut).outputs.count; ++k) readers += r.readers(r.output(cut, k));
      for (const source& other : m.of) ours += other.column != none && r.producer(r.input(other.moves)) == cut;
      if (readers != ours) return {"what cuts its rows is also read by another layer", r.name(cut), true};
    }
    return {};
  }
  /// A mask that a reshape gives an axis of batches and heads may have two instead.
  static constexpr void find_mask(const rewriter& r, match& m, int batch, extents& shape) {
    const value_id v = r.input(m.whole, 3);
    const node_id n = r.producer(v);
    if (r.shape(r.input(m.whole)).rank != 3 || !r.is<op::reshape>(n) || r.readers(v) != 1) return;
    if (shape.rank != 4 || shape[0] == 1 || shape[1] != 1 || shape[0] % batch != 0) return;
    shape = {batch, shape[0] / batch, shape[2], shape[3]};
    m.mask = {r.input(n), n, shape};
  }
  static constexpr reason with_batch(const rewriter& r, match& m, int batch) {
    const extents q = apart_of(r.shape(r.input(m.whole)));
    const value_id y = r.output(m.whole);
    const extents heads = apart_of(r.shape(y));
    bool gains = r.is<op::permute>(m.back);
    pool<extents> in;
    for (int i = 0; i < 3; ++i) {
      m.of[i] = {};
      if (const reason no = find_rows(r, r.input(m.whole, i), batch, m.of[i])) return no;
      in.push_back(m.of[i].shape);
      const source& found = m.of[i];
      gains = gains || found.column != none ||
              (found.moves == none ? found.from != r.input(m.whole, i) : r.is<op::permute>(found.moves));
    }
    if (const reason no = cuts_once(r, m)) return no;
    for (std::size_t i = 3; i < r.inputs_count(m.whole); ++i)
      in.push_back(r.shape(r.input(m.whole, static_cast<int>(i))));
    m.mask = {};
    if (m.is.mask && batch != q[0]) find_mask(r, m, batch, in[3]);
    index_map now(r.shape(y));
    if (m.between != none) step_to(r, r.output(m.between)).apply(now);
    if (!step_to(r, r.output(m.back)).apply(now)) return {"it moves parts of heads"};
    index_map rows({batch, heads[0] / batch, heads[1], heads[2]});
    rows.permute({0, 2, 1, 3});
    rows.reshape(now.shape());
    if (!(now == rows)) return {"its heads are not moved back"};
    m.is.heads = q[0] / batch;
    m.is.kv_heads = apart_of(r.shape(r.input(m.whole, 1)))[0] / batch;
    extents made[4];
    if (m.is.infer(inputs(in.data(), in.size()), outputs(made, static_cast<std::size_t>(m.is.output_count()))))
      return {"its mask or cache is not of these heads", r.name(m.whole)};
    for (int i = 1; i < m.is.output_count(); ++i)
      if (!(made[i] == r.shape(r.output(m.whole, i)))) return {"its cache is of other heads", r.name(m.whole)};
    m.rows = made[0];
    // Of one head a permute of ones is a reshape, and what gives the rows back is nothing behind them.
    const bool is_back = m.back != none && r.shape(r.output(m.back)) == m.rows;
    return gains || is_back ? reason{} : reason{"nothing moves its heads", r.name(m.whole), false, true};
  }

 public:
  static constexpr reason guard(const rewriter& r, match& m) {
    m.is = r.get<op::attention>(m.whole);
    const extents q = r.shape(r.input(m.whole));
    if (q.rank == 3 && (m.is.heads != 1 || m.is.kv_heads != 1)) return {"its heads are in rows", {}, false, true};
    for (int i = 0; i < 3; ++i)
      if (r.shape(r.input(m.whole, i)).count() == 0) return {"it reads nothing", r.name(m.whole)};
    // Batches that a reshape makes one with the heads, or one batch of all heads, as PyTorch's module moves them.
    const node_id joins = r.producer(r.input(m.whole, 1));
    const extents& joined = reshapes::visits(r, joins) ? r.shape(r.input(joins)) : q;
    const reason no = with_batch(r, m, q.rank == 4 || joined.rank != 4 ? q[0] : joined[0]);
    if (!no || q[0] == 1) return no;
    const reason of_one = with_batch(r, m, 1);
    return !of_one || q.rank == 3 ? of_one : no;
  }
  static constexpr void rewrite(rewriter& r, const match& m) {
    pool<value_id> in = r.inputs_of(m.whole);
    for (std::size_t i = 0; i < 3; ++i) {
      const source& s = m.of[i];
      if (s.moves == none) {
        in[i] = s.from;
        continue;
      }
      const extents from = r.shape(s.from);
      if (s.column == none) r.become(s.moves, reshape_to(s.shape), r.name(s.moves), {&s.from, 1}, {}, s.shape);
      else r.become(s.moves, op::slice::of(from, taken(s.shape, s.column)), r.name(s.moves), {&s.from, 1}, {}, s.shape);
    }
    if (const source& s = m.mask; s.moves != none)
      r.become(s.moves, reshape_to(s.shape), r.name(s.moves), {&s.from, 1}, {}, s.shape);
    if (m.between != none) r.note(r.name(m.between), r.name(m.whole));
    r.become(m.whole, m.is, r.name(m.whole), in, {}, m.rows);
    if (r.shape(r.output(m.back)) == m.rows) r.bypass(m.back, r.output(m.whole));
    else become_reshape(r, m.back, r.output(m.whole));
  }
};

}  // namespace ctnn::rules
