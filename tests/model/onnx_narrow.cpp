// SPDX-License-Identifier: BSL-1.0
// Floats of 4 and 8 bits and integers of 2 as weights of ONNX files. (Integers of 4 bits: onnx_import.cpp.)
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include <ctnn/model.hpp>

#include "support/onnx_bytes.hpp"

using namespace ctnn;
using namespace ctnn::ir;
namespace pb = test::onnx_bytes;

namespace {

constexpr auto e4m3fn = static_cast<pb::element>(17), e4m3fnuz = static_cast<pb::element>(18),
               e5m2 = static_cast<pb::element>(19), e5m2fnuz = static_cast<pb::element>(20),
               e2m1 = static_cast<pb::element>(23), e8m0 = static_cast<pb::element>(24),
               u2 = static_cast<pb::element>(25), i2 = static_cast<pb::element>(26);

std::string weight(pb::element type, const pb::dims& shape, const std::vector<std::uint8_t>& bytes) {
  return pb::initializer(pb::tensor("w", type, shape, bytes));
}
model made(const std::string& graph) {
  return model(onnx::build(onnx::parse_model(pb::view(pb::model(graph, 23)), "m.onnx", {}), {}));
}
const std::string y = pb::output(pb::value("y", pb::f32, {-1}));

std::vector<float> answer(const std::string& graph) {
  const array a = made(graph + y).extractor().extract("y");
  return {a.values().begin(), a.values().end()};
}
/// The numbers that bytes stand for.
std::vector<float> as_floats(pb::element type, const std::vector<std::uint8_t>& bytes, std::int64_t count) {
  return answer(weight(type, {count}, bytes) + pb::node("Cast", {"w"}, {"y"}, pb::attribute("to", pb::f32)));
}
std::vector<float> as_floats(pb::element type, const std::vector<std::uint8_t>& bytes) {
  return as_floats(type, bytes, static_cast<std::int64_t>(bytes.size()));
}

}  // namespace

TEST_CASE("floats of 8 bits have the numbers of ONNX's table") {
  using floats = std::vector<float>;
  // Zero, the smallest, the largest of those below normal, the smallest normal, 1, the largest, minus the largest.
  CHECK(as_floats(e4m3fn, {0x00, 0x01, 0x07, 0x08, 0x38, 0x7e, 0xfe}) ==
        floats{0, 0x1p-9f, 0.875f * 0x1p-6f, 0x1p-6f, 1, 448, -448});
  CHECK(as_floats(e4m3fnuz, {0x00, 0x01, 0x07, 0x08, 0x40, 0x7f, 0xff}) ==
        floats{0, 0x1p-10f, 0.875f * 0x1p-7f, 0x1p-7f, 1, 240, -240});
  CHECK(as_floats(e5m2, {0x00, 0x01, 0x03, 0x04, 0x3c, 0x7b, 0xfb}) ==
        floats{0, 0x1p-16f, 0.75f * 0x1p-14f, 0x1p-14f, 1, 57344, -57344});
  CHECK(as_floats(e5m2fnuz, {0x00, 0x01, 0x03, 0x04, 0x40, 0x7f, 0xff}) ==
        floats{0, 0x1p-17f, 0.75f * 0x1p-15f, 0x1p-15f, 1, 57344, -57344});
  CHECK(as_floats(e8m0, {0, 126, 127, 128, 254}) == floats{0x1p-127f, 0.5f, 1, 2, 0x1p127f});
  // Two of 4 bits a byte, the first in the low bits.
  CHECK(as_floats(e2m1, {0x10, 0x32, 0x54, 0x76, 0x98, 0xba, 0xdc, 0xfe}, 16) ==
        floats{0, 0.5f, 1, 1.5f, 2, 3, 4, 6, -0.f, -0.5f, -1, -1.5f, -2, -3, -4, -6});

  const auto is_nan = [](float f) { return std::isnan(f); };
  const auto nans = [&](pb::element type) {
    std::vector<std::uint8_t> all(256), found;
    for (std::size_t b = 0; b < 256; ++b) all[b] = static_cast<std::uint8_t>(b);
    const floats f = as_floats(type, all);
    for (std::size_t b = 0; b < 256; ++b)
      if (is_nan(f[b])) found.push_back(static_cast<std::uint8_t>(b));
    return found;
  };
  using bytes = std::vector<std::uint8_t>;
  CHECK(nans(e4m3fn) == bytes{0x7f, 0xff});
  CHECK(nans(e4m3fnuz) == bytes{0x80});
  CHECK(nans(e5m2) == bytes{0x7d, 0x7e, 0x7f, 0xfd, 0xfe, 0xff});
  CHECK(nans(e5m2fnuz) == bytes{0x80});
  CHECK(nans(e8m0) == bytes{0xff});
  CHECK(as_floats(e5m2, {0x7c, 0xfc}) == floats{INFINITY, -INFINITY});
  CHECK(std::signbit(as_floats(e4m3fn, {0x80})[0]));
}

