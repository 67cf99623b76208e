// SPDX-License-Identifier: BSL-1.0
// The sweep of products by packed weights that every target's linear must get right, against plain loops in double
// precision over the numbers that were packed.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstring>

#include <ctnn/graph/operators/linear.hpp>

#include "convolution_cases.hpp"

namespace ctnn::ir {
namespace {

using packed_kernel = void (*)(const op::linear&, const arguments&);

struct packed_case {
  dtype type;
  int bits, block;
  bool zeros, transposed;
};

inline op::linear packed_layer(int out, const packed_case& c, bool bias, activation_function f = {}) {
  op::linear p{out, bias, f};
  p.weight.type = c.type;
  p.weight.bits = c.bits;
  p.weight.block = c.block;
  p.weight.zero_points = c.zeros;
  p.transposed = c.transposed;
  return p;
}

inline void check_packed(const op::linear& p, const extents& shape, packed_kernel kernel, bool residual = false) {
  extents out;
  REQUIRE(!p.infer({&shape, 1}, {&out, 1}));
  random_numbers random;
  const int depth = shape.back(0);
  const auto x = random.many(shape.count());
  const auto slots = p.weights({&shape, 1});
  const op::weight_element& e = p.weight;
  // Numbers of each row as integers, then packed, low bits first.
  const std::int64_t row_words = e.words(depth), blocks = e.blocks(depth);
  const bool is_signed = e.type == dtype::i8;
  std::vector<std::vector<float>> as_files, packed;
  std::vector<int> numbers(static_cast<std::size_t>(std::int64_t{p.out} * depth));
  std::vector<std::uint8_t> words(static_cast<std::size_t>((p.out * row_words + 3) / 4 * 4));
  const auto drawn = random.many(static_cast<std::int64_t>(p.out) * depth);
  for (int o = 0; o < p.out; ++o)
    for (int k = 0; k < depth; ++k) {
      const float any = std::fabs(drawn[static_cast<std::size_t>(o * depth + k)]) * 1000003;
      const int n = static_cast<int>(any) % (1 << e.bits);
      numbers[static_cast<std::size_t>(o * depth + k)] = is_signed && n > 127 ? n - 256 : n;
      const int in_word = 8 / e.bits;
      const std::int64_t at = p.transposed ? std::int64_t{k} * p.out + o : o * row_words + k / in_word;
      words[static_cast<std::size_t>(at)] =
          static_cast<std::uint8_t>(words[static_cast<std::size_t>(at)] | n << k % in_word * e.bits);
    }
  for (std::size_t i = 0; i < slots.size(); ++i) {
    const std::int64_t count = slots[i].shape.count();
    if (i == 0) {
      as_files.emplace_back(words.size() / 4);
      std::memcpy(as_files[0].data(), words.data(), words.size());
    } else {
      as_files.push_back(random.many(count));
    }
    if (slots[i].name == "weight_zero")
      for (float& z : as_files.back()) z = std::round(z * static_cast<float>(1 << (e.bits - 1)));
    packed.emplace_back(static_cast<std::size_t>(packed_count(p, static_cast<int>(i), slots[i].shape)));
    pack(p, static_cast<int>(i), slots[i].shape, as_files[i].data(), packed[i].data());
  }
  auto before = random.many(out.count());
  before.push_back(untouched);
  auto y = before;
  const const_tensor in[] = {{x.data(), shape, layout::nchw, 0}, {before.data(), out, layout::nchw, 0}};
  const tensor result{y.data(), out, layout::nchw, 0};
  std::vector<const float*> w, plain;
  for (std::size_t i = 0; i < slots.size(); ++i) {
    w.push_back(packed[i].data());
    plain.push_back(as_files[i].data());
  }
  const arguments a{{in, residual ? 2u : 1u}, {&result, 1}, w};
  std::vector<std::vector<float>> by_parts;
  for (int parts : test::part_counts) {
    test::in_parts{kernel, parts}(p, a);
    by_parts.push_back(y);
    std::copy(before.begin(), before.end(), y.begin());
  }
  kernel(p, a);
  for (const auto& z : by_parts) CHECK(test::same_bits(y, z));
  auto defined = before;
  const tensor by_definition{defined.data(), out, layout::nchw, 0};
  reference::run(p, arguments{{in, residual ? 2u : 1u}, {&by_definition, 1}, plain});
  const std::size_t scales = p.bias ? 2 : 1;
  int wrong = 0, undefined = 0;
  for (std::size_t i = 0; i + 1 < y.size(); ++i) {
    const auto row = static_cast<int>(i) / p.out, o = static_cast<int>(i) % p.out;
    double sum = p.bias ? static_cast<double>(as_files[1][static_cast<std::size_t>(o)]) : 0.0, size = 1;
    if (residual) sum += static_cast<double>(before[i]);
    for (int k = 0; k < depth; ++k) {
      const auto b = static_cast<std::size_t>(o * blocks + (e.block == 0 ? 0 : k / e.block));
      const double usual = is_signed ? 0 : 1 << (e.bits - 1);
      const double zero = e.zero_points ? static_cast<double>(as_files[scales + 1][b]) : usual;
      const double product = static_cast<double>(x[static_cast<std::size_t>(row * depth + k)]) *
                             (numbers[static_cast<std::size_t>(o * depth + k)] - zero) *
                             static_cast<double>(as_files[scales][b]);
      sum += product;
      size += std::fabs(product);
    }
    const auto want = static_cast<double>(apply(p.activation, static_cast<float>(sum)));
    if (!(std::fabs(static_cast<double>(y[i]) - want) <= 1e-6 * size)) ++wrong;
    if (!(std::fabs(static_cast<double>(defined[i]) - want) <= 1e-5 * size)) ++undefined;
  }
  CAPTURE(depth);
  CAPTURE(p.out);
  CAPTURE(shape.rank);
  CAPTURE(e.bits);
  CAPTURE(e.block);
  CAPTURE(e.zero_points);
  CAPTURE(p.transposed);
  CHECK(wrong == 0);
  CHECK(undefined == 0);
  CHECK(y.back() == untouched);
}

inline void sweep_packed(packed_kernel kernel) {
  for (const packed_case& c : {packed_case{dtype::u8, 4, 32, false, false}, packed_case{dtype::u8, 4, 16, true, false},
                               packed_case{dtype::u8, 8, 16, false, false}, packed_case{dtype::u8, 8, 0, true, false},
                               packed_case{dtype::i8, 8, 0, false, true}, packed_case{dtype::i8, 8, 0, true, false},
                               packed_case{dtype::u8, 2, 16, true, false}, packed_case{dtype::u8, 4, 0, false, false}})
    for (int depth : {1, 7, 33, 300})
      for (int out : {1, 16, 17, 70, 130}) {
        check_packed(packed_layer(out, c, true), {depth}, kernel);
        check_packed(packed_layer(out, c, false, {function::relu}), {depth}, kernel, true);
        check_packed(packed_layer(out, c, true, {function::silu}), {2, 7, depth}, kernel);
        check_packed(packed_layer(out, c, false), {13, depth}, kernel, true);
      }
}

}  // namespace
}  // namespace ctnn::ir
