// SPDX-License-Identifier: BSL-1.0
// A value, or what went wrong: for callers who want no exceptions. Needs neither exceptions nor heap itself.
#pragma once

#include <utility>
#include <variant>

namespace ctnn {

struct error;

/// `*r` and `r->` only where `r` is true, `r.error()` only where it is false.
template <class T, class E = error>
class result {
 public:
  constexpr result(T value) : either_(std::in_place_index<0>, std::move(value)) {}
  constexpr result(E error) : either_(std::in_place_index<1>, std::move(error)) {}

  constexpr explicit operator bool() const { return either_.index() == 0; }
  constexpr T& operator*() & { return *std::get_if<0>(&either_); }
  constexpr const T& operator*() const& { return *std::get_if<0>(&either_); }
  constexpr T&& operator*() && { return std::move(*std::get_if<0>(&either_)); }
  constexpr T* operator->() { return std::get_if<0>(&either_); }
  constexpr const T* operator->() const { return std::get_if<0>(&either_); }
  constexpr const E& error() const { return *std::get_if<1>(&either_); }

 private:
  std::variant<T, E> either_;
};

/// Done, or what went wrong.
template <class E>
class result<void, E> {
 public:
  constexpr result() = default;
  constexpr result(E error) : either_(std::in_place_index<1>, std::move(error)) {}

  constexpr explicit operator bool() const { return either_.index() == 0; }
  constexpr const E& error() const { return *std::get_if<1>(&either_); }

 private:
  std::variant<std::monostate, E> either_;
};

}  // namespace ctnn