TEST_CASE("integers of 2 bits, four a byte") {
  const auto cast = [](pb::element type, pb::element to) {
    return answer(weight(type, {6}, {0xe4, 0x0b}) + pb::node("Cast", {"w"}, {"c"}, pb::attribute("to", to)) +
                  pb::node("Cast", {"c"}, {"y"}, pb::attribute("to", pb::f32)));
  };
  CHECK(cast(u2, pb::u8) == std::vector<float>{0, 1, 2, 3, 3, 2});
  CHECK(cast(i2, pb::i8) == std::vector<float>{0, 1, -2, -1, -1, -2});
}

TEST_CASE("floats of 8 bits times a scale for all, for each row, and for blocks") {
  const std::string w = weight(e4m3fn, {2, 4}, {0x38, 0x40, 0x48, 0x50, 0xb8, 0xc0, 0xc8, 0xd0});  // 1 2 4 8, negated
  const auto by = [&](const pb::dims& shape, const std::vector<float>& scale, const std::string& more = {}) {
    return answer(w + pb::initializer(pb::floats("s", shape, scale)) +
                  pb::node("DequantizeLinear", {"w", "s"}, {"y"}, more));
  };
  CHECK(by({}, {3}) == std::vector<float>{3, 6, 12, 24, -3, -6, -12, -24});
  const std::string rows = pb::attribute("axis", 0);
  CHECK(by({2}, {1, 10}, rows) == std::vector<float>{1, 2, 4, 8, -10, -20, -40, -80});
  const std::string pairs = pb::attribute("axis", 1) + pb::attribute("block_size", 2);
  CHECK(by({2, 2}, {1, 10, 2, 20}, pairs) == std::vector<float>{1, 2, 40, 80, -2, -4, -80, -160});
  CHECK_THROWS_WITH_AS(by({3}, {1, 2, 3}, rows), doctest::Contains("scale is 3 for axis 0 of 2 x 4"), error);
  CHECK_THROWS_WITH_AS(by({2, 3}, {1, 2, 3, 4, 5, 6}, pairs), doctest::Contains("scale is 2 x 3 for blocks of 2"),
                       error);
  CHECK_THROWS_WITH_AS(answer(w + pb::node("Neg", {"w"}, {"y"})),
                       doctest::Contains("'w' is a tensor of floats of at most 8 bits"), error);
}

TEST_CASE("bits are read as those of another type") {
  const std::string ones = pb::initializer(pb::floats("w", {2}, {1, -2}));
  const auto as = [](const char* x, const char* y, pb::element to) {
    return pb::node("BitCast", {x}, {y}, pb::attribute("to", to));
  };
  const std::string half = pb::initializer(pb::longs("half", {}, {1 << 23})) +
                           pb::node("Cast", {"half"}, {"less"}, pb::attribute("to", pb::i32));
  CHECK(answer(ones + half + as("w", "i", pb::i32) + pb::node("Sub", {"i", "less"}, {"j"}) + as("j", "y", pb::f32)) ==
        std::vector<float>{0.5f, -1});
  CHECK(answer(weight(pb::u8, {4}, {0x38, 0x40, 0xb8, 0x7e}) + as("w", "f", e4m3fn) +
               pb::node("Cast", {"f"}, {"y"}, pb::attribute("to", pb::f32))) == std::vector<float>{1, 2, -1, 448});
  CHECK_THROWS_WITH_AS(answer(ones + as("w", "y", pb::i64)), doctest::Contains("bit_cast"), error);
  CHECK_THROWS_WITH_AS(answer(weight(pb::u8, {1}, {2}) + as("w", "b", pb::boolean) +
                              pb::node("Cast", {"b"}, {"y"}, pb::attribute("to", pb::f32))),
                       doctest::Contains("bits of numbers as booleans"), error);
}

