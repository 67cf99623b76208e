// SPDX-License-Identifier: BSL-1.0
// Keys and values that GroupQueryAttention keeps as integers.
#pragma once

#include "microsoft.hpp"

namespace ctnn::onnx::readers {

/// Symmetric integers of 8 bits, or of 4, two a byte, the first in the low bits and 8 more than they stand for; by a
/// scale for all keys or one for each place of them, (1, heads, 1, size), and the same of values. New ones are rounded
/// before any query sees them. As ONNX Runtime's CPU kernel has them.
class quantized_cache {
 public:
  quantized_cache(node_reader& n, int heads, int size) : n_(n), size_(size) {
    const std::string how = n.text("k_quant_type", "NONE"), of_values = n.text("v_quant_type", "NONE");
    bits_ = n.small("kv_cache_bit_width", 0);
    if (how != of_values) n.fail("k_quant_type is " + how + ", v_quant_type " + of_values);
    if (how == "NONE") {
      if (n.has(first_scale) || n.has(first_scale + 1)) n.fail("has scales of caches that are no integers");
      bits_ = 0;
      return;
    }
    if (how != "PER_TENSOR" && how != "PER_CHANNEL") n.fail("k_quant_type is '" + how + "'");
    if (bits_ != 4 && bits_ != 8) n.fail("kv_cache_bit_width is " + std::to_string(bits_));
    if (bits_ == 4 && size % 2 != 0) n.fail("keys of " + std::to_string(size) + " numbers share no bytes in pairs");
    if (n.type(n.input(0)) != dtype::f32)
      node_reader::refuse("caches of integers beside " + std::string(name_of(n.type(n.input(0)))));
    for (const std::size_t i : {std::size_t{0}, std::size_t{1}}) {
      const char* const name = i == 0 ? "k_scale" : "v_scale";
      if (!n.has(first_scale + i)) n.fail(std::string(name) + " is missing");
      const term given = n.input(first_scale + i);
      const bool one = how == "PER_TENSOR";
      if (n.shape(given).count() != (one ? 1 : std::int64_t{heads} * size))
        n.fail(std::string(name) + " is " + describe(n.shape(given)) + ", expected " +
               (one ? "1" : describe({1, heads, 1, size})));
      scale_[i] = n.reshaped(given, one ? extents{1, 1, 1, 1} : extents{1, heads, 1, size});
      // A scale of 0 stands for no numbers yet.
      const term zero = compared(n, op::comparison::equal, scale_[i], n.number(0, dtype::f32));
      factor_[i] = applied(n, {function::reciprocal}, n.add(op::where{}, {zero, n.number(1, dtype::f32), scale_[i]}));
    }
  }
  explicit operator bool() const { return bits_ != 0; }

  /// Elements of a cache for the numbers of a key.
  int stored() const { return bits_ == 4 ? size_ / 2 : size_; }

  /// What a cache of keys (0) or values (1) stands for, (batch, heads, count, size).
  term numbers(std::size_t i, term cache) const {
    if (!*this) return cache;
    if (n_.type(cache) != (bits_ == 4 ? dtype::u8 : dtype::i8))
      n_.fail("caches of " + std::to_string(bits_) + " bits are " + std::string(name_of(n_.type(cache))));
    term whole = n_.cast(bits_ == 8 ? cache : unpacked(n_, cache, bits_, size_), dtype::f32);
    if (bits_ == 4) whole = sum_of(n_, whole, n_.number(-8, dtype::f32));
    return binary_of(n_, op::binary_function::mul, whole, scale_[i]);
  }
  /// The cache of numbers (batch, heads, count, size).
  term of(std::size_t i, term numbers) const {
    if (!*this) return numbers;
    const term whole = rounded(numbers, factor_[i]);
    if (bits_ == 8) return n_.cast(whole, dtype::i8);
    const term codes = n_.cast(sum_of(n_, whole, n_.number(8, dtype::f32)), dtype::u8);
    const auto every_second = [&](int from) { return n_.add(op::slice{{3}, {from}, {size_}, {2}}, {codes}); };
    const term high = n_.add(op::logic{op::logic_function::shift_left}, {every_second(1), n_.number(4, dtype::u8)});
    return n_.add(op::logic{op::logic_function::bit_or}, {every_second(0), high});
  }
  /// Numbers (batch, length, heads times size) as a cache gives them back.
  term as_kept(std::size_t i, term numbers) const {
    if (!*this) return numbers;
    const auto in_a_row = [&](term t) { return n_.reshaped(t, {1, 1, static_cast<int>(n_.shape(t).count())}); };
    return binary_of(n_, op::binary_function::mul, rounded(numbers, in_a_row(factor_[i])), in_a_row(scale_[i]));
  }

 private:
  static constexpr std::size_t first_scale = 12;

  term rounded(term numbers, term factor) const {
    const float least = bits_ == 4 ? -8 : -128, most = bits_ == 4 ? 7 : 127;
    const term scaled = binary_of(n_, op::binary_function::mul, numbers, factor);
    return applied(n_, {function::clip, least, most}, applied(n_, {function::round}, scaled));
  }

  node_reader& n_;
  int size_, bits_ = 0;
  term scale_[2] = {none, none}, factor_[2] = {none, none};
};

}  // namespace ctnn::onnx::readers
