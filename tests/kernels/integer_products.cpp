// SPDX-License-Identifier: BSL-1.0
// Sums of products of bytes, and what becomes of them, on every target of this CPU: exactly the plain loops' numbers.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <vector>

#include <ctnn/kernels/integer_products.hpp>
#include <ctnn/kernels/simd/dot_products.hpp>
#include <ctnn/kernels/walks/pooling_walk.hpp>

#include "check.hpp"
#if !defined(CTNN_TEST_STATIC_TARGET)
#include "targets_of_this_cpu.hpp"
#endif

using namespace ctnn;
using namespace ctnn::ir;

namespace {

#if defined(CTNN_TEST_STATIC_TARGET)
struct {
  integer_kernels integers = HWY_NAMESPACE::integers_of_target();
} kernels_at_hand;
template <class Check>
void for_each_target(const Check& check) {
  check();
}
#endif

template <class T>
std::vector<T> random_bytes(test::random_numbers& random, std::size_t n, int low, int high) {
  std::vector<T> x(n);
  for (T& v : x) v = static_cast<T>(low + random.below(high - low + 1));
  return x;
}

/// any: up to these; alike: these; extreme: as good as any, sums of two products then leave 16 bits.
enum class bytes { any, alike, extreme };

void check_products(int rows, std::int64_t columns, std::int64_t quads, int left_most, int right_most,
                    bytes kind = bytes::any) {
  test::random_numbers random(7);
  const std::int64_t wide = multiple_of(columns, quad_lanes);
  // Eight rows are two tiles, of which each has rows of its own.
  const int tile_rows = rows == 8 ? 4 : rows;
  const auto next = static_cast<std::ptrdiff_t>(4 * quads * tile_rows);
  auto left = random_bytes<std::int8_t>(random, static_cast<std::size_t>(4 * quads * rows), -std::abs(left_most),
                                        std::abs(left_most));
  auto right = random_bytes<std::uint8_t>(random, static_cast<std::size_t>(4 * (quads + 1) * wide), 0, right_most);
  if (kind != bytes::any) {
    for (std::size_t i = 0; i < left.size(); ++i)
      left[i] = static_cast<std::int8_t>(kind == bytes::alike ? left_most : i / 8 % 2 ? -128 : 127);
    for (std::uint8_t& x : right) x = static_cast<std::uint8_t>(right_most);
  }
  std::vector<std::int32_t> sums_of_left(static_cast<std::size_t>(next / 4 + rows)), start;
  std::vector<std::uint8_t> held_of_two(static_cast<std::size_t>(next + quads));
  std::uint8_t held = 0x22;
  for (int tile = 0; tile < rows / tile_rows; ++tile)
    for (std::int64_t q = 0; q < quads; q += 2) {
      std::uint8_t& of_two = held_of_two[static_cast<std::size_t>(tile * next + q / 2)];
      of_two = sums_in_16_bits(left.data() + tile * next + 4 * q * tile_rows, tile_rows, q + 1 < quads ? 2 : 1);
      held = least_sums(held, of_two);
    }
  for (std::size_t i = 0; i < left.size(); ++i) {
    const std::size_t tile = i / static_cast<std::size_t>(next);
    sums_of_left[tile * static_cast<std::size_t>(next) / 4 + i / 4 % static_cast<std::size_t>(tile_rows)] += left[i];
  }
  for (int r = 0; r < rows; ++r) start.push_back(r * 100000 - 7);
  std::vector<std::ptrdiff_t> offsets;  // not one after the other
  for (std::int64_t q = 0; q < quads; ++q) offsets.push_back(static_cast<std::ptrdiff_t>((quads - 1 - q) * wide * 4));
  const auto pitch = static_cast<std::ptrdiff_t>(columns + quad_lanes);
  std::vector<std::int32_t> want(static_cast<std::size_t>(rows * pitch), -1), got = want;
  quad_products p{left.data(),
                  right.data(),
                  offsets.data(),
                  quads,
                  rows,
                  columns,
                  start.data(),
                  sums_of_left.data(),
                  want.data(),
                  pitch,
                  right_most < 128 ? held >> 4 : held & 15,
                  held_of_two.data(),
                  next};
  plainly::multiply(p);
  p.sums = got.data();
  kernels_at_hand.integers.multiply(p);
  for (int r = 0; r < rows; ++r)
    for (std::int64_t c = 0; c < columns; ++c) {
      const auto at = static_cast<std::size_t>(r * pitch + c);
      INFO("row " << r << ", column " << c << " of " << columns << ", " << quads << " quads");
      REQUIRE(got[at] == want[at]);
    }
}

}  // namespace

