// SPDX-License-Identifier: BSL-1.0
// Runs a vector kernel and the reference kernel on the same random numbers, in every layout asked for, and compares.
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include <ctnn/graph/operator.hpp>
#include <ctnn/kernels/packing.hpp>
#include <ctnn/kernels/reference/reference.hpp>

#include "parts.hpp"

namespace ctnn::ir::test {

/// The same numbers every time.
class random_numbers {
 public:
  explicit random_numbers(unsigned seed) : state(seed * 2654435761u + 1) {}
  unsigned next() {
    state = state * 1664525u + 1013904223u;
    return state >> 8;
  }
  float operator()(float low, float high) { return low + (high - low) * static_cast<float>(next()) / 16777216.0f; }
  int below(int n) { return static_cast<int>(next() % static_cast<unsigned>(n)); }

 private:
  unsigned state;
};

struct placement {
  layout order = layout::nchw;
  int gap = 0;  ///< of the nhwc pitch above the channels
};

/// A tensor with its memory; gaps and both ends hold a mark that must survive.
class stored {
 public:
  static constexpr float mark = -12345.5f;

  stored(const extents& shape, placement p) {
    t.shape = shape;
    t.order = shape.rank == 3 || shape.rank == 4 ? p.order : layout::nchw;
    std::int64_t count = shape.count();
    if (t.order == layout::nhwc) {
      t.pitch = shape.back(2) + p.gap;
      count = count / shape.back(2) * t.pitch;
    }
    memory.assign(static_cast<std::size_t>(count) + 2 * margin, mark);
    t.data = memory.data() + margin;
  }
  stored(const stored&) = delete;
  stored(stored&&) = default;

  /// Numbers in logical order.
  void put(const std::vector<float>& x) {
    each([&](std::size_t i, float& v) { v = x[i]; });
  }
  std::vector<float> get() {
    std::vector<float> x(static_cast<std::size_t>(t.shape.count()));
    each([&](std::size_t i, float& v) { x[i] = v; });
    return x;
  }
  bool marks_survive() {
    each([](std::size_t, float& v) { v = mark; });
    return std::all_of(memory.begin(), memory.end(), [](float v) { return v == mark; });
  }

  tensor t;

 private:
  template <class F>
  void each(F f) {
    loop_nest<1> nest;
    for (int axis = 0; axis < t.shape.rank; ++axis) nest.push_back({t.shape[axis], {stride_of(t, axis)}});
    loop_cursor<1> at(nest, 0);
    std::size_t i = 0;
    do f(i++, t.data[at.offset[0]]);
    while (at.next());
  }

