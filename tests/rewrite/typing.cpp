// SPDX-License-Identifier: BSL-1.0
// rules/typing.hpp: conversions between element types that need not be there.

#include "support/rule_cases.hpp"

using namespace ctnn;
using namespace ctnn::ir;
using namespace ctnn::ir::test;

namespace {

constexpr value_id given(builder& b, dtype type, std::string_view name = "x") {
  return b.add(op::input{{3, 8}, type}, name, {});
}
template <dtype From, dtype To>
constexpr auto cast_once = [](builder& b) { b.output("", b.add(op::cast{To}, "it", {given(b, From)})); };
template <dtype From, dtype Between, dtype To, bool OfResult = false>
constexpr auto cast_twice = [](builder& b) {
  b.output("", b.add(op::cast{To}, "it", {b.add(op::cast{Between, OfResult}, "first", {given(b, From)})}));
};
template <dtype Type>
constexpr auto nothing = [](builder& b) { b.output("", given(b, Type)); };

/// dequantize > quantize with the same scale or another, of equal or other types, per row or not.
enum class pair_of { same, other_scale, other_type, other_axis, same_zero, other_zero, zero_once };
template <pair_of P>
constexpr auto there_and_back = [](builder& b) {
  const bool rows = P == pair_of::other_axis;
  const value_id q = b.add(op::input{{3, 3}, dtype::i8}, "x", {}),
                 s = rows ? b.input("scale", {3}) : b.input("scale", {});
  const value_id t = P == pair_of::other_scale ? b.input("scale2", {}) : s;
  // Zero points: the same one, another one, or one on the way there only.
  const value_id zero = b.add(op::input{{}, dtype::i8}, "zero", {}),
                 zero2 = b.add(op::input{{}, dtype::i8}, "zero2", {});
  const bool from_zero = P == pair_of::same_zero || P == pair_of::other_zero || P == pair_of::zero_once;
  const bool to_zero = from_zero && P != pair_of::zero_once;
  const op::quantize back{{P == pair_of::other_axis ? 1 : 0, 0}};
  const element made = P == pair_of::other_type ? dtype::u8 : dtype::i8;
  const value_id real =
      from_zero ? b.add(op::dequantize{{0, 0}}, "real", {q, s, zero}) : b.add(op::dequantize{{0, 0}}, "real", {q, s});
  b.output("real", real);
  b.output("", to_zero ? b.add_as(made, back, "it", {real, t, P == pair_of::same_zero ? zero : zero2})
                       : b.add_as(made, back, "it", {real, t}));
};
template <bool Zero>
constexpr auto only_there = [](builder& b) {
  const value_id q = b.add(op::input{{3, 3}, dtype::i8}, "x", {}), s = b.input("scale", {});
  const value_id zero = b.add(op::input{{}, dtype::i8}, "zero", {});
  b.add(op::input{{}, dtype::i8}, "zero2", {});
  b.output("real",
           Zero ? b.add(op::dequantize{{0, 0}}, "real", {q, s, zero}) : b.add(op::dequantize{{0, 0}}, "real", {q, s}));
  b.output("", q);
};

template <function F, dtype To, bool Zero, numbers_are Scale = numbers_are::positive>
constexpr auto quantized = [](builder& b) {
  const value_id x = given(b, dtype::f32), s = b.constant("scale", {}, Scale),
                 zero = b.add(op::input{{}, To}, "zero", {});
  const value_id y = F == function::none ? x : b.apply("relu", x, F);
  b.output("", Zero ? b.add_as(To, op::quantize{{1, 0}}, "it", {y, s, zero})
                    : b.add_as(To, op::quantize{{1, 0}}, "it", {y, s}));
  b.output("zero", zero);
};

}  // namespace

FIRES_LOADED("cast to the same type", (rules::cast_same), (cast_once<dtype::i64, dtype::i64>), nothing<dtype::i64>)
DECLINES_LOADED("cast to another type", (rules::cast_same), (cast_once<dtype::f32, dtype::i64>), "it changes the type")

FIRES_LOADED("i8 to i64 to f32", (rules::cast_chain), (cast_twice<dtype::i8, dtype::i64, dtype::f32>),
             (cast_once<dtype::i8, dtype::f32>))
FIRES_LOADED("f16 to f32 to f16", (rules::cast_chain), (cast_twice<dtype::f16, dtype::f32, dtype::f16>),
             (cast_once<dtype::f16, dtype::f16>))
FIRES_LOADED("bool to f32 to i32", (rules::cast_chain), (cast_twice<dtype::boolean, dtype::f32, dtype::i32>),
             (cast_once<dtype::boolean, dtype::i32>))
FIRES_LOADED("i32 to i64 to u8", (rules::cast_chain), (cast_twice<dtype::i32, dtype::i64, dtype::u8>),
             (cast_once<dtype::i32, dtype::u8>))