TEST_CASE("sums of products of bytes on every target: nothing saturates in between") {
  const dot_products of_processor = dot_products_in_use();
  const auto check = [] {
    for (int rows : {1, 4, 8})
      for (std::int64_t columns : {1, 7, 16, 17, 33, 64, 100})
        for (std::int64_t quads : {1, 3, 40, 150}) {
          check_products(rows, columns, quads, 127, 255);
          check_products(rows, columns, quads, 127, 127);  // any weights, small inputs
          // Small weights, any inputs: of one quad, of two.
          for (const int most : {64, 32}) check_products(rows, columns, quads, most, 255);
          check_products(rows, columns, quads, 0, 255, bytes::extreme);
        }
  };
  for_each_target(check);
  dot_products_in_use() = {};  // as on processors that have none
  for_each_target(check);
  dot_products_in_use() = of_processor;
}

TEST_CASE("sums that 16 bits just hold, and those that they do not, are whole on every target") {
  const dot_products of_processor = dot_products_in_use();
  dot_products_in_use() = {};
  for_each_target([] {
    for (const int sign : {1, -1}) {
      for (const int all : {16, 17, 32, 33, 64, 65}) check_products(4, 33, 11, sign * all, 255, bytes::alike);
      for (const int all : {32, 33, 64, 65, 127}) check_products(4, 33, 11, sign * all, 127, bytes::alike);
    }
    check_products(4, 33, 11, -128, 127, bytes::alike);
  });
  dot_products_in_use() = of_processor;
}

TEST_CASE("do 16 bits hold the sums of one quad, or of two?") {
  const auto held = [](int all, int count) {
    std::int8_t quads[32];
    for (std::int8_t& x : quads) x = static_cast<std::int8_t>(all);
    const int held = sums_in_16_bits(quads, 4, count);
    return std::array{held & 15, held >> 4};  // by any bytes, by bytes below 128
  };
  CHECK(held(32, 2) == std::array{2, 2});
  CHECK(held(33, 2) == std::array{1, 2});
  CHECK(held(-64, 2) == std::array{1, 2});
  CHECK(held(65, 2) == std::array{0, 1});
  CHECK(held(65, 1) == std::array{0, 2});
  CHECK(held(-128, 2) == std::array{0, 1});
  const std::int8_t both[]{127, -128, 127, -128};  // what takes away does not add
  CHECK(sums_in_16_bits(both, 1, 1) == 0x22);
  CHECK(least_sums(0x12, 0x21) == 0x11);
}