  static constexpr std::size_t margin = 19;
  std::vector<float> memory;
};

#if defined(__arm__)  // its vectors take denormals as zeros
inline constexpr float smallest = 1.2e-38f;
#else
inline constexpr float smallest = 1e-40f;
#endif
/// Numbers that want care. Their count is odd, so that cycling through them brings each of them to every lane.
inline constexpr float special_numbers[] = {std::numeric_limits<float>::quiet_NaN(),
                                            std::numeric_limits<float>::infinity(),
                                            0.0f,
                                            -std::numeric_limits<float>::infinity(),
                                            -0.0f,
                                            smallest,
                                            -smallest,
                                            1.17549435e-38f,
                                            1.0f,
                                            -1.0f,
                                            88.5f,
                                            -88.5f,
                                            1e30f,
                                            -1e30f,
                                            std::numeric_limits<float>::max(),
                                            std::numeric_limits<float>::lowest(),
                                            -std::numeric_limits<float>::quiet_NaN()};
inline constexpr int special_count = static_cast<int>(std::size(special_numbers));
/// The first operand meets every second one in each of 16 lanes.
inline constexpr int special_pairs = special_count * special_count * 16;

struct options {
  float low = -3, high = 3;       ///< of the inputs
  float tolerance = 2e-6f;        ///< relative to 1 + |exact|
  bool in_place = false;          ///< also with out over in[0], or each result over the input that the operator says
  bool weights_positive = false;
  float weights_up_to = 2;
  int zero_weight = -1;           ///< this one is all zeros
  bool special = false;           ///< the inputs go through special_numbers
  bool signed_zeros = false;      ///< and zeros have the reference's sign
  int special_at = -1;            ///< only this one of input 0 is special, and a NaN of one sign or an infinity
  float special_value = 0;
};

inline std::string text(const extents& e) {
  std::string s = "(";
  for (int i = 0; i < e.rank; ++i) s += (i ? "," : "") + std::to_string(e[i]);
  return s + ")";
}

inline void require_close(const std::vector<float>& got, const std::vector<float>& want, float tolerance,
                          bool signed_zeros = false) {
  REQUIRE(got.size() == want.size());
  for (std::size_t i = 0; i < got.size(); ++i) {
    if (signed_zeros && want[i] == 0 && got[i] == 0 && std::signbit(got[i]) != std::signbit(want[i]))
      FAIL("element " << i << " is a zero of the other sign");
    if (got[i] == want[i] || (std::isnan(got[i]) && std::isnan(want[i]))) continue;
    if (std::isfinite(want[i]) && std::fabs(got[i] - want[i]) <= tolerance * (1 + std::fabs(want[i]))) continue;
    FAIL("element " << i << " is " << got[i] << ", not " << want[i]);
  }
}

/// The input that result k of an operator that may work in place is written over; `inputs` if none.
template <class Op>
std::size_t input_under(const Op& p, std::size_t inputs, std::size_t k) {
  if constexpr (requires { p.overwrites(0, 0, 0); }) {
    for (std::size_t i = 0; i < inputs; ++i)
      if (p.overwrites(static_cast<int>(inputs), static_cast<int>(i), static_cast<int>(k))) return i;
    return inputs;
  }
  return 0;
}

/// `places` are of the inputs, then of the outputs.
template <class Op, class Run>
void compare(const Run& run, const Op& p, const std::vector<extents>& shapes, const std::vector<placement>& places,
             const options& o = {}) {
  extents out_shapes[max_list];
  REQUIRE(!p.infer(shapes, out_shapes));
  const auto outs = static_cast<std::size_t>(output_count(p));
  random_numbers random(static_cast<unsigned>(out_shapes[0].count()) + static_cast<unsigned>(shapes.size()));
  const auto numbers = [&](const extents& e, float low, float high) {
    std::vector<float> x(static_cast<std::size_t>(e.count()));
    for (float& v : x) v = random(low, high);
    return x;
  };

  const weight_slots slots = weights_of(p, shapes);
  std::vector<std::vector<float>> weights, inputs, packed;
  std::vector<const float*> weight_pointers, packed_pointers;
  for (const weight_slot& w : slots)
    weights.push_back(numbers(w.shape, o.weights_positive ? 0.1f : -o.weights_up_to, o.weights_up_to));
  if (o.zero_weight >= 0) {
    auto& w = weights[static_cast<std::size_t>(o.zero_weight)];
    w.assign(w.size(), 0.0f);
  }
  for (int i = 0; i < static_cast<int>(weights.size()); ++i) {
    const auto slot = static_cast<std::size_t>(i);
    packed.emplace_back(static_cast<std::size_t>(packed_count(p, i, slots[slot].shape)));
    pack(p, i, slots[slot].shape, weights[slot].data(), packed[slot].data());
    weight_pointers.push_back(weights[slot].data());
    packed_pointers.push_back(packed[slot].data());
  }
  for (const extents& s : shapes) {
    inputs.push_back(numbers(s, o.low, o.high));
    std::vector<float>& x = inputs.back();
    std::size_t step = 1;  // between operands, in powers of the count
    for (std::size_t i = 1; i < inputs.size(); ++i) step *= special_count;
    for (std::size_t i = 0; o.special && i < x.size(); ++i) x[i] = special_numbers[i / step % special_count];
    if (o.special_at >= 0 && inputs.size() == 1) x[static_cast<std::size_t>(o.special_at)] = o.special_value;
  }

  const auto evaluate = [&](const auto& kernel, const std::vector<const float*>& with, const std::vector<placement>& at,
                            bool in_place) {
    std::vector<stored> in, out;
    std::vector<const_tensor> in_views;
    std::vector<tensor> out_views;
    for (std::size_t i = 0; i < shapes.size(); ++i) {
      in.emplace_back(shapes[i], at[i]);
      in.back().put(inputs[i]);
      in_views.push_back(in.back().t);
    }
    for (std::size_t i = 0; i < outs; ++i) out.emplace_back(out_shapes[i], at[shapes.size() + i]);
    const auto result = [&](std::size_t i) -> stored& {
      const std::size_t over = in_place ? input_under(p, shapes.size(), i) : shapes.size();
      return over < shapes.size() ? in[over] : out[i];
    };
    for (std::size_t i = 0; i < outs; ++i) out_views.push_back(result(i).t);
    kernel(p, arguments{in_views, out_views, with});
    std::vector<std::vector<float>> results;
    for (std::size_t i = 0; i < outs; ++i) {
      results.push_back(result(i).get());
      CHECK(result(i).marks_survive());
    }
    return results;
  };

  const std::vector<placement> plain(shapes.size() + outs);
  const auto want =
      evaluate([](const Op& q, const arguments& a) { reference::run(q, a); }, weight_pointers, plain, false);
  std::string shape_text, layout_text;
  for (const extents& s : shapes) shape_text += text(s);
  for (const placement& q : places) layout_text += q.order == layout::nchw ? " nchw" : " nhwc+" + std::to_string(q.gap);
  CAPTURE(shape_text);
  CAPTURE(layout_text);
  for (int in_place = 0; in_place <= (o.in_place ? 1 : 0); ++in_place) {
    CAPTURE(in_place);
    const auto got = evaluate(run, packed_pointers, places, in_place != 0);
    for (std::size_t i = 0; i < outs; ++i) require_close(got[i], want[i], o.tolerance, o.signed_zeros);
    if (!traits_of<Op>.divisible) continue;
    for (int parts : part_counts) {
      CAPTURE(parts);
      const auto again = evaluate(in_parts{run, parts}, packed_pointers, places, in_place != 0);
      for (std::size_t i = 0; i < outs; ++i) REQUIRE(same_bits(again[i], got[i]));
    }
  }
}

/// All operands in one layout: nchw, dense nhwc, nhwc with gaps that differ.
template <class Op, class Run>
void compare_same(const Run& run, const Op& p, const std::vector<extents>& shapes, const options& o = {}) {
  const std::size_t n = shapes.size() + static_cast<std::size_t>(output_count(p));
  compare(run, p, shapes, std::vector<placement>(n), o);
  if (shapes[0].rank != 3 && shapes[0].rank != 4) return;
  compare(run, p, shapes, std::vector<placement>(n, {layout::nhwc, 0}), o);
  std::vector<placement> gaps;
  for (std::size_t i = 0; i < n; ++i) gaps.push_back({layout::nhwc, static_cast<int>(5 * i % 7) + 1});
  compare(run, p, shapes, gaps, o);
}

/// Both sides nhwc.
template <class Op, class Run>
void compare_nhwc(const Run& run, const Op& p, const extents& shape, const options& o = {}) {
  compare(run, p, {shape}, {{layout::nhwc, 0}, {layout::nhwc, 0}}, o);
  compare(run, p, {shape}, {{layout::nhwc, 3}, {layout::nhwc, 1}}, o);
}

/// A layout for each operand, in every combination of nchw and nhwc.
template <class Op, class Run>
void compare_any(const Run& run, const Op& p, const std::vector<extents>& shapes, const options& o = {}) {
  const std::size_t n = shapes.size() + static_cast<std::size_t>(output_count(p));
  for (unsigned choice = 0; choice < 1u << n; ++choice) {
    std::vector<placement> places;
    for (std::size_t i = 0; i < n; ++i)
      places.push_back((choice >> i & 1u) != 0 ? placement{layout::nhwc, static_cast<int>(i) % 3} : placement{});
    compare(run, p, shapes, places, o);
  }
}

/// NaN of both signs and infinities at each place of an input, one at a time, both sides nhwc or as they are.
template <class Op, class Run>
void compare_with_specials(const Run& run, const Op& p, const extents& shape, placement place, options o = {}) {
  const float infinity = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
  for (const float value : {nan, -nan, infinity, -infinity})
    for (int i = 0; i < static_cast<int>(shape.count()); ++i) {
      o.special_at = i;
      o.special_value = value;
      CAPTURE(value);
      CAPTURE(i);
      compare(run, p, {shape}, {place, place}, o);
    }
}

/// Lengths around the lanes of every target.
inline std::vector<int> lengths() {
  std::vector<int> n;
  for (int i = 1; i <= 33; ++i) n.push_back(i);
  for (int i : {47, 63, 64, 65, 100}) n.push_back(i);
  return n;
}

}  // namespace ctnn::ir::test
