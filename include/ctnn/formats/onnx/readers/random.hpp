// SPDX-License-Identifier: BSL-1.0
// Random numbers. A network's are drawn when it is made and the same in every run: for a seed those that ONNX Runtime
// draws first, by the C++ standard's minstd_rand0 and the distributions of libstdc++, and others in each turn of a
// loop.
#pragma once

#include <algorithm>
#include <cmath>
#include <random>

#include "math.hpp"
#include "sequence.hpp"

namespace ctnn::onnx::readers {

class random_numbers {
 public:
  /// Of a node. Without a seed its name is one: nodes side by side draw numbers of their own.
  explicit random_numbers(node_reader& n) : engine_(n.random_engine(first_of(n))) {}

  /// Of [0, 1), with as many bits as a T has.
  template <class T>
  T uniform() {
    constexpr T range = static_cast<T>(std::minstd_rand0::max() - std::minstd_rand0::min()) + 1;
    constexpr int draws = std::numeric_limits<T>::digits > 30 ? 2 : 1;
    T sum = 0, scale = 1;
    for (int k = 0; k < draws; ++k) {
      sum += static_cast<T>(engine_() - std::minstd_rand0::min()) * scale;
      scale *= range;
    }
    return std::min(sum / scale, std::nextafter(T{1}, T{0}));
  }
  /// By Marsaglia's polar method, which makes two at once.
  template <class T>
  T normal(T& spare, bool& has_spare) {
    if (std::exchange(has_spare, !has_spare)) return spare;
    for (;;) {
      const T x = 2 * uniform<T>() - 1, y = 2 * uniform<T>() - 1, square = x * x + y * y;
      if (square > 1 || square == 0) continue;
      const T length = std::sqrt(-2 * std::log(square) / square);
      spare = x * length;
      return y * length;
    }
  }

 private:
  static std::minstd_rand0 first_of(node_reader& n) {
    if (!n.has_attribute("seed")) {
      const std::string name = n.name();
      std::seed_seq letters(name.begin(), name.end());
      return std::minstd_rand0(letters);
    }
    const float seed = n.real("seed", 0);
    return std::minstd_rand0(seed > 0 && seed < 4294967040.0f ? static_cast<std::uint32_t>(seed) : 0);
  }

  std::minstd_rand0& engine_;
};

namespace detail {

template <class T>
void draw(array& to, random_numbers& from, bool is_normal, float a, float b) {
  T spare = 0;
  bool has_spare = false;
  for (T& x : to.elements<T>())
    x = is_normal ? from.normal(spare, has_spare) * static_cast<T>(b) + static_cast<T>(a)
                  : from.uniform<T>() * (static_cast<T>(b) - static_cast<T>(a)) + static_cast<T>(a);
}

/// A mean and a deviation, or the ends of a range; narrow floats are rounded.
inline term drawn(node_reader& n, const extents& s, dtype type, bool is_normal, float a, float b) {
  if (!is_floating(type)) n.fail("draws numbers of " + std::string(name_of(type)));
  random_numbers numbers(n);
  const auto out = n.allocate(s, type == dtype::f64 ? type : dtype::f32);
  if (type == dtype::f64) draw<double>(*out, numbers, is_normal, a, b);
  else draw<float>(*out, numbers, is_normal, a, b);
  return n.cast(n.constant(kept(out)), type);
}
inline extents shape_from(node_reader& n, const integers& from) {
  if (from.size() > max_rank) n.fail("shape has " + std::to_string(from.size()) + " axes");
  extents s;
  for (const std::int64_t d : from) {
    if (d < 0) n.fail("shape has an extent of " + std::to_string(d));
    s.push_back(n.to_int(d, "shape"));
  }
  return s;
}

}  // namespace detail

template <bool is_normal, bool is_like>
void random(node_reader& n) {
  n.expect(is_like ? 1 : 0, is_like ? 1 : 0);
  const float a = is_normal ? n.real("mean", 0) : n.real("low", 0),
              b = is_normal ? n.real("scale", 1) : n.real("high", 1);
  if (!is_like && !n.has_attribute("shape")) n.fail("attribute 'shape' is missing");
  const dtype type = is_like && !n.has_attribute("dtype") ? n.type(n.input()) : n.element("dtype", 1);
  const extents s = is_like ? n.shape(n.input()) : detail::shape_from(n, n.list_of("shape"));
  n.result(detail::drawn(n, s, type, is_normal, a, b));
}

/// Ones as often as the input says.
inline void bernoulli(node_reader& n) {
  n.expect(1, 1);
  const term p = n.input();
  const dtype type = n.has_attribute("dtype") ? n.element("dtype", 1) : n.type(p);
  const term uniform = detail::drawn(n, n.shape(p), n.type(p), false, 0, 1);
  n.result(n.cast(n.add(op::compare{op::comparison::less}, {uniform, p}), type));
}

/// Classes drawn by the logarithms of what is proportional to their probabilities: the first whose probability and
/// those before it sum to more than a number of [0, 1).
inline void multinomial(node_reader& n) {
  n.expect(1, 1);
  const term x = n.input();
  const extents s = n.shape(x);
  const int samples = n.small("sample_size", 1);
  const dtype type = n.element("dtype", 6);
  if (s.rank != 2 || s[1] < 1 || samples < 1)
    n.fail("draws " + std::to_string(samples) + " of " + describe(s) + ", expected batch x classes");
  if (type != dtype::i32 && type != dtype::i64) n.fail("draws classes of " + std::string(name_of(type)));
  using enum op::binary_function;
  const term largest = n.add(op::reduce{op::reduction::max, {1}, true}, {x});
  const term each = n.cast(applied(n, {function::exp}, binary_of(n, sub, x, largest)), dtype::f64);
  const term sums = n.reshaped(n.add(op::cumsum{1}, {each}), {s[0], 1, s[1]});
  const auto uniform = n.allocate({s[0], samples, 1}, dtype::f64);
  random_numbers numbers(n);
  detail::draw<double>(*uniform, numbers, false, 0, 1);
  const term total = n.add(op::slice{{2}, {s[1] - 1}, {s[1]}}, {sums});
  const term wanted = binary_of(n, mul, n.constant(kept(uniform)), total);
  const term passed = n.cast(n.add(op::compare{op::comparison::less_equal}, {sums, wanted}), type);
  const term found = n.add(op::reduce{op::reduction::sum, {2}, false}, {passed});
  n.result(binary_of(n, minimum, found, n.number(s[1] - 1, type)));
}

}  // namespace ctnn::onnx::readers