TEST_CASE("sums become results as by the plain rules") {
  for_each_target([] {
    test::random_numbers random(11);
    constexpr int lines = 3, width = 37, pitch = 48, rows = 2, row = lines * pitch;
    constexpr std::int32_t times[rows]{-3, 2};
    std::vector<std::int32_t> sums(rows * row), right(lines * pitch);
    for (std::int32_t& x : sums) x = random.below(200001) - 100000;
    for (std::int32_t& x : right) x = random.below(2001) - 1000;
    std::vector<float> factors, real_biases;
    std::vector<std::int64_t> fixed;
    std::vector<std::int32_t> biases;
    for (int i = 0; i < pitch; ++i) {
      // Powers of two: so halves are met.
      factors.push_back(std::ldexp(1.0f, -8 - i % 4));
      fixed.push_back(std::int64_t{1} << (24 - i % 3));
      biases.push_back(random.below(2001) - 1000);
      real_biases.push_back(0.25f * static_cast<float>(random.below(2001) - 1000));
    }
    for (const int step : {0, 1})
      for (const bool is_signed : {false, true}) {
        sum_results r{};
        std::vector<std::uint8_t> bytes(rows * lines * width + 1, 99);
        r.sums = sums.data();
        r.sums_pitch = pitch;
        r.right_sums = right.data();
        r.right_times = times;
        r.rows = rows;
        r.sums_row = row;
        r.to_row = lines * width;
        r.to_pitch = width;
        r.lines = lines;
        r.width = width;
        r.step = step;
        r.factor = factors.data();
        r.fixed_factor = fixed.data();
        r.low = -std::numeric_limits<float>::infinity();
        r.high = std::numeric_limits<float>::infinity();
        r.zero = is_signed ? -5 : 17;
        r.least = is_signed ? -127 : 3;
        r.most = is_signed ? 127 : 250;
        r.type = is_signed ? sum_results::i8 : sum_results::u8;
        const auto all = [&](std::size_t i) {
          const std::size_t at = i / width % lines * pitch + i % width, of = i / (lines * width);
          return sums[of * row + at] + times[of] * right[at];
        };
        const auto column = [&](std::size_t i) { return step ? i % width : i / (lines * width); };
        for (const bool away : {false, true}) {
          r.how = sum_results::real;
          r.away = away;
          r.divides = away;
          r.scale = 0.5f;
          r.integer_bias = biases.data();
          r.to = bytes.data();
          if (!kernels_at_hand.integers.finish(r)) continue;  // this target has no vectors
          for (std::size_t i = 0; i < bytes.size() - 1; ++i) {
            const float x = static_cast<float>(all(i) + biases[column(i)]) * factors[column(i)] / (away ? 0.5f : 1);
            const int want = rounded_between(x, away, r.zero, r.least, r.most);
            INFO("real " << i << " away " << away << " x " << x);
            REQUIRE((is_signed ? static_cast<std::int8_t>(bytes[i]) : int{bytes[i]}) == want);
          }
        }
        r.how = sum_results::fixed;
        if (kernels_at_hand.integers.finish(r))
          for (std::size_t i = 0; i < bytes.size() - 1; ++i) {
            const std::int64_t product = (all(i) + biases[column(i)]) * fixed[column(i)];
            const auto x = static_cast<int>((product + (std::int64_t{1} << 31)) >> 32) + r.zero;
            const int want = x < r.least ? r.least : x > r.most ? r.most : x;
            INFO("fixed " << i);
            REQUIRE((is_signed ? static_cast<std::int8_t>(bytes[i]) : int{bytes[i]}) == want);
          }
        constexpr float most_float = std::numeric_limits<float>::infinity();
        for (const float low : {-most_float, 0.0f, -1.0f})  // as ncnn's layers: nothing, relu, a bound
          for (const float scale : {2.0f, 0.25f, -1.0f, 0.0f, most_float}) {
            sum_results n = r;
            n.how = sum_results::fused;
            n.integer_bias = nullptr;
            n.real_bias = real_biases.data();
            n.divides = false;
            n.multiplies = n.away = true;
            n.low = low;
            n.scale = scale;
            n.zero = 0;
            n.least = -127;
            n.most = 127;
            if (!kernels_at_hand.integers.finish(n)) continue;
            for (std::size_t i = 0; i < bytes.size() - 1; ++i) {
              const float y = std::fma(static_cast<float>(all(i)), factors[column(i)], real_biases[column(i)]);
              const int want = rounded_between((low > y ? low : y) * scale, true, 0, -127, 127);
              INFO("ncnn " << i << " low " << low << " scale " << scale << " y " << y);
              REQUIRE(static_cast<std::int8_t>(bytes[i]) == want);
            }
          }
        CHECK(bytes.back() == 99);
        std::vector<float> floats(rows * lines * width + 1, 99.0f);
        r.how = sum_results::fused;
        r.integer_bias = nullptr;
        r.real_bias = real_biases.data();
        r.type = sum_results::f32;
        r.low = -20;
        r.to = floats.data();
        if (kernels_at_hand.integers.finish(r))
          for (std::size_t i = 0; i < floats.size() - 1; ++i)
            REQUIRE(floats[i] ==
                    std::max(-20.0f, std::fma(static_cast<float>(all(i)), factors[column(i)], real_biases[column(i)])));
        CHECK(floats.back() == 99.0f);
        std::vector<std::int32_t> whole(rows * lines * width + 1, 99);
        r.how = sum_results::none;
        r.type = sum_results::i32;
        r.to = whole.data();
        if (kernels_at_hand.integers.finish(r))
          for (std::size_t i = 0; i < whole.size() - 1; ++i) REQUIRE(whole[i] == all(i));
        CHECK(whole.back() == 99);
      }
  });
}

