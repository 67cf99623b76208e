// SPDX-License-Identifier: BSL-1.0
// Values that have channels in common, followed from one of them through all that makes, keeps, adds, joins and cuts
// them to the layers that read them. A channel has a number, which is the same wherever the channel stands.
#pragma once

#include "affine.hpp"

namespace ctnn::rules {

/// What an operator does with channels.
enum class channel_role {
  other,     ///< something else with all of them
  makes,     ///< one from all that it reads, by a row of its weight; with a residual it adds that one's, too
  keeps,     ///< each from itself
  combines,  ///< each from the same one of several values
  joins,     ///< concat along them
  cuts,      ///< split or slice along them
  holds,     ///< a constant
};

class channel_walk {
 public:
  using windows = find::any_of_all<find::convolutions, find::transposed_convolutions>;
  using makers = find::any_of_all<windows, find::any_of<op::linear>>;

  /// A value with channels along `axis`.
  struct place {
    value_id value;
    int axis;
    pool<int> channels;  ///< their numbers
  };
  /// A layer whose weight has a column for each channel of a place.
  struct reader {
    node_id node;
    int place;
    int columns;  ///< axis of its weight
  };
  pool<place> places;
  pool<reader> readers;
  reason wrong{};    ///< why some channels stay
  bool fits = true;  ///< does every operator see its channels along one axis?

  /// All that has channels in common with what `first` reads, or nothing if it reads no channels.
  constexpr channel_walk(const rewriter& r, node_id first) : r_(r) {
    int columns = 0;
    if (const int axis = read_axis(first, columns); axis != none) follow(r.input(first), axis);
  }
  /// All that has channels in common with a value.
  constexpr channel_walk(const rewriter& r, value_id v, int axis) : r_(r) { follow(v, axis); }

  /// The place of a value, or none.
  constexpr int place_of(value_id v) const {
    for (std::size_t i = 0; i < places.size(); ++i)
      if (places[i].value == v) return static_cast<int>(i);
    return none;
  }
  /// How many numbers of channels there are, and the one that channel i of a place goes by.
  constexpr int count() const { return static_cast<int>(same_.size()); }
  constexpr int number(const place& p, std::size_t i) const { return root(p.channels[i]); }
  /// Must a channel stay because somebody uses it whom the walk does not follow?
  constexpr bool stays(int channel) const { return stay_[static_cast<std::size_t>(channel)]; }

  /// What node n does with channels along `axis` of what it makes.
  constexpr channel_role role_of(node_id n, int axis) const {
    using enum channel_role;
    if (r_.is<op::constant>(n)) return unless_followed(n) ? other : holds;
    if (r_.at(n).inputs.count == 0 || unless_followed(n)) return other;
    const extents &x = r_.shape(r_.input(n)), &y = r_.shape(r_.output(n));
    if (makers::visits(r_, n) && !is_depthwise(n)) return is_in_groups(n) || axis != output_axis(r_, n) ? other : makes;
    if (is_depthwise(n)) return axis == output_axis(r_, n) ? keeps : other;
    if (r_.is<op::eltwise>(n) || (r_.is<op::binary>(n) && r_.inputs_count(n) == 2)) return combines;
    if (r_.is<op::concat>(n)) return normal_axis(r_.get<op::concat>(n).axis, y.rank) == axis ? joins : combines;
    if (r_.is<op::split>(n)) return normal_axis(r_.get<op::split>(n).axis, y.rank) == axis ? cuts : keeps;
    if (r_.is<op::slice>(n)) {
      const op::slice::walk taken = r_.get<op::slice>(n).over(x)[static_cast<std::size_t>(axis)];
      return taken.takes_all(x[axis]) ? keeps : taken.step == 1 ? cuts : other;
    }
    if (r_.inputs_count(n) != 1) return other;
    bool does = r_.is<op::activation>(n) || r_.is<op::binary>(n) || r_.is<op::quantize>(n) || r_.is<op::dequantize>(n);
    if (r_.is<op::pool>(n)) does = axis == x.rank - 1 - r_.get<op::pool>(n).axes && !r_.get<op::pool>(n).indices;
    if (r_.is<op::adaptive_pool>(n)) does = axis == x.rank - 1 - r_.get<op::adaptive_pool>(n).axes;
    if (r_.is<op::prelu>(n)) does = channel_axis(x, r_.get<op::prelu>(n).axis) == axis;
    if (r_.is<op::bias>(n)) does = channel_axis(x, r_.get<op::bias>(n).axis) == axis;
    if (r_.is<op::scale>(n)) does = channel_axis(x, r_.get<op::scale>(n).axis) == axis;
    return does ? keeps : other;
  }
  /// Which channel of the whole is the first one of what node n cuts out as output i.
  constexpr int first_cut(node_id n, int i, int axis) const {
    if (r_.is<op::slice>(n))
      return r_.get<op::slice>(n).over(r_.shape(r_.input(n)))[static_cast<std::size_t>(axis)].first;
    int first = 0;
    for (int k = 0; k < i; ++k) first += r_.shape(r_.output(n, k))[axis];
    return first;
  }
  constexpr bool is_depthwise(node_id n) const {
    bool is = false;
    windows::visit(r_, n, [&](const auto& c) {
      is = c.groups > 1 && ir::is_depthwise(c, c.channels_of(r_.shape(r_.input(n)))) && c.out == c.groups;
    });
    return is;
  }

