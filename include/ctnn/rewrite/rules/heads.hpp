// SPDX-License-Identifier: BSL-1.0
// Attention reads heads where they lie side by side in rows, as layers make them: what moves them apart and back goes.
#pragma once

#include "../../graph/operators/attention.hpp"
#include "movement.hpp"

namespace ctnn::rules {

/// Where the numbers along an axis of one value lie in another: so many, so far from each other.
struct piece_of_axis {
  int axis;
  std::int64_t count, step;
  friend constexpr bool operator==(const piece_of_axis&, const piece_of_axis&) = default;
};

/// The numbers of a value in another that has the same in another order: of each axis, from the outermost, one piece
/// or several.
class moved_numbers {
 public:
  constexpr void add(int axis, std::int64_t count, std::int64_t step) {
    if (count == 1) return;
    if (!pieces_.empty() && pieces_.back().axis == axis && pieces_.back().step == count * step)
      pieces_.back() = {axis, pieces_.back().count * count, step};
    else pieces_.push_back({axis, count, step});
  }
  /// They are in y, whose axis i steps by step(i) in another value: the same in that one. False: a piece is only a part
  /// of an axis.
  constexpr bool move(const extents& y, const auto& step) {
    moved_numbers moved;
    for (const piece_of_axis& p : pieces_) {
      std::int64_t left = p.count, beyond = p.count * p.step;
      for (int i = 0; i < y.rank; ++i) {  // what of the piece is along axis i
        const std::int64_t inner = y.count(i + 1, y.rank), outer = inner * y[i];
        const std::int64_t from = inner > p.step ? inner : p.step, to = outer < beyond ? outer : beyond;
        if (from >= to) continue;
        if (from % inner != 0 || to % from != 0) return false;
        moved.add(p.axis, to / from, from / inner * step(i));
        left /= to / from;
        beyond = from;
      }
      if (left != 1) return false;
    }
    pieces_ = moved.pieces_;
    return true;
  }
  /// Those of x, which is permuted to y: in y.
  constexpr bool permute(const op::permute& p, const extents& x) {
    return move(x, [&](int axis) {
      int i = 0;
      std::int64_t step = 1;
      while (source_axis(p, i) != axis) ++i;
      for (++i; i < x.rank; ++i) step *= x[source_axis(p, i)];
      return step;
    });
  }
  /// Those of y, which is x permuted: in x.
  constexpr bool unpermute(const op::permute& p, const extents& y) {
    const extents x = unpermuted(p, y);
    return move(y, [&](int i) { return x.count(source_axis(p, i) + 1, x.rank); });
  }
  constexpr bool operator==(const moved_numbers& other) const {
    if (pieces_.size() != other.pieces_.size()) return false;
    for (std::size_t i = 0; i < pieces_.size(); ++i)
      if (!(pieces_[i] == other.pieces_[i])) return false;
    return true;
  }

 private:
  pool<piece_of_axis> pieces_;
};

/// The numbers of heads, (batch, heads, length, size), in themselves; batch and heads are one axis.
constexpr moved_numbers apart(std::int64_t heads, std::int64_t length, std::int64_t size) {
  moved_numbers n;
  n.add(0, heads, length * size);
  n.add(1, length, size);
  n.add(2, size, 1);
  return n;
}
/// The same in (batch, length, heads * size).
constexpr moved_numbers in_rows(std::int64_t batch, std::int64_t heads, std::int64_t length, std::int64_t size) {
  moved_numbers n;
  n.add(0, batch, length * heads * size);
  n.add(0, heads, size);
  n.add(1, length, heads * size);
  n.add(2, size, 1);
  return n;
}

/// permutes and reshapes that move heads apart > attention > those that move them back  ->  attention of rows
struct heads_in_rows {
  static constexpr rule_info info{"heads_in_rows",
                                  "permute|reshape... > attention > permute|reshape -> attention of heads in rows",
                                  lowers::movable, numerics::exact};
  static constexpr bool any_type = true;
  /// Queries, keys or values: `from` has them in rows of `shape`; else `moves` makes these of it.
  struct source {
    value_id from = none;
    node_id moves = none;
    extents shape{};
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
  static constexpr int most_steps = 3;  ///< from an input of the attention to where its rows are

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
  /// Where the rows of so many batches are that are moved to v.
  static constexpr reason find_rows(const rewriter& r, value_id v, int batch, source& found) {
    const extents x = apart_of(r.shape(v));
    if (x[0] % batch != 0) return {"its batch is another", r.name(r.producer(v))};
    const int heads = x[0] / batch;
    found.shape = {batch, x[1], heads * x[2]};
    moved_numbers now = apart(x[0], x[1], x[2]);
    const moved_numbers wanted = in_rows(batch, heads, x[1], x[2]);
    value_id at = v;
    for (int step = 0;; ++step) {
      if (now == wanted && keeps_axes(r.shape(at), x[0], found.shape)) {
        found.from = at;
        if (r.shape(at) == found.shape) return {};
      }
      const node_id n = r.producer(at);
      if (step == most_steps || !movement::visits(r, n)) break;
      if (r.is<op::permute>(n) && !now.unpermute(r.get<op::permute>(n), r.shape(at))) break;
      at = r.input(n);
    }
    found.moves = r.producer(v);
    if (found.from == none) return {"no rows are moved to its heads", r.name(found.moves)};
    if (!movement::visits(r, found.moves)) return {"its heads are not moved apart", r.name(found.moves)};
    if (r.readers(v) != 1)
      return {r.is_output(v) ? "its input is a network output too" : "its input is also read by another layer",
              r.name(found.moves), true};
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
      gains = gains || (m.of[i].moves == none ? m.of[i].from != r.input(m.whole, i) : r.is<op::permute>(m.of[i].moves));
    }
    for (std::size_t i = 3; i < r.inputs_count(m.whole); ++i)
      in.push_back(r.shape(r.input(m.whole, static_cast<int>(i))));
    m.mask = {};
    if (m.is.mask && batch != q[0]) find_mask(r, m, batch, in[3]);
    moved_numbers now = apart(heads[0], heads[1], heads[2]);
    if (r.is<op::permute>(m.back) && !now.permute(r.get<op::permute>(m.back), r.shape(r.input(m.back))))
      return {"it moves parts of heads"};
    if (!(now == in_rows(batch, heads[0] / batch, heads[1], heads[2]))) return {"its heads are not moved back"};
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
      r.become(s.moves, reshape_to(s.shape), r.name(s.moves), {&s.from, 1}, {}, s.shape);
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
