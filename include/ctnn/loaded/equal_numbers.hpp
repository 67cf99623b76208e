// SPDX-License-Identifier: BSL-1.0
// Whether arrays have the same numbers, at the cost of few reads of a file, and never in memory as a whole.
#pragma once

#include <algorithm>
#include <functional>
#include <map>
#include <string_view>
#include <tuple>
#include <vector>

#include "array.hpp"

namespace ctnn::ir {

/// Tells apart most numbers that differ.
inline std::int64_t beginning_of(const array& a) {
  constexpr std::size_t most = 4096;
  const number_source* const from = a.source().get();
  const auto look = [&] {
    std::vector<std::byte> some(std::min(most, a.size() * static_cast<std::size_t>(size_of(a.type()))));
    const bool is_part = from && from->part(0, some);
    const auto start = is_part ? std::span<const std::byte>(some) : a.bytes().first(some.size());
    const std::string_view text(static_cast<const char*>(static_cast<const void*>(start.data())), start.size());
    return static_cast<std::int64_t>(std::hash<std::string_view>()(text) >> 1);
  };
  return from ? from->once(number_source::question::beginning, look) : look();
}

/// Compares some bytes after the others, of which few are in memory at one time, until two differ.
inline bool same_parts(const number_source& x, const number_source& y, std::size_t size) {
  constexpr std::size_t at_once = std::size_t{1} << 16;
  std::vector<std::byte> a(std::min(at_once, size)), b(a.size());
  for (std::size_t from = 0; from < size; from += at_once) {
    const std::size_t now = std::min(at_once, size - from);
    x.part(from, std::span(a).first(now));
    y.part(from, std::span(b).first(now));
    if (!std::equal(a.begin(), a.begin() + static_cast<std::ptrdiff_t>(now), b.begin())) return false;
  }
  return true;
}
inline bool same_numbers(const array& a, const array& b) {
  const auto x = a.source(), y = b.source();
  if (x && x == y) return true;
  if (!x || !y) return same_bytes(a, b);
  return x->once_with(*y, [&] {  // they may be compared again
    const std::size_t size = a.size() * static_cast<std::size_t>(size_of(a.type()));
    return x->has_parts() && y->has_parts() ? same_parts(*x, *y, size) : same_bytes(a, b);
  });
}

/// Known arrays, each the `numbers` of a Known, by what is cheap to compare.
template <class Known>
class equal_numbers {
 public:
  void add(const Known& k) { alike(*k.numbers).push_back(k); }
  /// One with the type and the bytes of `a`, for which `fits` besides; null if there is none.
  const Known* find(const shared_array& a, auto&& fits) {
    for (const Known& k : alike(*a))
      if (fits(k) && (k.numbers == a || same_numbers(*k.numbers, *a))) return &k;
    return nullptr;
  }

 private:
  std::vector<Known>& alike(const array& a) { return known_[{a.type(), a.size(), beginning_of(a)}]; }

  std::map<std::tuple<dtype, std::size_t, std::int64_t>, std::vector<Known>> known_;
};

}  // namespace ctnn::ir
