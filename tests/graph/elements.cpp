// SPDX-License-Identifier: BSL-1.0
// graph/elements.hpp, and what operators make of the elements that they read and are asked for.
#include <doctest/doctest.h>

#include <ctnn/kernels/operator_code.hpp>

#include "support/builder.hpp"

using namespace ctnn;
using namespace ctnn::ir;
using namespace ctnn::ir::test;

namespace {

constexpr quantization coarse{0.5, 3}, fine{0.25, -1};

constexpr value_id bytes(builder& b, const quantization& q, dtype type = dtype::i8) {
  op::input x{{2, 4, 4}, type};
  x.as = q;
  return b.add(x, "x", {});
}
constexpr element made_by(const builder& b) { return b.g.values[b.g.values.size() - 1].type; }
template <class Op>
constexpr problem refused(builder& b, const Op& op, const element& wanted, std::initializer_list<value_id> in) {
  return add_node(b.g, op, "it", std::span<const value_id>(in.begin(), in.size()), {}, {&wanted, 1});
}

// What moves elements hands on what they stand for.
constexpr bool handed_on() {
  builder b;
  const value_id x = bytes(b, coarse);
  b.reshape("flat", x, {2, 16});
  bool same = made_by(b) == element(dtype::i8, coarse);
  op::pool window;
  window.kernel = by_axis{2};
  b.add(window, "max", {x});
  same = same && made_by(b) == element(dtype::i8, coarse);
  b.concat("joined", {x, x});
  same = same && made_by(b) == element(dtype::i8, coarse);
  b.add(op::binary{op::binary_function::maximum}, "max2", {x, x});
  return same && made_by(b) == element(dtype::i8, coarse);
}
static_assert(handed_on());

// Joined with others they stand for themselves; what a sum of real numbers is to be made of must be said.
constexpr bool not_handed_on() {
  builder b;
  const value_id x = bytes(b, coarse), y = bytes(b, fine);
  b.concat("joined", {x, y});
  bool none = made_by(b) == element(dtype::i8);
  none = none && refused(b, op::binary{}, dtype::i8, {x, x}).kind == mistake::missing_option;
  b.add(op::cast{dtype::i32}, "wide", {x});
  return none && made_by(b) == element(dtype::i32);
}
static_assert(not_handed_on());

// Integers that stand for themselves may be asked to stand for real numbers; those that stand for some already not.
constexpr bool asked() {
  builder b;
  const value_id x = bytes(b, coarse), raw = bytes(b, {}), real = b.input("real", {4});
  const element other(dtype::i8, fine);
  b.add_as(other, op::binary{}, "sum", {x, x});
  bool fits = made_by(b) == other;
  b.add_as(other, op::identity{}, "named", {raw});
  fits = fits && made_by(b) == other;
  b.add_as(other, op::storage_cast{}, "cast", {x});
  fits = fits && made_by(b) == other;
  b.add_as(other, op::quantize{}, "fine", {x});
  fits = fits && made_by(b) == other;
  const problem moved = refused(b, op::reshape{{32}}, other, {x}), of_floats = refused(b, op::softmax{}, other, {real});
  return fits && moved.kind == mistake::no_such_element && moved.what == "reshape" &&
         of_floats.kind == mistake::no_such_element && of_floats.got == extents{static_cast<int>(dtype::f32)} &&
         refused(b, op::quantize{}, {dtype::u8, {0.5, 256}}, {real}).kind == mistake::option_out_of_range &&
         refused(b, op::storage_cast{}, {dtype::u8, coarse}, {x}).kind == mistake::element_type;
}
static_assert(asked());

// Nothing may be read as real numbers of which nobody says which.
constexpr bool unsaid() {
  builder b;
  const value_id raw = bytes(b, {});
  const bool refuses = refused(b, op::dequantize{}, {}, {raw}).what == "of" &&
                       refused(b, op::quantize{}, {dtype::i8, fine}, {raw}).what == "quantize" &&
                       refused(b, op::activation{{function::tanh}}, {dtype::i8, fine}, {raw}).what == "activation";
  say_element(b.g, raw, coarse);
  return refuses && b.g.at_value(raw).type.real == coarse &&
         decode<op::input>(b.g.view().fields_of(b.g.nodes[0].fields)).as == coarse &&
         !refused(b, op::dequantize{}, {}, {raw});
}
static_assert(unsaid());

// Constants' numbers stand for what the constants do.
constexpr bool of_constants() {
  builder b;
  const value_id k = b.add(op::constant{{4}, dtype::u8}, "k", {});
  say_element(b.g, k, coarse);
  b.add_as({dtype::u8, {0.25, 7}}, op::constant{{4}, dtype::u8}, "k2", {});
  return b.g.expressions[0].element == element(dtype::u8, coarse) &&
         b.g.expressions[1].element == element(dtype::u8, {0.25, 7});
}
static_assert(of_constants());

// Options say an element where it does not follow.
constexpr spelled_options spelled(const builder& b) {
  spelled_options out;
  spell_element(b.g.view(), b.g.nodes[b.g.nodes.size() - 1], out);
  return out;
}
constexpr bool spelled_where_needed() {
  builder b;
  const value_id x = bytes(b, coarse);
  b.reshape("flat", x, {32});
  bool right = spelled(b).empty();
  b.add_as({dtype::i8, fine}, op::quantize{}, "fine", {x});
  right = right && spelled(b).size() == 1 && spelled(b)[0].key == "as" && spelled(b)[0].values.size() == 2;
  b.add_as({dtype::u8, {0.25, 0}}, op::quantize{}, "u8", {x});
  right = right && spelled(b).size() == 2 && spelled(b)[0].values.size() == 1 && spelled(b)[1].key == "to";
  b.add(op::quantize{}, "by", {b.input("real", {4}), b.input("scale", {})});
  right = right && spelled(b).empty();
  const element unsigned_bytes = dtype::u8;
  b.add(op::quantize{}, "unsigned", {b.input("real2", {4}), b.input("scale2", {})}, {&unsigned_bytes, 1});
  return right && spelled(b).size() == 1 && spelled(b)[0].key == "to";
}
static_assert(spelled_where_needed());

}  // namespace

TEST_CASE("what integers stand for, at run time") {
  CHECK(handed_on());
  CHECK(not_handed_on());
  CHECK(asked());
  CHECK(unsaid());
  CHECK(of_constants());
  CHECK(spelled_where_needed());
}