 private:
  constexpr void follow(value_id first, int axis) {
    add(first, axis);
    for (std::size_t i = 0; i < places.size(); ++i) {  // which grow
      const value_id v = places[i].value;
      if (r_.is_output(v)) keep(static_cast<int>(i), {"it is a network output", r_.name(r_.producer(v))});
      relate(r_.producer(v));
      r_.refused_reader(v, [&](node_id n) {
        relate(n);
        return reason{};
      });
    }
  }
  constexpr bool is_in_groups(node_id n) const {
    bool is = false;
    windows::visit(r_, n, [&](const auto& c) { is = c.groups != 1; });
    return is;
  }
  /// Why nobody can tell what node n does with channels.
  constexpr reason unless_followed(node_id n) const {
    if (r_.given(n) != 0) return {"its weights are not known before it runs", r_.name(n)};
    if (r_.has_packed_weight(n)) return {"its weight is packed", r_.name(n)};
    for (int i = 0; i < r_.at(n).inputs.count; ++i)
      if (const element& e = r_.type(r_.input(n, i)); e != dtype::f32 && !is_byte(e))
        return {"it computes neither floats nor bytes", r_.name(n)};
    if (const element& e = r_.type(r_.output(n)); e != dtype::f32 && !is_byte(e))
      return {"it computes neither floats nor bytes", r_.name(n)};
    return {};
  }
  /// The axis of what layer n reads that has a column of its weight for each index, and that of the weight; or none.
  constexpr int read_axis(node_id n, int& columns) const {
    if (!makers::visits(r_, n) || is_depthwise(n) || is_in_groups(n) || unless_followed(n)) return none;
    int axis = r_.shape(r_.input(n)).rank - 1;
    columns = 1;
    makers::visit(r_, n, [&]<class Layer>(const Layer& layer) {
      if constexpr (std::is_same_v<Layer, op::linear>) {
        axis -= layer.axes - 1;
        if (layer.transposed) columns = 0;
      } else {
        axis -= static_cast<int>(layer.kernel.size());
        if constexpr (is_transposed<Layer>) columns = 0;
      }
    });
    return axis;
  }

  constexpr int root(int channel) const {
    while (same_[static_cast<std::size_t>(channel)] != channel) channel = same_[static_cast<std::size_t>(channel)];
    return channel;
  }
  constexpr void make_one(int a, int b) {
    a = root(a);
    b = root(b);
    if (a == b) return;
    same_[static_cast<std::size_t>(b)] = a;
    stay_[static_cast<std::size_t>(a)] = stay_[static_cast<std::size_t>(a)] || stay_[static_cast<std::size_t>(b)];
  }
  /// A value with new channels.
  constexpr int add(value_id v, int axis) {
    place p{v, axis, {}};
    for (int i = 0; i < r_.shape(v)[axis]; ++i) {
      p.channels.push_back(count());
      same_.push_back(count());
      stay_.push_back(false);
    }
    places.push_back(static_cast<place&&>(p));
    return static_cast<int>(places.size()) - 1;
  }
  /// All channels of a place stay.
  constexpr void keep(int at, const reason& why) {
    if (at == none) return;
    for (const int c : places[static_cast<std::size_t>(at)].channels) stay_[static_cast<std::size_t>(root(c))] = true;
    if (!wrong) wrong = why;
  }
  constexpr void keep_all(node_id n, const reason& why) {
    for (int i = 0; i < r_.at(n).inputs.count; ++i) keep(place_of(r_.input(n, i)), why);
    for (int k = 0; k < r_.at(n).outputs.count; ++k) keep(place_of(r_.output(n, k)), why);
  }
  /// Channels of `part` are those of `whole` from `first` on, if either is followed.
  constexpr void tie(value_id whole, int whole_axis, int first, value_id part, int part_axis, node_id n) {
    int w = place_of(whole), p = place_of(part);
    if (w == none && p == none) return;
    if (w == none) w = add(whole, whole_axis);
    if (p == none) p = add(part, part_axis);
    const place &of = places[static_cast<std::size_t>(w)], &is = places[static_cast<std::size_t>(p)];
    const bool part_of_it = first + static_cast<int>(is.channels.size()) <= static_cast<int>(of.channels.size());
    if (of.axis != whole_axis || is.axis != part_axis || !part_of_it) {
      fits = false;
      return keep(w, as_they_are(n));
    }
    for (std::size_t i = 0; i < is.channels.size(); ++i)
      make_one(of.channels[static_cast<std::size_t>(first) + i], is.channels[i]);
  }
  constexpr reason as_they_are(node_id n) const { return {"another layer reads the channels as they are", r_.name(n)}; }

