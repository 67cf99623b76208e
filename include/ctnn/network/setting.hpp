// SPDX-License-Identifier: BSL-1.0
// The options of a layer in a network that is a function: members of a struct, to be set by name,
// {.out_channels = 16, .kernel_size = 3}. What is not set has the operator's default.
#pragma once

#include <concepts>
#include <initializer_list>
#include <string_view>
#include <type_traits>

#include "options.hpp"

namespace ctnn {

/// The numbers of one option, up to `Most`: a number, a boolean, an enumerator, a shape, or several in braces.
template <std::size_t Most>
class basic_setting {
 public:
  constexpr basic_setting() {}
  template <class T>
  requires(std::is_arithmetic_v<T> || std::is_enum_v<T>) constexpr basic_setting(T value) { push(value); }
  constexpr basic_setting(std::initializer_list<number> values) {
    for (const number& v : values) push_number(v.value);
  }
  constexpr basic_setting(const extents& shape) {
    for (int i = 0; i < shape.rank; ++i) push_number(shape.dims[i]);
  }
  constexpr basic_setting(const basic_setting& other) { *this = other; }
  constexpr basic_setting& operator=(const basic_setting& other) {
    count_ = other.count_;
    for (std::size_t i = 0; i < size(); ++i) values_[i] = other.values_[i];
    return *this;
  }

  constexpr bool is_set() const { return count_ > 0; }
  constexpr std::size_t size() const { return static_cast<std::size_t>(count_); }
  constexpr const double* begin() const { return values_; }
  constexpr const double* end() const { return values_ + count_; }
  constexpr double operator[](std::size_t i) const { return values_[i]; }
  constexpr void append(const number& v) { push_number(v.value); }
  /// The only number, or what stands for it.
  constexpr int whole_or(int instead) const { return is_set() ? static_cast<int>(values_[0]) : instead; }

 private:
  template <class T>
  constexpr void push(T value) {
    if constexpr (std::is_floating_point_v<T>) push_number(number(static_cast<double>(value)).value);
    else push_number(static_cast<double>(value));
  }
  constexpr void push_number(double value) { values_[count_++] = value; }

  double values_[Most];  // as many as count: compilers count the steps that set the others
  int count_ = 0;
};
/// For an axis each, or fewer.
using setting = basic_setting<2 * max_rank>;
/// For lists.
using long_setting = basic_setting<ir::max_list>;

/// What PyTorch says by a word, "same", "reflect", "bilinear", or the number or enumerator that it stands for.
class word_setting : public setting {
 public:
  using setting::setting;
  constexpr word_setting() {}
  constexpr word_setting(const char* word) : setting(number_of(word)), word_(word) {}

  constexpr bool is_word() const { return !word_.empty(); }
  /// Of a word that nobody knows: it is said as an option, so that the mistake names it.
  constexpr std::string_view unknown_word() const { return is_word() && (*this)[0] < 0 ? word_ : std::string_view(); }

 private:
  static constexpr int number_of(std::string_view word) {
    const struct {
      std::string_view word;
      int number;
    } words[] = {{"valid", static_cast<int>(ir::same_padding::none)},
                 {"same", static_cast<int>(ir::same_padding::upper)},
                 {"same_lower", static_cast<int>(ir::same_padding::lower)},
                 {"zeros", static_cast<int>(op::pad_mode::constant)},  // and op::grid_padding::zeros
                 {"constant", static_cast<int>(op::pad_mode::constant)},
                 {"reflect", static_cast<int>(op::pad_mode::reflect)},
                 {"replicate", static_cast<int>(op::pad_mode::edge)},
                 {"circular", static_cast<int>(op::pad_mode::wrap)},
                 {"border", static_cast<int>(op::grid_padding::border)},
                 {"reflection", static_cast<int>(op::grid_padding::reflection)},
                 {"nearest", static_cast<int>(op::interpolation::nearest)},
                 {"bilinear", static_cast<int>(op::interpolation::linear)},
                 {"bicubic", static_cast<int>(op::interpolation::cubic)},
                 {"tanh", static_cast<int>(ir::function::tanh)},
                 {"relu", static_cast<int>(ir::function::relu)}};
    for (const auto& w : words)
      if (w.word == word) return w.number;
    return -1;
  }

  std::string_view word_{};
};

}  // namespace ctnn
