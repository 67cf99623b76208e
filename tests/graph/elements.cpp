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

// lstm of bytes: y as it is asked for, h and c as their states are, or else as y and with four digits.
constexpr quantization cells{1.0 / 2048, 0};
constexpr op::lstm lstm_of_bytes() {
  op::lstm p;
  p.hidden = 3;
  p.weight.type = dtype::i8;
  return p;
}
struct steps {
  element x{dtype::i8, coarse}, h{dtype::i8, coarse}, c{dtype::i16, cells};
  pool<element> wanted{1, {dtype::i8, fine, rounding::twice}};
  bool states = true;

  constexpr problem add(builder& b, const op::lstm& p = lstm_of_bytes()) const {
    const value_id in[] = {input(b, "x", {4, 2, 5}, x), input(b, "h", {1, 2, 3}, h), input(b, "c", {1, 2, 3}, c)};
    return add_node(b.g, p, "it", {in, states ? 3u : 1u}, {}, {wanted.data(), wanted.size()});
  }
  constexpr problem refused(const op::lstm& p = lstm_of_bytes()) const {
    builder b;
    return add(b, p);
  }
  static constexpr value_id input(builder& b, std::string_view name, const extents& shape, const element& of) {
    const value_id v = b.add(op::input{as_list(shape), of.type}, name, {});
    b.g.at_value(v).type = of;
    return v;
  }
};
constexpr bool makes(const steps& s, const quantization& h, const quantization& c) {
  builder b;
  if (s.add(b)) return false;
  const graph_view g = b.g.view();
  const pool<element> made = output_elements(g, g.nodes.back());
  const auto weights = g.weights(g.nodes.back());
  return made[0] == element(dtype::i8, fine, rounding::twice) && made[1] == element(dtype::i8, h, rounding::twice) &&
         made[2] == element(dtype::i16, c, rounding::twice) && weights.size() == 5 &&
         g.at_expression(weights[2]).element == dtype::i32 && g.at_expression(weights[4]).shape == extents{4};
}
constexpr quantization seven_digits{1.0 / 256, 0}, six_digits{1.0 / 512, 0}, no_digits{1.0 / 32768, 0};
static_assert(makes({}, coarse, cells) && makes({.states = false}, fine, cells));
static_assert(makes({.c = {dtype::i16, six_digits}}, coarse, six_digits));
static_assert(makes({.c = {dtype::i16, no_digits}}, coarse, no_digits));

constexpr bool says(const problem& p, mistake kind, std::string_view what) { return p.kind == kind && p.what == what; }
template <class Change>
constexpr bool refuses(Change change, std::string_view what) {
  op::lstm p = lstm_of_bytes();
  change(p);
  return says(steps{.states = !p.lengths}.refused(p), mistake::option_out_of_range, what);
}
static_assert(refuses([](op::lstm& p) { p.bias = false; }, "bias"));
static_assert(refuses([](op::lstm& p) { p.clip = 1; }, "clip"));
static_assert(refuses([](op::lstm& p) { p.peepholes = true; }, "peepholes"));
static_assert(refuses([](op::lstm& p) { p.input_forget = true; }, "input_forget"));
static_assert(refuses([](op::lstm& p) { p.direction = op::direction::reverse; }, "direction"));
static_assert(refuses(
    [](op::lstm& p) {
      for (const function f : {function::sigmoid, function::tanh, function::relu}) p.functions.push_back(f);
    },
    "functions"));
constexpr bool refuses_elements() {
  using enum mistake;
  op::lstm unsigned_weight = lstm_of_bytes(), of_floats = lstm_of_bytes(), with_lengths = lstm_of_bytes();
  unsigned_weight.weight.type = dtype::u8;
  of_floats.weight.type = dtype::f32;
  with_lengths.lengths = true;
  builder b;
  const value_id in[] = {steps::input(b, "x", {4, 2, 5}, {dtype::i8, coarse}), b.input("steps", {2})};
  const element y(dtype::i8, fine, rounding::twice), unsigned_y(dtype::u8, fine, rounding::twice);
  const element once(dtype::i8, fine), away(dtype::i8, {0.5, 0}, rounding::away), raw = dtype::i8;
  const element of_real_c(dtype::f32), wide_c(dtype::i16, seven_digits), shifted_c(dtype::i16, {1.0 / 2048, 1});
  const element other_h(dtype::i8, fine, rounding::twice);
  return says(add_node(b.g, with_lengths, "it", in, {}, {&y, 1}), option_out_of_range, "lengths") &&
         says(steps{}.refused(unsigned_weight), element_type, "weight") &&
         says(steps{}.refused(of_floats), element_type, "weight") &&
         says(steps{.x = dtype::f32}.refused(), element_type, "input") &&
         says(steps{.x = {dtype::u8, coarse}}.refused(), element_type, "input") &&
         says(steps{.x = raw}.refused(), option_out_of_range, "of") &&
         says(steps{.x = away}.refused(), option_out_of_range, "rounded") &&
         says(steps{.wanted = {}}.refused(), missing_option, "as") &&
         says(steps{.wanted = {1, unsigned_y}}.refused(), element_type, "result") &&
         says(steps{.wanted = {1, once}}.refused(), option_out_of_range, "rounded") &&
         says(steps{.h = raw}.refused(), option_out_of_range, "h") &&
         says(steps{.h = {dtype::u8, coarse}}.refused(), element_type, "h") &&
         says(steps{.wanted = {2, other_h}}.refused(), option_out_of_range, "a state's scale") &&
         says(steps{.c = of_real_c}.refused(), element_type, "c") &&
         says(steps{.c = raw}.refused(), element_type, "c") &&
         says(steps{.c = wide_c}.refused(), option_out_of_range, "c's scale") &&
         says(steps{.c = shifted_c}.refused(), option_out_of_range, "c's scale");
}
static_assert(refuses_elements());

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
  CHECK(makes({}, coarse, cells));
  CHECK(refuses_elements());
  CHECK(spelled_where_needed());
}