  /// Follows channels from any value that node n reads or makes to the others.
  constexpr void relate(node_id n) {
    // The axis of channels in what n makes, from the first value that is followed. What a layer reads are others.
    int made = none;
    const value_id y = r_.output(n);
    const bool has_rows = makers::visits(r_, n) && !is_depthwise(n);
    for (int k = 0; k < r_.at(n).outputs.count && made == none; ++k)
      if (const int at = place_of(r_.output(n, k)); at != none) made = places[static_cast<std::size_t>(at)].axis;
    for (int i = has_rows ? 1 : 0; i < r_.at(n).inputs.count && made == none; ++i) {
      const int at = place_of(r_.input(n, i));
      if (at == none) continue;
      const int longer = broadcasts(n) ? r_.shape(y).rank - r_.shape(r_.input(n, i)).rank : 0;
      made = places[static_cast<std::size_t>(at)].axis + longer;
    }
    if (has_rows) read_by(n);
    if (made == none) return;
    const channel_role role = made < r_.shape(y).rank ? role_of(n, made) : channel_role::other;
    switch (role) {
      case channel_role::other: {
        reason why = unless_followed(n);
        if (!why && has_rows && is_in_groups(n)) why = {"its channels are in groups", r_.name(n)};
        if (!why && r_.is<op::input>(n)) why = {"it is a network input", r_.name(n)};
        return keep_all(n, why ? why : as_they_are(n));
      }
      case channel_role::holds: return;
      case channel_role::makes:
        if (r_.inputs_count(n) == 2) tie(y, made, 0, r_.input(n, 1), made, n);
        return;
      case channel_role::keeps:
        for (int i = 0; i < r_.at(n).inputs.count; ++i)
          for (int k = 0; k < r_.at(n).outputs.count; ++k) tie(r_.input(n, i), made, 0, r_.output(n, k), made, n);
        return;
      case channel_role::combines:
        for (int i = 0; i < r_.at(n).inputs.count; ++i) tie_operand(n, i, made);
        return;
      case channel_role::joins:
        for (int i = 0, first = 0; i < r_.at(n).inputs.count; ++i) {
          tie(y, made, first, r_.input(n, i), made, n);
          first += r_.shape(r_.input(n, i))[made];
        }
        return;
      case channel_role::cuts:
        for (int k = 0; k < r_.at(n).outputs.count; ++k)
          tie(r_.input(n), made, first_cut(n, k, made), r_.output(n, k), made, n);
    }
  }
  constexpr bool broadcasts(node_id n) const { return r_.is<op::binary>(n); }
  /// Operand i of a function of several values, which may be broadcast.
  constexpr void tie_operand(node_id n, int i, int made) {
    const value_id x = r_.input(n, i), y = r_.output(n);
    const int axis = made - (r_.shape(y).rank - r_.shape(x).rank);
    if (axis < 0 || r_.shape(x)[axis] != r_.shape(y)[made]) return keep(place_of(x), as_they_are(n));
    tie(y, made, 0, x, axis, n);
  }
  /// A layer that reads channels which are followed.
  constexpr void read_by(node_id n) {
    const int at = place_of(r_.input(n));
    if (at == none) return;
    int columns = 0;
    if (read_axis(n, columns) != places[static_cast<std::size_t>(at)].axis) {
      const reason why = unless_followed(n);
      return keep(at, why ? why : as_they_are(n));
    }
    for (const reader& known : readers)
      if (known.node == n) return;
    readers.push_back({n, at, columns});
  }

  const rewriter& r_;
  pool<int> same_;   ///< by number of a channel: another one that is the same
  pool<bool> stay_;  ///< by number of a channel that goes by itself
};

}  // namespace ctnn::rules