DECLINES_LOADED("f32 to f16 to f32 rounds", (rules::cast_chain), (cast_twice<dtype::f32, dtype::f16, dtype::f32>),
                "the first one loses something")
DECLINES_LOADED("i32 to f32 to i64 rounds", (rules::cast_chain), (cast_twice<dtype::i32, dtype::f32, dtype::i64>),
                "the first one loses something")
DECLINES_LOADED("i32 to u64 to f32 wraps", (rules::cast_chain), (cast_twice<dtype::i32, dtype::u64, dtype::f32>),
                "the first one loses something")
DECLINES_LOADED("i32 to f64 to u32 saturates", (rules::cast_chain), (cast_twice<dtype::i32, dtype::f64, dtype::u32>),
                "it saturates, one cast would not")

FIRES_LOADED("f32 to f16 to f32", (rules::rounding_between), (cast_twice<dtype::f32, dtype::f16, dtype::f32, true>),
             nothing<dtype::f32>)
FIRES_LOADED("f32 to bf16 to f32", (rules::rounding_between), (cast_twice<dtype::f32, dtype::bf16, dtype::f32, true>),
             nothing<dtype::f32>)
DECLINES_LOADED("a file's casts to f16 and back", (rules::rounding_between),
                (cast_twice<dtype::f32, dtype::f16, dtype::f32>), "the file asks for the rounding")
DECLINES_LOADED("f32 to i32 to f32 cuts off", (rules::rounding_between),
                (cast_twice<dtype::f32, dtype::i32, dtype::f32>), "what is between is no half precision")
DECLINES_LOADED("f64 to f16 to f32", (rules::rounding_between), (cast_twice<dtype::f64, dtype::f16, dtype::f32>),
                "it comes from another type than f32")
DECLINES_LOADED("f32 to f16 to f64", (rules::rounding_between), (cast_twice<dtype::f32, dtype::f16, dtype::f64>),
                "it goes to another type than f32")

FIRES_LOADED("dequantize > quantize", (rules::requantize_same), there_and_back<pair_of::same>, only_there<false>)
FIRES_LOADED("dequantize > quantize with one zero point", (rules::requantize_same), there_and_back<pair_of::same_zero>,
             only_there<true>)
DECLINES_LOADED("dequantize > quantize with another zero point", (rules::requantize_same),
                there_and_back<pair_of::other_zero>, "scale and zero point are other values")
DECLINES_LOADED("dequantize with a zero point > quantize without", (rules::requantize_same),
                there_and_back<pair_of::zero_once>, "scale and zero point are other values")
DECLINES_LOADED("dequantize > quantize of another scale", (rules::requantize_same),
                there_and_back<pair_of::other_scale>, "scale and zero point are other values")
DECLINES_LOADED("dequantize > quantize to another type", (rules::requantize_same), there_and_back<pair_of::other_type>,
                "the types differ")
DECLINES_LOADED("dequantize rows > quantize columns", (rules::requantize_same), there_and_back<pair_of::other_axis>,
                "the axes differ")

FIRES_LOADED("relu > quantize", (rules::relu_before_quantize), (quantized<function::relu, dtype::u8, false>),
             (quantized<function::none, dtype::u8, false>))
DECLINES_LOADED("relu > quantize to i8", (rules::relu_before_quantize), (quantized<function::relu, dtype::i8, false>),
                "its integers may be negative")
DECLINES_LOADED("relu > quantize with a zero point", (rules::relu_before_quantize),
                (quantized<function::relu, dtype::u8, true>), "it has a zero point, so 0 is not the lowest number")
DECLINES_LOADED("relu > quantize by what may be negative", (rules::relu_before_quantize),
                (quantized<function::relu, dtype::u8, false, numbers_are::invertible>), "its scale may be negative")
DECLINES_LOADED("elu > quantize", (rules::relu_before_quantize), (quantized<function::elu, dtype::u8, false>),
                "its input is not a relu")

TEST_CASE("what holds what") {
  CHECK(rules::holds(dtype::f32, dtype::bf16));
  CHECK(rules::holds(dtype::f32, dtype::u16));
  CHECK(rules::holds(dtype::i16, dtype::u8));
  CHECK(!rules::holds(dtype::f16, dtype::bf16));
  CHECK(!rules::holds(dtype::bf16, dtype::i16));
  CHECK(!rules::holds(dtype::u16, dtype::i8));
  CHECK(!rules::holds(dtype::i8, dtype::u8));
  CHECK(!rules::holds(dtype::f64, dtype::i64));
  CHECK(!rules::holds(dtype::boolean, dtype::u8));
}

