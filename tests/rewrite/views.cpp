// SPDX-License-Identifier: BSL-1.0
// rules/views.hpp: views in a row, and view_writer.hpp against what the steps do to each index.
#include <vector>

#include <ctnn/rewrite/view_writer.hpp>

#include "support/numbers.hpp"
#include "support/rule_cases.hpp"

using namespace ctnn;
using namespace ctnn::ir;
using namespace ctnn::ir::test;

namespace {

using ints = std::initializer_list<int>;

/// Windows of 2 x 2 pixels apart and, behind nothing, together again, as Swin's blocks move them.
constexpr value_id windows(builder& b, value_id x) {
  return b.reshape("apart", b.permute("turn", b.reshape("cut", x, {1, 2, 2, 3, 2, 5}), {0, 1, 3, 2, 4, 5}), {6, 4, 5});
}
constexpr auto apart_and_back = [](builder& b) {
  const value_id rows = b.reshape("rows", windows(b, b.input("x", {1, 4, 6, 5})), {1, 2, 3, 2, 2, 5});
  b.output("", b.relu("relu", b.reshape("back", b.permute("again", rows, {0, 1, 3, 2, 4, 5}), {1, 4, 6, 5})));
};
constexpr auto relu_of_image = [](builder& b) { b.output("", b.relu("relu", b.input("x", {1, 4, 6, 5}))); };

/// MobileViT's pixels to sequences in two permutes: one will do.
constexpr auto unfolded = [](builder& b) {
  const value_id y = b.permute("turn", b.reshape("cut", b.input("x", {1, 6, 4, 4}), {12, 2, 2, 2}), {0, 2, 1, 3});
  const value_id z = b.permute("again", b.reshape("patches", y, {1, 6, 4, 4}), {0, 3, 2, 1});
  b.output("", b.reshape("rows", z, {4, 4, 6}));
};
constexpr auto unfolded_at_once = [](builder& b) {
  const value_id y = b.reshape("patches", b.input("x", {1, 6, 4, 4}), {6, 2, 2, 2, 2});
  b.output("", b.reshape("rows", b.permute("again", y, {2, 4, 1, 3, 0}), {4, 4, 6}));
};

/// Part of a row behind a permute that another layer reads, too.
template <bool Once>
constexpr auto part_of_turned = [](builder& b) {
  const value_id x = b.input("x", {4, 6}), turned = b.permute("turn", x, {1, 0});
  b.output("turned", turned);
  const auto cut = [&](value_id v, int axis) { return b.add(op::slice{{axis}, {1}, {2}}, "cut", {v}); };
  b.output("", Once ? b.flatten("flat", cut(x, 1)) : b.flatten("flat", cut(turned, 0)));
};

/// Two rows of four, of which the second and third quarter are no rows of anything.
constexpr auto over_the_edge = [](builder& b) {
  const value_id x = b.reshape("flat", b.input("x", {3, 4}), {12});
  b.output("", b.reshape("rows", b.add(op::slice{{0}, {2}, {8}}, "cut", {x}), {2, 3}));
};
/// Slices of two axes, whose ends are no neighbours any more.
template <bool Once>
constexpr auto corner = [](builder& b) {
  const value_id x = b.input("x", {3, 3, 10});
  const op::slice rows{{1}, {0}, {2}}, first{{2}, {0}, {1}};
  const op::slice both = op::slice::of({3, 3, 10}, op::slice::walks{{{0, 3, 1}, {0, 2, 1}, {0, 1, 1}}});
  const value_id y = Once ? b.add(both, "first", {x}) : b.add(first, "first", {b.add(rows, "rows", {x})});
  b.output("", b.reshape("flat", y, {3, 2}));
};
constexpr auto repeated_rows = [](builder& b) {
  const value_id x = b.permute("none", b.reshape("more", b.input("x", {2, 3}), {2, 1, 3}), {0, 1, 2});
  b.output("", b.flatten("row", b.add(op::expand{{2, 4, 3}}, "again", {x})));
};
constexpr auto repeated_at_once = [](builder& b) {
  const value_id x = b.reshape("more", b.input("x", {2, 3}), {2, 1, 3});
  b.output("", b.flatten("row", b.add(op::expand{{2, 4, 3}}, "again", {x})));
};

}  // namespace

FIRES("windows apart and together again", (rules::one_view), apart_and_back, relu_of_image)
FIRES("pixels to sequences", (rules::one_view), unfolded, unfolded_at_once)
DECLINES("windows apart", (rules::one_view), ([](builder& b) {
           b.output("", windows(b, b.input("x", {1, 4, 6, 5})));
         }),
         "no fewer layers do both")
FIRES("a part of what others read turned", (rules::one_view), part_of_turned<false>, part_of_turned<true>)
FIRES("slices of two axes", (rules::one_view), corner<false>, corner<true>)
DECLINES("a slice over the end of a row", (rules::one_view), over_the_edge, "its elements are at no regular distances")
FIRES_LOADED("rows repeated behind a permute of nothing", (rules::one_view), repeated_rows, repeated_at_once)