TEST_CASE("pairs of bytes are combined as by the plain rules") {
  for_each_target([] {
    test::random_numbers random(13);
    for (const std::int64_t n : {1, 7, 16, 30, 64, 101, 300})
      for (const bool multiplies : {false, true})
        for (const bool is_signed : {false, true})
          for (const double scale : {1e-6, 0.37, 1.0 / 3, 0.9, -0.37, -0.9, 7.25, -7.25, 15.9, 400.0}) {
            const auto size = static_cast<std::size_t>(n);
            const auto x = random_bytes<std::uint8_t>(random, size, 0, 255),
                       z = random_bytes<std::uint8_t>(random, size, 0, 255);
            byte_pairs p{};
            p.x_step = random.below(3) == 0 ? 0 : 1;
            p.z_step = random.below(3) == 0 ? 0 : 1;
            p.x_flip = is_signed ? 128 : 0;
            p.z_flip = random.below(2) == 0 ? 128 : 0;
            p.x_zero = is_signed ? -128 : 3;
            p.z_zero = p.z_flip == 0 ? 255 : 127;
            p.multiplies = multiplies;
            p.subtracts = random.below(2) == 0;
            const fixed_factor first(scale), second(0.51);
            const twice_rounded_sum twice(-scale, 0.51, 1.7, multiplies);
            if (scale < 0) p.twice = &twice;
            p.first = first.times;
            p.second = multiplies ? 0 : second.times;
            p.zero = is_signed ? -5 : 17;
            p.least = is_signed ? -128 : 3;
            p.most = is_signed ? 127 : 250;
            // In place, too.
            for (int where = 0; where < 3; ++where) {
              std::vector<std::uint8_t> own_x = x, own_z = z, own(size + 1, 99);
              own_x.push_back(99);
              own_z.push_back(99);
              if ((where == 1 && p.x_step == 0) || (where == 2 && p.z_step == 0)) continue;
              std::vector<std::uint8_t>& to = where == 0 ? own : where == 1 ? own_x : own_z;
              p.x = own_x.data();
              p.z = own_z.data();
              p.to = to.data();
              p.n = n;
              if (!kernels_at_hand.integers.combine(p)) continue;  // no vectors, or too large a factor
              for (std::size_t i = 0; i < size; ++i) {
                const auto number = [](std::uint8_t byte, std::uint8_t flip) {
                  return flip ? int{static_cast<std::int8_t>(byte)} : int{byte};
                };
                const int a = number(x[p.x_step ? i : 0], p.x_flip) - p.x_zero,
                          b = number(z[p.z_step ? i : 0], p.z_flip) - p.z_zero;
                const std::int64_t sum = a * p.first + (p.subtracts ? -b : b) * p.second;
                const int y = (p.twice      ? twice.of(a, b, p.subtracts ? -1 : 1)
                               : multiplies ? first.of(a * b)
                                            : static_cast<int>((sum + (std::int64_t{1} << 31)) >> 32)) +
                              p.zero;
                INFO("pair " << i << " of " << n << ", factor " << scale);
                REQUIRE(number(to[i], p.x_flip) == std::clamp(y, p.least, p.most));
              }
              CHECK(to.back() == 99);
            }
            p.n = 0;
            if (kernels_at_hand.integers.combine(p)) CHECK(scale < (multiplies && scale > 0 ? 0.5 : 16));
          }
  });
}

