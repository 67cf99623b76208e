// SPDX-License-Identifier: BSL-1.0
// What a stream knows of places: how many samples there were before a part. Those of the first input are counted in one
// carried number; from it follow whether a part is the first, which samples before it there have been, and what a table
// that is as long as the whole sequence has for the samples of a part: positions that arange() counts go on without an
// end, rows of a table are looked up, and there is none behind its last.
#pragma once

#include <utility>

#include "walk.hpp"

namespace ctnn::ir::detail {

class stream_places : public stream_walk {
 public:
  constexpr bool counts_samples() const { return counted_ != none; }

 protected:
  using stream_walk::stream_walk;

  /// Samples of a value that has `rate` of them in a part: sample j is number first + j behind those of parts before.
  struct places {
    int rate, first;
    friend constexpr bool operator==(const places&, const places&) = default;
  };

  /// Numbers of so many samples from these places on, i64.
  constexpr value_id numbers_of(const places& at, int count) {
    value_id& made = known(numbers_, {none, count, at});
    if (made != none) return made;
    int whole_parts = at.rate, rest = part_;
    while (rest != 0) rest = whole_parts % std::exchange(whole_parts, rest);
    const int times_of_input = at.rate / whole_parts, part_of_input = part_ / whole_parts;
    value_id before = samples_before();
    if (part_of_input > 1)
      before = make(by(op::binary_function::div, part_of_input), name_of_count(".part."), one(before));
    if (times_of_input > 1)
      before = make(by(op::binary_function::mul, times_of_input), name_of_count(".times."), one(before));
    op::arange from;
    from.start = at.first;
    from.count = count;
    from.type = dtype::i64;
    pool<value_id> both(1, make(from, name_of_count(".from."), {}));
    both.push_back(before);
    return known(numbers_, {none, count, at}) = make(op::binary{}, name_of_count(".places."), both);
  }
  /// Whether `count` samples have been in the stream, whose first one is number 0: booleans.
  constexpr value_id been(const places& at, int count) {
    value_id& made = known(been_, {none, count, at});
    if (made != none) return made;
    pool<value_id> both(1, numbers_of(at, count));
    both.push_back(make(op::arange{0, 1, 1, dtype::i64}, name_of_count(".zero."), {}));
    const op::compare compared{op::comparison::greater_equal};
    return known(been_, {none, count, at}) = make(compared, name_of_count(".been."), both);
  }
  /// Whether this is not the first run: one boolean.
  constexpr value_id has_begun() { return been({part_, -1}, 1); }

  /// What v, which is no stream, has along its axis `back` for the samples of a part. Places before its first are those
  /// of samples that are dropped; behind its last there is nothing, unless they are counted.
  constexpr value_id at_places(value_id v, int back, const places& at) {
    if (const value_id made = known(placed_, {v, back, at}); made != none) return made;
    const value_id made = taken_at(v, back, at);
    return known(placed_, {v, back, at}) = made;
  }

  /// The axis of a view that is axis `axis` of what it views, with what was before it before it; if there are several,
  /// the one that is as far from the last. none: there is none.
  static constexpr int axis_in_view(const extents& from, const extents& to, int axis) {
    int found = none;
    for (int i = 0; i < to.rank; ++i)
      if (to[i] == from[axis] && to.count(0, i) == from.count(0, axis) &&
          (found == none || axis_of(to, i) == axis_of(from, axis)))
        found = i;
    return found;
  }
  /// The axis of input i, an operator's own, from which the result has its axis `back`; none: it has it from others.
  constexpr int axis_behind(const node& n, std::size_t i, int back) {
    const pool<extents> in = input_shapes(x_.source(), n);
    for (int k = 0; k < in[i].rank; ++k)
      if (n.type->passes(x_.source().fields_of(n.fields), static_cast<int>(i), k, in) == back) return k;
    return none;
  }

 private:
  struct key {
    value_id of;
    int back;
    places at;
  };
  struct entry {
    key is;
    value_id made;
  };
  static constexpr value_id& known(pool<entry>& all, const key& wanted) {
    for (entry& e : all)
      if (e.is.of == wanted.of && e.is.back == wanted.back && e.is.at == wanted.at) return e.made;
    all.push_back({wanted, none});
    return all[all.size() - 1].made;
  }
  constexpr std::string_view name_of_count(std::string_view what) {
    return numbered(x_.name(first_input(), what), names_++);
  }
  constexpr std::string_view first_input() const {
    for (const node& n : x_.source().nodes)
      if (n.type == &type_of<op::input>) return n.name;
    return {};
  }
  static constexpr op::binary by(op::binary_function f, int n) { return {f, static_cast<float>(n)}; }
  /// Samples of the first input before this part.
  constexpr value_id samples_before() {
    if (counted_ != none) return counted_;
    op::input counted{as_list({1}), dtype::i64};
    counted.carried = true;
    const std::string_view name = x_.name(first_input(), ".samples");
    counted_ = make(counted, name, {});
    x_.add_output(name, make(by(op::binary_function::add, part_), x_.name(name, ".next"), one(counted_)));
    return counted_;
  }

