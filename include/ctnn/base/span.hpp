// SPDX-License-Identifier: BSL-1.0
// std::span for passes that run in the compiler: made by one call and read by none (libstdc++'s take compilers four for
// each), and as good at run time. The two become each other by themselves.
#pragma once

#include <cstddef>
#include <span>  // with what says that a span is a view
#include <type_traits>

namespace ctnn::ir {

template <class T>
struct span;

namespace detail {

/// May a T* point at what a From* does?
template <class From, class T>
concept elements_are = std::is_same_v<From, T*> || std::is_same_v<const std::remove_pointer_t<From>*, T*>;
/// Ours: pool, static_vector, span.
template <class List, class T>
concept has_items = requires(List& l) {
  { l.items + l.count } -> elements_are<T>;
};
/// And everybody else's.
template <class List, class T>
concept has_data = !has_items<List, T> && requires(List& l) {
  { l.data() } -> elements_are<T>;
  l.size();
};

}  // namespace detail

template <class T>
struct span {
  using element_type = T;
  T* items = nullptr;
  std::size_t count = 0;

  constexpr span() = default;
  constexpr span(T* first, std::size_t n) : items(first), count(n) {}
  template <std::size_t N>
  constexpr span(T (&all)[N]) : items(all), count(N) {}
  template <detail::has_items<T> List>
    requires(!std::is_same_v<std::remove_cvref_t<List>, span>)  // which are copied
  constexpr span(List&& list) : items(list.items), count(list.count) {}
  template <detail::has_data<T> List>
  constexpr span(List&& list) : items(list.data()), count(list.size()) {}

  constexpr std::size_t size() const { return count; }
  constexpr std::size_t size_bytes() const { return count * sizeof(T); }
  constexpr bool empty() const { return count == 0; }
  constexpr T* data() const { return items; }
  constexpr T* begin() const { return items; }
  constexpr T* end() const { return items + count; }
  constexpr T& operator[](std::size_t i) const { return items[i]; }
  constexpr T& front() const { return items[0]; }
  constexpr T& back() const { return items[count - 1]; }
  constexpr span first(std::size_t n) const { return {items, n}; }
  constexpr span last(std::size_t n) const { return {items + count - n, n}; }
  constexpr span subspan(std::size_t at) const { return {items + at, count - at}; }
  constexpr span subspan(std::size_t at, std::size_t n) const { return {items + at, n}; }
};

}  // namespace ctnn::ir

template <class T>
inline constexpr bool std::ranges::enable_borrowed_range<ctnn::ir::span<T>> = true;
