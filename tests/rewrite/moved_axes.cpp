// SPDX-License-Identifier: BSL-1.0
// rewrite/moved_axes.hpp: an operator of moved axes makes the moved result, axis by axis of its input.
#include <doctest/doctest.h>

#include <ctnn/rewrite/moved_axes.hpp>

using namespace ctnn;
using namespace ctnn::ir;

namespace {

template <class Op>
constexpr bool moves(const Op& op, const axis_map& m, Op& moved) {
  const field_values f = encode(op);
  field_values now;
  const bool fits = move_axes(&type_of<Op>, span<const double>(f.data(), f.size()), m, now);
  moved = decode<Op>(span<const double>(now.data(), now.size()));
  return fits;
}
/// The result has the shape of the old one with its axes moved.
template <class Op>
constexpr bool makes(const Op& op, const axis_map& m, const extents& wanted) {
  Op moved;
  if (!moves(op, m, moved)) return false;
  extents out[8]{};
  if (moved.infer({&m.after, 1}, {out, 8})) return false;
  return out[0] == wanted;
}
template <class Op>
constexpr bool refuses(const Op& op, const axis_map& m) {
  Op moved;
  return !moves(op, m, moved);
}
template <class Op>
constexpr auto axis_of(const Op& op, const axis_map& m) {
  Op moved;
  return moves(op, m, moved) ? moved.axis : -99;
}

constexpr extents x{3, 4, 5};
constexpr axis_map batched = axis_map::added(x, 2), alone = axis_map::removed({1, 3, 4, 5});
/// (2, 4, 5, 3) is (2, 3, 4, 5) permuted; the operator goes before the permute.
constexpr axis_map nchw = axis_map::unpermuted(list<int>{0, 2, 3, 1}, {2, 3, 4, 5});

static_assert(nchw.before == extents{2, 4, 5, 3} && nchw.after == extents{2, 3, 4, 5});
static_assert(nchw(3) == 1 && nchw(1) == 2 && batched(0) == 1 && alone(0) == axis_map::gone && alone(1) == 0);

static_assert(axis_of(op::softmax{-1}, nchw) == 1 && axis_of(op::softmax{-1}, batched) == 3);
static_assert(axis_of(op::softmax{1}, alone) == 0 && refuses(op::softmax{0}, alone));
static_assert(axis_of(op::concat{0}, batched) == 1 && axis_of(op::concat{3}, alone) == 2);
static_assert(axis_of(op::scale{true, 3}, nchw) == automatic_axis);  // which is 1 there
static_assert(axis_of(op::scale{true, 1}, nchw) == 2 && axis_of(op::prelu{}, batched) == automatic_axis);
static_assert(axis_of(op::bias{1}, alone) == automatic_axis && refuses(op::bias{0}, alone));
static_assert(axis_of(op::layer_norm{1}, batched) == 2 && axis_of(op::rms_norm{-1}, alone) == 2);
static_assert(refuses(op::layer_norm{-1}, nchw) && refuses(op::layer_norm{0}, alone));
static_assert(axis_of(op::group_norm{3}, batched) == automatic_axis && refuses(op::group_norm{3, 1e-5f, 1}, nchw));

constexpr op::linear over(int axes) {
  op::linear fc{7};
  fc.axes = axes;
  return fc;
}
static_assert(makes(over(2), batched, {2, 3, 7}) && makes(over(3), batched, {2, 7}));
static_assert(makes(over(3), alone, {7}) && refuses(over(4), alone) && refuses(over(1), nchw));

static_assert(makes(op::permute{{2, 0, 1}}, batched, {2, 5, 3, 4}));
static_assert(makes(op::permute{{0, 3, 1, 2}}, alone, {5, 3, 4}) && refuses(op::permute{{1, 0, 2, 3}}, alone));
static_assert(refuses(op::permute{{1, 0, 2, 3}}, nchw));

constexpr op::reduce mean_over(std::initializer_list<int> axes, bool keep) {
  op::reduce by;
  by.axes = axes;
  by.keep = keep;
  return by;
}
static_assert(makes(mean_over({1, 2}, true), nchw, {2, 3, 1, 1}) && makes(mean_over({-1}, false), batched, {2, 3, 4}));
static_assert(makes(mean_over({}, true), batched, {2, 1, 1, 1}));  // of each sample
static_assert(makes(mean_over({2}, false), alone, {3, 5}) && refuses(mean_over({}, true), alone));

constexpr op::pad columns{op::pad_mode::constant, {0, 0, 1, 0}, {0, 0, 2, 0}};
static_assert(makes(columns, nchw, {2, 3, 4, 8}) && makes(columns, alone, {3, 7, 5}));
static_assert(makes(op::pad{op::pad_mode::constant, {1, 0, 0}, {0, 0, 0}}, batched, {2, 4, 4, 5}));
static_assert(refuses(op::pad{op::pad_mode::constant, {1, 0, 0, 0}, {0, 0, 0, 0}}, alone));

static_assert(makes(op::slice{{3}, {1}, {3}}, nchw, {2, 2, 4, 5}) &&
              makes(op::slice{{0}, {1}, {3}}, batched, {2, 2, 4, 5}));
static_assert(makes(op::slice{{1}, {0}, {2}}, alone, {2, 4, 5}) && refuses(op::slice{{0}, {0}, {0}}, alone));

// A user's operator on channels, with fields besides.
struct gate {
  static constexpr std::string_view name = "gate";
  static constexpr bool by_channel = true;
  static constexpr traits is = traits_of_channels;
  float sharpness = 1;
  int axis = automatic_axis;
  activation_function activation{};
  static constexpr void fields(auto& self, auto&& field) {
    field("sharpness", self.sharpness);
    field("axis", self.axis);
    field("activation", self.activation);
  }
  constexpr problem infer(inputs in, outputs result) const { return infer_by_channel(name, axis, in[0], result[0]); }
};
constexpr bool keeps_other_fields() {
  gate moved;
  return moves(gate{2.5f, 0, {function::clip, 0, 6}}, batched, moved) && moved.sharpness == 2.5f &&
         moved.activation == activation_function{function::clip, 0, 6} && channel_axis(batched.after, moved.axis) == 1;
}
static_assert(keeps_other_fields());
static_assert(makes(gate{1, 3}, nchw, {2, 3, 4, 5}) && axis_of(gate{1, 3}, alone) == 2 && refuses(gate{1, 0}, alone));

// One whose fields are axes says how they move: a sum over the axes between two of them.
struct span_sum {
  static constexpr std::string_view name = "span_sum";
  int from = 0, to = -1;
  static constexpr void fields(auto& self, auto&& field) {
    field("from", self.from);
    field("to", self.to);
  }
  constexpr problem infer(inputs in, outputs result) const {
    result[0] = in[0];
    for (int a = normal_axis(from, in[0].rank); a <= normal_axis(to, in[0].rank); ++a) result[0][a] = 1;
    return {};
  }
  constexpr bool move_axes(const axis_map& m) {
    const int apart = normal_axis(to, m.before.rank) - normal_axis(from, m.before.rank);
    return move_axis(from, m) && move_axis(to, m) && to - from == apart;
  }
};
static_assert(has_axes(&type_of<span_sum>) && makes(span_sum{1, 2}, batched, {2, 3, 1, 1}));
static_assert(makes(span_sum{1, 2}, nchw, {2, 3, 1, 1}) && refuses(span_sum{2, 3}, nchw));
static_assert(makes(span_sum{1, -1}, alone, {1, 1, 1}) && refuses(span_sum{0, 1}, alone));

static_assert(axis_of(op::topk{2, -1}, nchw) == 1 && axis_of(op::cumsum{0}, batched) == 1);
static_assert(axis_of(op::hardmax{1}, alone) == 0 && makes(op::arg_reduce{true, 3, false}, batched, {2, 3, 4}));

// What has no axes stays as it is.
static_assert(!has_axes(&type_of<op::activation>) && has_axes(&type_of<op::split>) && has_axes(&type_of<gate>));
static_assert(makes(op::activation{{function::relu}}, nchw, {2, 3, 4, 5}));

}  // namespace

TEST_CASE("operators of moved axes are constants (asserted by the compiler)") {}