TEST_CASE("floats as bytes, and bytes in other orders") {
  for_each_target([] {
    std::vector<float> x{0,     0.25f, -0.25f, 0.75f,   1.25f,  -1.25f, 63.25f, 1e30f,   -1e30f,  std::nanf(""),
                         -0.0f, 0.2f,  500.0f, -500.0f, 1e-40f, 3.75f,  64.75f, -64.25f, 8.24999f};
    for (const bool away : {false, true})
      for (const std::uint8_t flip : {std::uint8_t{0}, std::uint8_t{128}}) {
        float_results r{x.data(), static_cast<std::int64_t>(x.size()), nullptr, flip, false, away, 2, 0, -127, 127};
        std::vector<std::uint8_t> got(x.size() + 1, 77), want = got;
        r.to = want.data();
        plainly::quantize(r);
        r.to = got.data();
        kernels_at_hand.integers.quantize(r);
        CHECK(got == want);
        for (std::size_t i = 0; i < x.size(); ++i)
          if (away)
            CHECK(
                static_cast<std::int8_t>(want[i] ^ flip) ==
                static_cast<std::int8_t>(std::isnan(x[i]) ? -127 : std::clamp(std::round(2 * x[i]), -127.0f, 127.0f)));
      }
    test::random_numbers random(3);
    const auto bytes = random_bytes<std::uint8_t>(random, 450, 0, 255);
    for (std::int64_t n : {1, 15, 16, 50, 100}) {
      const std::uint8_t* const lines[4]{bytes.data(), bytes.data() + 101, bytes.data() + 3, bytes.data() + 250};
      std::vector<std::uint8_t> want(static_cast<std::size_t>(4 * n + 1), 77), got = want;
      plainly::interleave(lines, n, 128, want.data());
      kernels_at_hand.integers.interleave(lines, n, 128, got.data());
      CHECK(got == want);
      for (int stride : {2, 3}) {
        const std::vector<std::uint8_t> exact(bytes.begin(), bytes.begin() + n * stride);
        plainly::take_every(exact.data(), stride, n, want.data());
        kernels_at_hand.integers.take_every(exact.data(), stride, n, got.data());
        CHECK(got == want);
      }
      for (int stride : {1, 2, 3, 4})
        for (int dilation : {1, 2, 3}) {
          const auto all = static_cast<std::ptrdiff_t>(4 * n);
          std::vector<std::uint8_t> windows(static_cast<std::size_t>(all + 13), 77);
          plainly::take_windows(bytes.data(), stride, dilation, n, 128, want.data());
          kernels_at_hand.integers.take_windows(bytes.data(), stride, dilation, n, 128, windows.data());
          CHECK(std::equal(windows.begin(), windows.begin() + all, want.begin()));
          CHECK(windows.back() == 77);
        }
    }
  });
}

TEST_CASE("bytes as floats, and what a table has for them") {
  for_each_target([] {
    test::random_numbers random(17);
    const auto bytes = random_bytes<std::uint8_t>(random, 2000, 0, 255);
    std::vector<std::uint8_t> table = random_bytes<std::uint8_t>(random, 256, 0, 255);
    for (const std::int64_t n : {0, 1, 7, 15, 16, 17, 64, 100, 511, 512, 513, 575, 1000, 1999}) {
      const auto size = static_cast<std::size_t>(n);
      for (const std::uint8_t flip : {std::uint8_t{0}, std::uint8_t{128}}) {
        std::vector<float> got(size + 1, 77), want = got;
        for (const int zero : {-128, 0, 255}) {
          byte_reals r{bytes.data() + 1, n, want.data(), flip, zero, 0.3f};
          plainly::dequantize(r);
          r.to = got.data();
          kernels_at_hand.integers.dequantize(r);
          CHECK(got == want);
          for (std::size_t i = 0; i < size; ++i) {
            const int x = flip ? int{static_cast<std::int8_t>(bytes[i + 1])} : int{bytes[i + 1]};
            REQUIRE(got[i] == static_cast<float>(x - zero) * 0.3f);
          }
        }
      }
      // Every byte, in place too.
      std::vector<std::uint8_t> x(bytes.begin(), bytes.begin() + n + 1), got(size + 1, 77);
      for (std::size_t i = 0; i < size && n >= 512; ++i) x[i] = static_cast<std::uint8_t>(i * 7);
      const std::vector<std::uint8_t> from = x;
      kernels_at_hand.integers.look_up(table.data(), x.data(), n, got.data());
      kernels_at_hand.integers.look_up(table.data(), x.data(), n, x.data());
      for (std::size_t i = 0; i < size; ++i) {
        REQUIRE(got[i] == table[from[i]]);
        REQUIRE(x[i] == table[from[i]]);
      }
      CHECK(got.back() == 77);
      CHECK(x.back() == from.back());
    }
  });
}