TEST_CASE("two pairs of quantize and dequantize become one") {
  builder b;
  const value_id x = b.input("x", {3, 8}), s = b.input("scale", {});
  const value_id q = b.add(op::quantize{{1, 0}}, "q", {x, s}), d = b.add(op::dequantize{{1, 0}}, "d", {q, s});
  const value_id again = b.add(op::quantize{{1, 0}}, "q2", {d, s});
  b.output("", b.add(op::dequantize{{1, 0}}, "d2", {again, s}));
  const optimization o = optimize(static_cast<ir::graph&&>(b.g), default_rule_records());
  CHECK(o.g.nodes.size() == 4);
}

namespace {
/// quantize whose scale is what another layer makes.
template <bool Relu>
constexpr auto scale_is_made = [](builder& b) {
  const value_id x = b.add(op::input{{3, 3}, dtype::f32}, "x", {});
  op::input bytes{{}, dtype::i8};
  bytes.as = {0.5, 0};
  const value_id s = Relu ? b.relu("made", b.input("s", {})) : b.add(op::dequantize{}, "made", {b.add(bytes, "s", {})});
  b.output("", b.add_as(Relu ? dtype::u8 : dtype::i8, op::quantize{{0, 0}}, "it", {x, s}));
};
/// dequantize > quantize with scales of another shape or along another axis, or a zero point on the way back only.
template <int Scales, int Axis, int Back, bool Zero>
constexpr auto round_trip = [](builder& b) {
  const value_id q = b.add(op::input{{3, 3}, dtype::i8}, "x", {}), s = b.input("scale", {Scales}),
                 zero = b.add(op::input{{Scales}, dtype::i8}, "zero", {});
  const value_id real = b.add(op::dequantize{{Axis, 0}}, "real", {q, s});
  const op::quantize back{{Back, 0}};
  b.output("", Zero ? b.add_as(dtype::i8, back, "it", {real, s, zero}) : b.add_as(dtype::i8, back, "it", {real, s}));
};
template <int Scales>
constexpr auto no_trip = [](builder& b) {
  const value_id q = b.add(op::input{{3, 3}, dtype::i8}, "x", {});
  b.input("scale", {Scales});
  b.add(op::input{{Scales}, dtype::i8}, "zero", {});
  b.output("", q);
};
constexpr auto half_trip = [](builder& b) {
  const value_id q = b.add(op::input{{3, 3}, dtype::i8}, "x", {}), s = b.add(op::input{{1}, dtype::f16}, "scale", {});
  const value_id real = b.add(op::dequantize{{1, 0}}, "real", {q, s});
  b.output("", b.add_as(dtype::i8, op::quantize{{1, 0}}, "it", {real, s}));
};
constexpr auto from_five = [](builder& b) {
  const element made(dtype::u8, {0.5, 5});
  b.output("", b.add_as(made, op::quantize{}, "it", {b.relu("relu", given(b, dtype::f32))}));
};
}  // namespace
FIRES_LOADED("f16 to f32 to i8", (rules::cast_chain), (cast_twice<dtype::f16, dtype::f32, dtype::i8>),
             (cast_once<dtype::f16, dtype::i8>))
FIRES_LOADED("i16 to f32 to f16", (rules::cast_chain), (cast_twice<dtype::i16, dtype::f32, dtype::f16>),
             (cast_once<dtype::i16, dtype::f16>))
FIRES_LOADED("i16 to f32 to bool", (rules::cast_chain), (cast_twice<dtype::i16, dtype::f32, dtype::boolean>),
             (cast_once<dtype::i16, dtype::boolean>))
DECLINES_LOADED("i8 to bool to i8", (rules::cast_chain), (cast_twice<dtype::i8, dtype::boolean, dtype::i8>),
                "the first one loses something")
DECLINES_LOADED("dequantize makes a scale", (rules::requantize_same), scale_is_made<false>, "what it makes is a scale")
DECLINES_LOADED("relu makes a scale", (rules::relu_before_quantize), scale_is_made<true>, "what it makes is a scale")
FIRES_LOADED("one scale, whatever its axis", (rules::requantize_same), (round_trip<1, 0, 1, false>), no_trip<1>)
FIRES_LOADED("scales of rows", (rules::requantize_same), (round_trip<3, 0, 0, false>), no_trip<3>)
DECLINES_LOADED("dequantize without a zero point > quantize with one", (rules::requantize_same),
                (round_trip<1, 0, 0, true>), "scale and zero point are other values")
DECLINES_LOADED("dequantize to f16 > quantize", (rules::requantize_same), half_trip, "its real numbers have few digits")
FIRES_LOADED("relu > quantize to 16 bits", (rules::relu_before_quantize),
             (quantized<function::relu, dtype::u16, false>), (quantized<function::none, dtype::u16, false>))
DECLINES_LOADED("relu > quantize from 5", (rules::relu_before_quantize), from_five,
                "it has a zero point, so 0 is not the lowest number")