namespace {

using indices = std::vector<std::int64_t>;

/// The indices of y, which a step makes of x, by the step's own definition.
indices made_by(const view_step& s, const extents& x, const indices& of) {
  using enum view_step::kind;
  indices y;
  for (std::int64_t i = 0; i < s.made.count(); ++i) {
    std::int64_t at[max_rank]{}, from[max_rank]{}, left = i;
    for (int a = s.made.rank; a-- > 0; left /= s.made[a]) at[a] = left % s.made[a];
    for (int a = 0; a < x.rank; ++a) {
      if (s.is == slice)
        from[a] = s.taken[static_cast<std::size_t>(a)].first + at[a] * s.taken[static_cast<std::size_t>(a)].step;
      if (s.is == permute) from[s.order[a]] = at[a];
      if (s.is == expand) from[a] = at[a + s.made.rank - x.rank] % x[a];
      if (s.is == channel_shuffle || s.is == pixel_shuffle) from[a] = at[a];
    }
    const int c = x.rank - 3, groups = s.factor[0];
    if (s.is == channel_shuffle) from[c] = at[c] % groups * (x[c] / groups) + at[c] / groups;
    if (s.is == pixel_shuffle) {
      from[c] = (at[c] * s.factor[0] + at[c + 1] % s.factor[0]) * s.factor[1] + at[c + 2] % s.factor[1];
      for (int k = 0; k < 2; ++k) from[c + 1 + k] = at[c + 1 + k] / s.factor[static_cast<std::size_t>(k)];
    }
    std::int64_t place = s.is == reshape ? i : 0;
    for (int a = 0; a < x.rank && s.is != reshape; ++a) place = place * x[a] + from[a];
    y.push_back(of[static_cast<std::size_t>(place)]);
  }
  return y;
}

view_step random_step(dice& d, const extents& x) {
  using enum view_step::kind;
  view_step s{static_cast<view_step::kind>(d.below(6)), x};
  if (s.is == reshape) {
    s.made = {};
    std::int64_t left = x.count();
    for (int i = 0; i < 12 && s.made.rank < 6 && left > 1; ++i)
      if (const int f = 1 + d.below(6); left % f == 0) {
        s.made.push_back(f);
        left /= f;
      }
    if (left > 1 || s.made.rank == 0) s.made.push_back(static_cast<int>(left));
  } else if (s.is == slice) {
    s.taken = op::slice{}.over(x);
    for (int a = 0; a < x.rank; ++a) {
      if (d.one_in(2)) continue;
      const int step = 1 + d.below(2), first = d.below(x[a]), count = 1 + d.below((x[a] - 1 - first) / step + 1);
      const bool back = count > 1 && d.one_in(5);
      s.taken[static_cast<std::size_t>(a)] = {back ? first + (count - 1) * step : first, count,
                                              count == 1 ? 1
                                              : back     ? -step
                                                         : step};
      s.made[a] = count;
    }
  } else if (s.is == permute) {
    for (int i = 0; i < x.rank; ++i) s.order.push_back(i);
    for (int i = x.rank - 1; i > 0; --i) std::swap(s.order[i], s.order[d.below(i + 1)]);
    for (int i = 0; i < x.rank; ++i) s.made[i] = x[s.order[i]];
  } else if (s.is == expand) {
    if (d.one_in(2) && x.rank < 6) s.made = x.with_axis(0, 1 + d.below(2));
    for (int a = 0; a < s.made.rank; ++a)
      if (d.one_in(3)) s.made[a] *= 2;
  } else {
    if (x.rank != 3 && x.rank != 4) return random_step(d, x);
    s.factor = {1 + d.below(3), s.is == channel_shuffle ? 1 : 1 + d.below(2)};
    if (x.back(2) % (s.factor[0] * s.factor[1]) != 0) return random_step(d, x);
    if (s.is == channel_shuffle) return s;
    s.made.back(2) /= s.factor[0] * s.factor[1];
    s.made.back(1) *= s.factor[0];
    s.made.back(0) *= s.factor[1];
  }
  return s;
}

}  // namespace

TEST_CASE("views in a row are their map, and the layers that are written for it") {
  int regular = 0, written = 0, fewer = 0;
  for (std::uint64_t seed = 0; seed < 20000; ++seed) {
    CAPTURE(seed);
    dice d(seed);
    extents x, y;
    for (int rank = 1 + d.below(4); rank > 0; --rank) x.push_back(1 + d.below(6));
    index_map map(x);
    indices want;
    for (std::int64_t i = 0; i < x.count(); ++i) want.push_back(i);
    const indices source = want;
    y = x;
    bool is_map = true;
    const int most = 1 + d.below(5);
    for (int i = 0; i < most && is_map; ++i) {
      const view_step s = random_step(d, y);
      if (s.made.count() > 3000) break;
      want = made_by(s, y, want);
      y = s.made;
      is_map = s.apply(map);
    }
    if (!is_map) continue;
    ++regular;
    REQUIRE(map.shape() == y);
    for (std::size_t i = 0; i < want.size(); ++i) {
      std::int64_t place = map.first(), left = static_cast<std::int64_t>(i);
      for (std::size_t k = map.in_digits().size(); k-- > 0; left /= map.in_digits()[k].count)
        place += left % map.in_digits()[k].count * map.in_digits()[k].step;
      REQUIRE(place == want[i]);
    }
    view_writer writer(x);
    if (!writer.write(map)) continue;
    ++written;
    fewer += static_cast<int>(writer.steps().size()) < most;
    indices got = source;
    extents now = x;
    for (const view_step& s : writer.steps()) {
      extents made;
      problem wrong;
      s.visit(now, [&](const auto& op) { wrong = op.infer({&now, 1}, {&made, 1}); });
      REQUIRE(!wrong);
      REQUIRE(made == s.made);
      got = made_by(s, now, got);
      now = s.made;
    }
    REQUIRE(now == y);
    REQUIRE(got == want);
  }
  MESSAGE(regular << " of 20000 are maps, " << written << " are written, " << fewer << " in fewer layers");
  CHECK(regular > 18000);
  CHECK(written > 17000);
}