TEST_CASE("the largest bytes, and their sums") {
  for_each_target([] {
    test::random_numbers random(5);
    for (const int n : {0, 1, 7, 8, 15, 16, 17, 31, 33, 63, 65, 100, 300})
      for (const bool is_signed : {false, true}) {
        std::vector<std::uint8_t> x, want;
        for (int i = 0; i < n + 2; ++i) x.push_back(static_cast<std::uint8_t>(random.below(256)));
        for (int i = 0; i < n + 1; ++i) want.push_back(static_cast<std::uint8_t>(random.below(256)));
        for (const int count : {1, 2, 4}) {
          std::vector<std::uint8_t> got = want;
          const std::uint8_t* const lines[4]{x.data(), want.data(), x.data() + 1, x.data() + 2};
          const std::uint8_t* const same[4]{x.data(), got.data(), x.data() + 1, x.data() + 2};
          kernels_at_hand.integers.largest(same, count, n, is_signed, got.data());
          for (std::size_t i = 0; i < static_cast<std::size_t>(n); ++i) {
            int most = -128;
            for (int k = 0; k < count; ++k)
              most = std::max(most, is_signed ? int{static_cast<std::int8_t>(lines[k][i])} : int{lines[k][i]});
            REQUIRE(static_cast<std::uint8_t>(most) == got[i]);
          }
          CHECK(got.back() == want.back());
        }
        CHECK(kernels_at_hand.integers.sum(x.data(), n, is_signed) == plainly::sum(x.data(), n, is_signed));
      }
  });
}

TEST_CASE("maxima of bytes line by line are those of windows") {
  for_each_target([] {
    test::random_numbers random(9);
    for (const dtype type : {dtype::i8, dtype::u8})
      for (const int width : {1, 5, 40, 2100})
        for (const int taps : {1, 2, 3})
          for (const int stride : {1, 2, 3})
            for (const int dilation : {1, 2}) {
              op::pool p;
              p.kernel = by_axis{taps};
              p.stride = by_axis{stride};
              p.dilation = by_axis{dilation};
              p.pad = by_axis{taps / 2};
              p.ceil = true;
              const extents x{2, 5, width};
              extents y;
              if (p.infer({&x, 1}, {&y, 1})) continue;
              std::vector<std::uint8_t> from(static_cast<std::size_t>(x.count()) + 4);
              for (std::uint8_t& b : from) b = static_cast<std::uint8_t>(random.below(256));
              std::vector<std::uint8_t> got(static_cast<std::size_t>(y.count()) + 4, 7), want = got;
              const const_tensor in{static_cast<const float*>(static_cast<const void*>(from.data())), x, layout::nchw,
                                    0, type};
              for (std::vector<std::uint8_t>* to : {&got, &want}) {
                const tensor out{static_cast<float*>(static_cast<void*>(to->data())), y, layout::nchw, 0, type};
                arguments a{{&in, 1}, {&out, 1}, {}};
                const integer_arguments integers{&kernels_at_hand.integers};
                if (to == &got) a.integers = &integers;
                if (type == dtype::i8) pool_planes<std::int8_t>(p, a);
                else pool_planes<std::uint8_t>(p, a);
              }
              CHECK(got == want);
            }
  });
}
