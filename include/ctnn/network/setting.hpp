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

}  // namespace ctnn
