// SPDX-License-Identifier: BSL-1.0
// Decimal numerals beside the standard library's, where it has them.
#include <doctest/doctest.h>

#include <charconv>
#include <clocale>
#include <cstdint>
#include <string>

#include <ctnn/base/numerals.hpp>

using namespace ctnn;
using namespace ctnn::ir;

namespace {

std::uint64_t state = 1;
std::uint64_t draw() {
  state ^= state << 13, state ^= state >> 7, state ^= state << 17;
  return state;
}
bool same(double a, double b) { return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b); }

}  // namespace

TEST_CASE("decimal numerals are the nearest double: halves, the smallest, the largest, many digits") {
  for (const auto& each : std::initializer_list<std::pair<const char*, double>>{
           {"0", 0.0},
           {"-0.0", -0.0},
           {"1", 1.0},
           {"-1.5e-3", -1.5e-3},
           {".5", 0.5},
           {"5.", 5.0},
           {"1e+2", 100.0},
           {"00012.50", 12.5},
           {"9007199254740993", 9007199254740992.0},
           {"9007199254740993.0000000000000000001", 9007199254740994.0},
           {"9007199254740995", 9007199254740996.0},
           {"1.7976931348623157e308", 1.7976931348623157e308},
           {"1e400", HUGE_VAL},
           {"-1e99999999999", -HUGE_VAL},
           {"0e99999999999", 0.0},
           {"4.9406564584124654e-324", 4.9406564584124654e-324},
           {"2.4703282292062327e-324", 0.0},
           {"2.4703282292062328e-324", 4.9406564584124654e-324},
           {"2.2250738585072011e-308", 2.2250738585072011e-308},
           {"1e-400", 0.0},
           {"1e-99999999999", 0.0},
           {"3.402823466e+38", 3.402823466e+38}}) {
    CAPTURE(each.first);
    const auto got = parse_decimal(each.first);
    REQUIRE(got.has_value());
    CHECK(same(*got, each.second));
  }
  // Thousands of digits, the last of which decides.
  CHECK(same(*parse_decimal("1" + std::string(2000, '0') + "1e-2001"), 1.0));
  CHECK(same(*parse_decimal("9007199254740993" + std::string(2000, '0') + "1e-2001"), 9007199254740994.0));
}

TEST_CASE("what is no decimal numeral") {
  for (const char* word : {"",      "-",    ".",   "e5",   "1e",  "1e+", "1e-", "1e+-2", "+1",  "--1",
                           "1.2.3", "0x10", "inf", "-inf", "nan", "1f",  " 1",  "1 ",    "1,5", "1e2.0"}) {
    CAPTURE(word);
    CHECK(!parse_decimal(word));
  }
  for (const char* word : {"", "-", "1.0", "2147483648", "x", "1 "}) CHECK(!parse_integer<std::int32_t>(word));
  CHECK(parse_integer<std::int32_t>("-2147483648") == std::numeric_limits<std::int32_t>::min());
}

#if defined(__cpp_lib_to_chars)
TEST_CASE("random numerals: what the standard library reads") {
  int wrong = 0;
  for (int i = 0; i < 20'000; ++i) {
    std::string word;
    if (i % 2 == 0) {
      const double v = std::bit_cast<double>(draw());
      if (!std::isfinite(v)) continue;
      char text[64];
      word.assign(
          text,
          std::to_chars(text, text + sizeof text, v, std::chars_format::scientific, static_cast<int>(draw() % 24)).ptr);
    } else {
      for (std::uint64_t n = 1 + draw() % 30; n > 0; --n) word += static_cast<char>('0' + draw() % 10);
      if (draw() % 2) word.insert(draw() % word.size(), ".");
      word += "e" + std::to_string(static_cast<int>(draw() % 680) - 350);
    }
    double want = 0;
    const auto [end, code] = std::from_chars(word.data(), word.data() + word.size(), want);
    const auto got = parse_decimal(word);
    if (code == std::errc::result_out_of_range) wrong += !got || (std::isfinite(*got) && std::abs(*got) > 1e-300);
    else wrong += !got || !same(*got, want);
  }
  CHECK(wrong == 0);
}
#endif
