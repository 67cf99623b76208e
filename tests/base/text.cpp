// SPDX-License-Identifier: BSL-1.0
// base/text.hpp: texts made by the compiler, numbers as one writes them.
#include <ctnn/base/text.hpp>
#include <doctest/doctest.h>

#include <cstdlib>
#include <limits>
#include <random>
#include <string>

using namespace ctnn;
using namespace ctnn::ir;

namespace {

struct greeting {
  static constexpr void write(text& out) {
    append(out, "shape ", "of ");
    append_shape(out, {3, 224, 1});
    out += ", ";
    append_number(out, 0.1f);
  }
};
static_assert(constant_text<greeting>::view == "shape of 3 x 224 x 1, 0.1");
static_assert(constant_text<greeting>::view.data()[constant_text<greeting>::view.size()] == '\0');

constexpr bool reads(double v, std::string_view as) {
  text t;
  append_number(t, v);
  return t.view() == as;
}
static_assert(reads(0, "0") && reads(-0.0, "-0.0") && reads(-12, "-12") && reads(2147483647, "2147483647"));
static_assert(reads(3000000000.0, "3e9") && reads(0.5, "0.5") && reads(-1.25, "-1.25") && reads(1e-4, "0.0001"));
static_assert(reads(1e-5f, "1e-5") && reads(static_cast<double>(1e-5f), "1e-5") && reads(1e-5, "1e-5"));
static_assert(reads(0.16666667163372040, "0.16666667") && reads(1234.5f, "1234.5") && reads(1.5e12f, "1.5e12"));
static_assert(reads(std::numeric_limits<double>::infinity(), "inf") && reads(-3.4e38f, "-0x1.ff933cp127"));
static_assert(reads(std::numeric_limits<double>::denorm_min(), "0x0.0000000000001p-1022"));

std::string of(double v) {
  std::string out;
  append_number(out, v);
  return out;
}

}  // namespace

TEST_CASE("numbers are read back as they are") {
  std::mt19937_64 bits(7);
  for (int i = 0; i < 200'000; ++i) {
    const auto f = std::bit_cast<float>(static_cast<std::uint32_t>(bits()));
    const auto d = std::bit_cast<double>(bits());
    std::uniform_real_distribution<float> near(-1000, 1000);
    for (const float v : {f, near(bits), std::nextafter(near(bits), 0.0f) * 1e-6f})
      if (v == v && v - v == 0)
        REQUIRE_MESSAGE(static_cast<float>(std::strtod(of(static_cast<double>(v)).c_str(), nullptr)) == v, of(v));
    if (d == d && !is_float(d)) REQUIRE_MESSAGE(std::strtod(of(d).c_str(), nullptr) == d, of(d));
  }
}

TEST_CASE("whole numbers to the least and the most") {
  for (const std::int64_t n : {std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max(),
                               std::int64_t{0}, std::int64_t{-7}}) {
    std::string out;
    append_integer(out, n);
    CHECK(out == std::to_string(n));
  }
}