TEST_CASE("new values go to places of a cache") {
  // (2, 3, 2): two samples, three places, two numbers.
  const auto cache = [](std::int64_t mode_length, const char* mode, const std::vector<std::int64_t>& places) {
    std::vector<std::string> in{"c", "u"};
    if (!places.empty()) in.push_back("i");
    std::vector<float> u(static_cast<std::size_t>(4 * mode_length));
    for (std::size_t k = 0; k < u.size(); ++k) u[k] = static_cast<float>(k + 1);
    const model m = made(pb::node("TensorScatter", in, {"y"}, pb::attribute("mode", std::string_view(mode))) +
                         pb::input(pb::value("c", pb::f32, {2, 3, 2})) +
                         pb::initializer(pb::floats("u", {2, mode_length, 2}, u)) +
                         (places.empty() ? "" : pb::initializer(pb::longs("i", {2}, places))) + y);
    extractor e = m.extractor();
    e.input("c", array({2, 3, 2}));
    const array got = e.extract("y");
    return std::vector<float>{got.values().begin(), got.values().end()};
  };
  CHECK(cache(1, "linear", {2, 0}) == std::vector<float>{0, 0, 0, 0, 1, 2, 3, 4, 0, 0, 0, 0});
  CHECK(cache(2, "linear", {}) == std::vector<float>{1, 2, 3, 4, 0, 0, 5, 6, 7, 8, 0, 0});
  CHECK(cache(2, "circular", {2, 1}) == std::vector<float>{3, 4, 0, 0, 1, 2, 0, 0, 5, 6, 7, 8});
  CHECK_THROWS_WITH_AS(cache(2, "linear", {2, 0}), doctest::Contains("index 3 is out of range for 3"), error);
  CHECK_THROWS_WITH_AS(cache(4, "linear", {}), doctest::Contains("update is 2 x 4 x 2 for a cache of 2 x 3 x 2"),
                       error);
}

TEST_CASE("a number of half precision beside values is a number of the operator, as one of f32 is") {
  const auto half = [](const char* name, std::uint16_t bits) {
    return pb::initializer(pb::tensor<std::uint16_t>(name, pb::f16, {}, {bits}));
  };
  const std::string mean = pb::attribute("axes", pb::dims{-1});
  const std::string graph = half("two", 0x4000) + half("little", 0x1400) +  // 2^-10
                            pb::node("ReduceMean", {"x"}, {"m"}, mean) + pb::node("Sub", {"x", "m"}, {"d"}) +
                            pb::node("Pow", {"d", "two"}, {"s"}) + pb::node("ReduceMean", {"s"}, {"v"}, mean) +
                            pb::node("Add", {"v", "little"}, {"e"}) + pb::node("Sqrt", {"e"}, {"r"}) +
                            pb::node("Div", {"d", "r"}, {"y"}) + pb::input(pb::value("x", pb::f16, {2, 4})) +
                            pb::output(pb::value("y", pb::f16, {2, 4}));
  const std::string bytes = pb::model(graph, 13);
  const model m = model::load(pb::view(bytes)), plain = model::load(pb::view(bytes), {.optimize = false});
  CHECK(std::ranges::count_if(m.graph().nodes, [](const node& n) { return n.type->name == "layer_norm"; }) == 1);
  array x({2, 4}, dtype::f16);
  const std::uint16_t numbers[] = {0x3c00, 0x4000, 0x4200, 0x4600, 0xbc00, 0x0000, 0x3800, 0x3c00};
  std::memcpy(x.bytes().data(), numbers, sizeof numbers);
  extractor a = m.extractor(), b = plain.extractor();
  for (extractor* e : {&a, &b}) e->input("x", x);
  const array got = a.extract("y"), want = b.extract("y");
  const double mean_of_row = 3, deviation = std::sqrt((4 + 1 + 0 + 9) / 4.0 + 1.0 / 1024);  // 1 2 3 6
  CHECK(number_at(got, 0) == doctest::Approx((1 - mean_of_row) / deviation).epsilon(1e-3));
  for (std::size_t i = 0; i < got.size(); ++i)
    CHECK(number_at(got, i) == doctest::Approx(number_at(want, i)).epsilon(2e-3));
}
