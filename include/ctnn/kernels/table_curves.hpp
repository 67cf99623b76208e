// SPDX-License-Identifier: BSL-1.0
// sigmoid, tanh and softmax of 16-bit numbers by tables with straight lines between their entries, to the last bit of
// TensorFlow Lite's 16x8 kernels (reference/integer_ops/logistic.h, tanh.h, softmax.h). Tables are computed where they
// are used: whole where many numbers are looked up, entry by entry for a few.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

#include "../base/requantize.hpp"

namespace ctnn::ir {

/// Entries of a function, all of them if as many are asked for.
template <class F, int Count>
class curve_table {
 public:
  curve_table(const F& f, std::int64_t asked) : f_(f), whole_(asked >= Count) {
    for (int i = 0; whole_ && i < Count; ++i) entries_[i] = f_(i);
  }
  std::int32_t operator[](int i) const { return whole_ ? entries_[i] : f_(i); }

 private:
  F f_;
  bool whole_;
  std::int32_t entries_[Count];
};

/// sigmoid(i / 24) with 16 bits behind the point, raised by half of what a line to the next is too low in its middle.
struct sigmoid_entry {
  std::int32_t operator()(int i) const {
    const auto at = [](double x) { return 65536 / (1 + std::exp(-x / 24)); };
    const double here = at(i), raised = here + (at(i + 0.5) - (here + at(i + 1)) / 2) / 2;
    return std::min<std::int32_t>(static_cast<std::int32_t>(raised + 0.5), 65535);
  }
};

/// Numbers of this scale as the table is indexed: its 256 entries are 0 to 10.7.
class curve_input {
 public:
  curve_input(double scale, bool of_tanh) {
    for (const int more : {0, 1}) {  // powers of 2 are taken as they are, if nearly
      const double ratio = scale * (4096 >> more);
      if (ratio > 0.99930709 && ratio < 1.00069339 && (of_tanh || more == 0)) times_ = 3 << more;
    }
    if (times_ != 0) return;
    double times = scale * 4096.0 * 3.0;
    for (; times <= 32767.0 / 2.0 && shift_ <= 30; ++shift_) times *= 2;
    times_ = static_cast<std::int64_t>(times);
  }
  std::int32_t of(std::int32_t x) const {
    const std::int64_t half = shift_ > 0 ? std::int64_t{1} << (shift_ - 1) : 0;
    return static_cast<std::int32_t>((x * times_ + half) >> shift_);
  }

 private:
  std::int64_t times_ = 0;
  int shift_ = 0;
};

/// Results have 15 bits behind the point.
class sigmoid_table {
 public:
  explicit sigmoid_table(std::int64_t asked) : at_({}, asked) {}
  std::int32_t sigmoid(std::int32_t x) const {
    const std::int32_t y = above(x < 0 ? -x : x, 9, 0x7fff << 10);
    return (x >= 0 ? y + (1 << 9) : (1 << 25) - y + (1 << 9) - 1) >> 10;
  }
  /// 2 sigmoid(2 x) - 1
  std::int32_t tanh(std::int32_t x) const {
    const std::int32_t y = above(x < 0 ? -x : x, 8, 0xffff << 8);
    return (x >= 0 ? y - (1 << 23) + (1 << 7) : -y + (1 << 23) + (1 << 7) - 1) >> 8;
  }

 private:
  std::int32_t above(std::int32_t x, int bits, std::int32_t most) const {
    const std::int32_t i = x >> bits, rest = x & ((1 << bits) - 1);
    if (i >= 255) return most;
    const std::int32_t y = at_[i];
    return (y << bits) + rest * (at_[i + 1] - y);
  }
  curve_table<sigmoid_entry, 256> at_;
};

/// A function of numbers from `least` to `most` in 512 steps, results of 2 / 65535 a step; in floats, one operation
/// after the other.
template <class F>
struct stepped_entry {
  float least, most;
  F f;
  std::int32_t operator()(int i) const {
    const float step = (most - least) / 512;
    if (i == 512) return bounded(steps(f(most)));
    const float here = steps(f(plus(least, product(static_cast<float>(i), step)))),
                next = in_steps(f(plus(least, product(static_cast<float>(i + 1), step)))),
                middle = steps(f(plus(plus(least, product(static_cast<float>(i), step)), step / 2)));
    const float error = std::round(plus(next, here) / 2) - middle;
    return bounded(here - std::round(error / 2));
  }

 private:
  // Doubles have the whole product and sum: no processor rounds them otherwise.
  static float product(float a, float b) { return static_cast<float>(static_cast<double>(a) * static_cast<double>(b)); }
  static float plus(float a, float b) { return static_cast<float>(static_cast<double>(a) + static_cast<double>(b)); }
  static float in_steps(float y) {
    constexpr float step = 2.0f / 65535, low = step * -32768, high = step * 32767;
    return product(y, 65536 / (high - low));
  }
  static float steps(float y) { return std::round(in_steps(y)); }
  static std::int32_t bounded(float y) { return static_cast<std::int32_t>(std::clamp(y, -32768.0f, 32767.0f)); }
};

/// Softmax's powers and quotients.
class softmax_curves {
  struct power_of {
    float operator()(float x) const { return static_cast<float>(std::exp(static_cast<double>(x))); }
  };
  struct inverse_of {
    float operator()(float x) const { return 1 / (1 + x); }
  };

 public:
  softmax_curves(double scale, std::int64_t asked)
      : to_steps_(scale / (10.0 / 65535.0)), power_({10.0f / 65535 * -65535, 0, {}}, asked) {}

  /// exp of what a number is below the largest, with 15 bits behind the point.
  std::int16_t power(std::int32_t below) const {
    return static_cast<std::int16_t>(looked_up(power_, to_steps_.of(below) + 32767));
  }
  /// Numbers of 15 bits behind the point times the inverse of a sum.
  struct quotient {
    std::int64_t inverse;
    int down;
    std::int16_t of(std::int32_t x) const {
      const std::int64_t y = (x * inverse + (std::int64_t{1} << (down - 1))) >> down;
      return static_cast<std::int16_t>(std::clamp(y, std::int64_t{0}, std::int64_t{32767}));
    }
  };
  quotient divided_by(std::int64_t sum) const {
    sum = std::clamp(sum, std::int64_t{4}, std::int64_t{2147483647});
    const int zeros = std::countl_zero(static_cast<std::uint32_t>(sum));
    const auto less_1 = static_cast<std::int32_t>(((sum << (zeros - 1)) + (1 << 13)) >> 14) - ((1 << 15) + (1 << 16));
    const stepped_entry<inverse_of> inverse{0, 1.0f / 65535 * 65535, {}};
    return {looked_up(inverse, less_1), 31 - zeros};
  }

 private:
  template <class Table>
  static std::int32_t looked_up(const Table& table, std::int32_t x) {
    x = std::clamp<std::int32_t>(x, -32768, 32767);
    const int i = 256 + (x >> 7);
    const std::int32_t y = entry(table, i), slope = static_cast<std::int16_t>(entry(table, i + 1) - y);
    return static_cast<std::int16_t>(y + ((slope * (x & 0x7f) + 64) >> 7));
  }
  static std::int32_t entry(const curve_table<stepped_entry<power_of>, 513>& t, int i) { return t[i]; }
  static std::int32_t entry(const stepped_entry<inverse_of>& t, int i) { return t(i); }

  twice_rounded_factor to_steps_;
  curve_table<stepped_entry<power_of>, 513> power_;
};

}  // namespace ctnn::ir