  constexpr const node& maker_of(value_id v) const { return x_.source().at(x_.source().at_value(v).producer); }
  /// Is what v has along its axis counted by an arange()?
  constexpr bool is_counted(value_id v, int back) {
    const node& n = maker_of(v);
    if (n.type == &type_of<op::arange>) return true;
    const auto in = x_.source().inputs(n);
    if (in.empty() || n.outputs.count != 1) return false;
    if (n.type->is.view || n.type == &type_of<op::slice>) {
      const int before = axis_before(n, back);
      return before != none && is_counted(in[0], before);
    }
    for (std::size_t i = 0; i < in.size() - static_cast<std::size_t>(count_slots(x_.source().given(n))); ++i)
      if (const int k = axis_behind(n, i, back); k != none && whole(in[i]).back(k) != 1 && is_counted(in[i], k))
        return true;
    return false;
  }
  /// The axis of what a view or a slice reads that is its own axis `back`.
  constexpr int axis_before(const node& n, int back) {
    const value_id v = x_.source().inputs(n)[0];
    const extents &from = whole(v), &to = whole(n.outputs.first);
    if (n.type == &type_of<op::slice>)
      return decode<op::slice>(x_.source().fields_of(n.fields))
                         .over(from)[static_cast<std::size_t>(axis_of(to, back))]
                         .step == 1
                 ? back
                 : none;
    const int axis = axis_in_view(to, from, axis_of(to, back));
    return axis == none ? none : axis_of(from, axis);
  }
  constexpr value_id taken_at(value_id v, int back, const places& at) {
    const node& n = maker_of(v);
    const std::string_view name = numbered(x_.name(called(v), ".at."), static_cast<int>(placed_.size()));
    if (!is_counted(v, back)) return looked_up(v, back, at, name);
    const auto in = x_.source().inputs(n);
    const auto fields = x_.source().fields_of(n.fields);
    if (n.type == &type_of<op::arange>) return counted(decode<op::arange>(fields), at, name);
    if (n.type == &type_of<op::slice>) {
      const auto op = decode<op::slice>(fields);
      const auto axis = static_cast<std::size_t>(axis_of(whole(v), back));
      op::slice::walks w = op.over(whole(in[0]));
      const value_id from = at_places(in[0], back, {at.rate, at.first + w[axis].first});
      w[axis] = {0, at.rate, 1};
      const op::slice rest = op::slice::of(x_.made_shape(from), w);
      return rest.entries() == 0 ? from : make(rest, name, one(from));
    }
    if (n.type->is.view) {
      list<int> shape = as_list(whole(v));
      shape[static_cast<std::size_t>(axis_of(whole(v), back))] = at.rate;
      const value_id from = at_places(in[0], axis_before(n, back), at);
      return make(op::reshape{shape}, name, one(from));
    }
    const std::size_t own = in.size() - static_cast<std::size_t>(count_slots(x_.source().given(n)));
    pool<value_id> read;
    for (std::size_t i = 0; i < in.size(); ++i) {
      const int k = i < own ? axis_behind(n, i, back) : none;
      read.push_back(k != none && whole(in[i]).back(k) != 1 ? at_places(in[i], k, at) : x_.moved(in[i]));
    }
    node named = n;
    named.name = name;
    value_id made = none;
    return x_.try_add(named, read, made) ? looked_up(v, back, at, name) : made;
  }
  /// Numbers that arange() would have there.
  constexpr value_id counted(const op::arange& a, const places& at, std::string_view name) {
    const auto is_whole = [](double d) { return d == static_cast<double>(static_cast<std::int64_t>(d)); };
    const bool whole_numbers = is_whole(a.start) && is_whole(a.step);
    value_id made =
        numbers_of(a.step == 1 && whole_numbers ? places{at.rate, at.first + static_cast<int>(a.start)} : at, at.rate);
    const bool done = a.step == 1 && whole_numbers;
    op::cast as;
    as.to = a.type;
    if (!whole_numbers && a.type != dtype::i64) made = make(as, x_.name(name, ".as"), one(made));
    if (!done) {
      made = make(op::binary{op::binary_function::mul, static_cast<float>(a.step)}, x_.name(name, ".by"), one(made));
      made = make(op::binary{op::binary_function::add, static_cast<float>(a.start)}, x_.name(name, ".from"), one(made));
    }
    return x_.made_value(made).type == a.type ? made : make(as, name, one(made));
  }
  /// Rows of a table.
  constexpr value_id looked_up(value_id v, int back, const places& at, std::string_view name) {
    pool<value_id> read(1, x_.moved(v));
    value_id row = numbers_of(at, at.rate);
    if (at.first < 0) row = make(op::binary{op::binary_function::maximum, 0.0f}, x_.name(name, ".row"), one(row));
    read.push_back(row);
    return make(op::gather{axis_of(whole(v), back)}, name, read);
  }

  pool<entry> numbers_{}, been_{}, placed_{};
  value_id counted_ = none;
  int names_ = 0;
};

}  // namespace ctnn::ir::detail
