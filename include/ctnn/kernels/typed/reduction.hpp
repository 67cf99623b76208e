// SPDX-License-Identifier: BSL-1.0
// Reductions, positions of extremes, running sums and normalised exponentials, for every element type.
#pragma once

#include <numeric>

#include "../../graph/operators/reduce.hpp"
#include "../../graph/operators/reduction.hpp"
#include "../walks/reduction_walk.hpp"
#include "elementwise.hpp"

CTNN_BEGIN_LOOPS
namespace ctnn::ir::typed {

/// Offsets in x of the kept positions and, relative to them, of the reduced ones.
struct reduction_offsets {
  std::span<const std::int64_t> kept, reduced;
  reduction_offsets(const arguments& a, unsigned bits, scratch_memory& memory) {
    const reduction_walk walk(a.out[0], a.in[0], bits);
    kept = offsets_of(walk.kept, memory);
    reduced = offsets_of(walk.reduced, memory);
  }

 private:
  /// Those of the last operand.
  template <int Operands>
  static std::span<const std::int64_t> offsets_of(const loop_nest<Operands>& nest, scratch_memory& memory) {
    std::int64_t count = 1;
    for (int d = 0; d < nest.depth; ++d) count *= nest.levels[d].extent;
    const std::span<std::int64_t> out = memory.take<std::int64_t>(count);
    if (count == 0) return out;
    loop_cursor<Operands> at(nest, 0);
    std::size_t i = 0;
    do out[i++] = at.offset[Operands - 1];
    while (at.next());
    return out;
  }
};

template <class T>
T lowest() {
  if constexpr (std::numeric_limits<T>::has_infinity) return -std::numeric_limits<T>::infinity();
  else return std::numeric_limits<T>::lowest();
}
template <class T>
T highest() {
  if constexpr (std::numeric_limits<T>::has_infinity) return std::numeric_limits<T>::infinity();
  else return std::numeric_limits<T>::max();
}

/// Sums are kept in double for floats and wrap around for integers.
template <class T>
T reduced_value(op::reduction f, const T* x, std::span<const std::int64_t> at) {
  using sum_type = std::conditional_t<std::is_floating_point_v<T>, double, std::uint64_t>;
  using enum op::reduction;
  const auto total = [&](auto g) {
    sum_type s{};
    for (std::int64_t i : at) s += g(static_cast<sum_type>(x[i]));
    return s;
  };
  const auto plain = [](sum_type v) { return v; };
  const auto squared = [](sum_type v) { return v * v; };
  const auto size = [&] {
    sum_type s{};
    for (std::int64_t i : at) s += x[i] < 0 ? sum_type{} - static_cast<sum_type>(x[i]) : static_cast<sum_type>(x[i]);
    return s;
  };
  const auto real = [](sum_type v) {
    if constexpr (std::is_signed_v<T> && std::is_integral_v<T>)
      return static_cast<double>(static_cast<std::int64_t>(v));
    else return static_cast<double>(v);
  };
  switch (f) {
    case sum: return static_cast<T>(total(plain));
    case mean:
      if constexpr (std::is_floating_point_v<T>) return static_cast<T>(total(plain) / static_cast<double>(at.size()));
      else if constexpr (std::is_signed_v<T>)
        return at.empty()
                   ? T{}
                   : static_cast<T>(static_cast<std::int64_t>(total(plain)) / static_cast<std::int64_t>(at.size()));
      else return at.empty() ? T{} : static_cast<T>(total(plain) / at.size());
    case max: {
      T m = lowest<T>();
      for (std::int64_t i : at) m = larger(m, x[i]);
      return m;
    }
    case min: {
      T m = highest<T>();
      for (std::int64_t i : at) m = smaller(m, x[i]);
      return m;
    }
    case prod: {
      sum_type p = 1;
      for (std::int64_t i : at) p *= static_cast<sum_type>(x[i]);
      return static_cast<T>(p);
    }
    case l1: return static_cast<T>(size());
    case l2: return saturated<T>(std::sqrt(real(total(squared))));
    case sum_square: return static_cast<T>(total(squared));
    case log_sum: return saturated<T>(std::log(real(total(plain))));
    case log_sum_exp: {
      double top = -std::numeric_limits<double>::infinity(), s = 0;
      for (std::int64_t i : at) top = larger(top, static_cast<double>(x[i]));
      if (!(std::abs(top) < std::numeric_limits<double>::infinity())) return saturated<T>(top);
      for (std::int64_t i : at) s += std::exp(static_cast<double>(x[i]) - top);
      return saturated<T>(top + std::log(s));
    }
  }
  return T{};
}

inline void run(const op::reduce& p, const arguments& a, scratch_memory memory) {
  if (a.out[0].shape.count() == 0) return;
  const reduction_offsets walk(a, p.reduced(a.in[0].shape), memory);
  visit_element(p.name, a.in[0].type, [&]<class T>(tag<T>) {
    const T* x = elements<T>(a.in[0]);  // of no elements: null, and nothing is read
    T* y = elements<T>(a.out[0]);
    for (std::int64_t o : walk.kept) *y++ = reduced_value(p.function, x == nullptr ? x : x + o, walk.reduced);
  });
}

/// Does an element take the place of the best so far? The first NaN wins, as in numpy, or the last. By bits, without
/// a branch.
template <bool Largest, bool Last>
struct takes_place {
  template <class T>
  bool operator()(T now, T top) const {
    const bool known = top == top, nan = now != now, better = Largest ? now > top : now < top;
    return (known & (better | nan | (Last & (now == top)))) | (Last & nan & !known);
  }
};

/// Positions of the best of `size` elements `inner` apart, for `n` neighbours (at most row_piece), and those elements:
/// a loop that compilers make vectors of.
template <class T, class Takes>
void find_best(const T* x, std::int64_t size, std::int64_t inner, std::int64_t n, Takes takes, T* top,
               std::int32_t* best) {
  std::copy_n(x, n, top);
  std::fill_n(best, n, 0);
  for (std::int32_t i = 1; i < size; ++i) {
    const T* now = x + i * inner;
    for (std::int64_t k = 0; k < n; ++k) {
      const bool taken = takes(now[k], top[k]);
      top[k] = taken ? now[k] : top[k];
      best[k] = taken ? i : best[k];
    }
  }
}

/// join(k, other) of the first half of `Count` numbers with the second, and so on until one is left.
template <int Count, class Join>
void halve(Join join) {
  for (int k = 0; k < Count / 2; ++k) join(k, k + Count / 2);
  if constexpr (Count > 2) halve<Count / 2>(join);
}

/// The best of `size` neighbours, at least 16; false if there is a NaN. 16 at a time are compared first.
template <bool Largest, class T>
bool best_of_row(const T* x, std::int64_t size, T& best) {
  constexpr int columns = 16;
  const auto better = [](T a, T b) { return Largest ? (a > b ? a : b) : (a < b ? a : b); };
  T tops[columns];
  std::int32_t strange[columns];
  for (int k = 0; k < columns; ++k) tops[k] = x[k];
  for (int k = 0; k < columns; ++k) strange[k] = x[k] != x[k];
  const auto take = [&](const T* now) {
    for (int k = 0; k < columns; ++k) tops[k] = better(now[k], tops[k]);
    for (int k = 0; k < columns; ++k) strange[k] |= now[k] != now[k];
  };
  for (std::int64_t i = columns; i + columns <= size; i += columns) take(x + i);
  if (size % columns != 0) take(x + size - columns);
  halve<columns>([&](int k, int other) { tops[k] = better(tops[k], tops[other]); });
  halve<columns>([&](int k, int other) { strange[k] |= strange[other]; });
  best = tops[0];
  return strange[0] == 0;
}

/// Where the first, or the last, of `size` neighbours is, at least 16, that equals one of them. Among 64 of them it is
/// looked for without a branch.
template <bool Last, class T>
std::int64_t find_value(const T* x, std::int64_t size, T value) {
  constexpr std::int64_t columns = 16, some = 64;
  const auto is_among = [&](const T* now) {
    std::int32_t found = 0;
    for (std::int64_t k = 0; k < some; ++k) found |= now[k] == value;
    return found != 0;
  };
  std::int64_t begin = 0, end = size;
  if constexpr (Last) {
    while (end > some && !is_among(x + end - some)) end -= some;
    end = std::max(end, columns);
    begin = std::max(end - some, std::int64_t{0});
  } else {
    while (end - begin > some && !is_among(x + begin)) begin += some;
    begin = std::min(begin, end - columns);
    end = std::min(begin + some, end);
  }
  std::int32_t places[columns];
  std::fill_n(places, columns, Last ? -1 : static_cast<std::int32_t>(some));
  const auto take = [&](std::int64_t i) {
    const T* now = x + begin + i;
    for (std::int64_t k = 0; k < columns; ++k)
      places[k] = now[k] == value ? static_cast<std::int32_t>(i + k) : places[k];
  };
  const std::int64_t last = end - begin - columns;
  if constexpr (Last) {
    for (std::int64_t i = 0; i < last; i += columns) take(i);
    take(last);
  } else {
    for (std::int64_t i = last; i > 0; i -= columns) take(i);
    take(0);
  }
  halve<columns>([&](int k, int other) {
    const std::int32_t a = places[k], b = places[other];
    places[k] = Last ? (a > b ? a : b) : (a < b ? a : b);
  });
  return begin + places[0];
}

/// The same as find_best() of `size` neighbours.
template <class T, bool Largest, bool Last>
std::int64_t find_best(const T* x, std::int64_t size, takes_place<Largest, Last> takes) {
  if (T best; size >= 16 && best_of_row<Largest>(x, size, best)) return find_value<Last>(x, size, best);
  std::int64_t at = 0;
  for (std::int64_t i = 1; i < size; ++i)
    if (takes(x[i], x[at])) at = i;
  return at;
}

inline void run(const op::arg_reduce& p, const arguments& a) {
  const around s(a.in[0].shape, p.axis);
  for_numbers(p.name, a, [&]<class T>(const arguments& b, tag<T>) {
    const auto find = [&](auto takes) {
      const T* x = elements<T>(b.in[0]);
      auto* y = elements<std::int64_t>(b.out[0]);
      T top[row_piece];
      std::int32_t best[row_piece];
      for (std::int64_t o = 0; o < s.outer; ++o, x += s.size * s.inner, y += s.inner)
        if (s.inner == 1) *y = find_best(x, s.size, takes);
        else
          for_pieces(static_cast<std::ptrdiff_t>(s.inner), [&](std::ptrdiff_t first, std::ptrdiff_t n) {
            find_best(x + first, s.size, s.inner, n, takes, top, best);
            std::copy_n(best, n, y + first);
          });
    };
    if (p.largest) p.last ? find(takes_place<true, true>{}) : find(takes_place<true, false>{});
    else p.last ? find(takes_place<false, true>{}) : find(takes_place<false, false>{});
  });
}

inline void run(const op::cumsum& p, const arguments& a) {
  const around s(a.in[0].shape, p.axis);
  for_numbers(p.name, a, [&]<class T>(const arguments& b, tag<T>) {
    const auto f = p.product ? op::binary_function::mul : op::binary_function::add;
    for (std::int64_t o = 0; o < s.outer; ++o)
      for (std::int64_t r = 0; r < s.inner; ++r) {
        const T* x = elements<T>(b.in[0]) + o * s.size * s.inner + r;
        T* y = elements<T>(b.out[0]) + o * s.size * s.inner + r;
        T total = p.product ? 1 : 0;
        for (std::int64_t k = 0; k < s.size; ++k) {
          const std::int64_t i = (p.reverse ? s.size - 1 - k : k) * s.inner;
          const T before = total;
          total = binary_value(f, total, x[i]);
          y[i] = p.exclusive ? before : total;
        }
      }
  });
}

/// A number and its position as one unsigned number, or two: the larger, the sooner it comes. NaN counts as the largest
/// number, of equal ones the earlier comes first.
template <bool Largest, class T>
class place_in_order {
 public:
  place_in_order() = default;
  place_in_order(T x, std::int64_t position) {
    const auto back = ~static_cast<std::uint32_t>(position);
    if constexpr (packs) key_ = std::uint64_t{rank_of(x)} << 32 | back;
    else key_ = {rank_of(x), back};
  }
  std::int64_t position() const {
    if constexpr (packs) return ~static_cast<std::uint32_t>(key_);
    else return ~static_cast<std::uint32_t>(key_.second);
  }
  friend bool operator<(const place_in_order& a, const place_in_order& b) { return a.key_ < b.key_; }

 private:
  static constexpr bool packs = sizeof(T) <= 4;
  using rank = std::conditional_t<packs, std::uint32_t, std::uint64_t>;

  static rank rank_of(T x) {
    constexpr rank sign = rank{1} << (8 * sizeof(rank) - 1);
    rank up{};
    if constexpr (std::is_floating_point_v<T>) {
      const rank bits = std::bit_cast<rank>(x == 0 ? T{0} : x);
      up = x != x ? ~rank{0} : (bits & sign) != 0 ? ~bits : bits | sign;
    } else {
      up = static_cast<rank>(x) ^ (std::is_signed_v<T> ? sign : rank{0});
    }
    return Largest ? up : ~up;
  }

  std::conditional_t<packs, std::uint64_t, std::pair<std::uint64_t, std::uint64_t>> key_{};
};

/// The places of a row that come first, in order. `best` is a heap with the last of them on top, which most numbers do
/// not get past.
template <bool Largest, class T>
void select_first(const T* x, std::int64_t size, std::int64_t stride, std::span<place_in_order<Largest, T>> best) {
  using place = place_in_order<Largest, T>;
  const auto is_better = [](T a, T b) {  // by bits, without a branch
    return Largest ? (b == b) & ((a > b) | (a != a)) : (a < b) | ((a == a) & (b != b));
  };
  const auto comes_first = [](const place& a, const place& b) { return b < a; };
  const std::size_t k = best.size();
  for (std::size_t i = 0; i < k; ++i)
    best[i] = place(x[static_cast<std::int64_t>(i) * stride], static_cast<std::int64_t>(i));
  if (k > 0 && static_cast<std::int64_t>(k) < size) std::make_heap(best.begin(), best.end(), comes_first);
  constexpr std::int64_t some = 8;
  for (auto i = static_cast<std::int64_t>(k); k > 0 && i < size;) {
    T last = x[best[0].position() * stride];
    if (stride == 1 && i + some <= size) {  // a loop that compilers make vectors of; it lets NaN through
      int worse = 0;
      for (std::int64_t j = 0; j < some; ++j) worse += (Largest ? x[i + j] <= last : x[i + j] >= last) ? 1 : 0;
      if (worse == some) {
        i += some;
        continue;
      }
    }
    const std::int64_t end = std::min(i + some, size);
    for (; i < end; ++i) {
      if (!is_better(x[i * stride], last)) continue;
      const place now(x[i * stride], i);
      std::size_t hole = 0;  // of the last one: what comes after `now` moves up
      for (std::size_t next = 1; next < k; next = 2 * hole + 1) {
        if (next + 1 < k) next += best[next + 1] < best[next] ? 1 : 0;
        if (!(best[next] < now)) break;
        best[hole] = best[next];
        hole = next;
      }
      best[hole] = now;
      last = x[best[0].position() * stride];
    }
  }
  std::sort(best.begin(), best.end(), comes_first);
}

inline void run(const op::topk& p, const arguments& a, scratch_memory memory) {
  const around s(a.in[0].shape, p.axis);
  const auto run_rows = [&]<bool Largest, class T>(tag<T>, scratch_memory from) {
    const auto best = from.take<place_in_order<Largest, T>>(p.k);
    for (std::int64_t o = 0; o < s.outer; ++o)
      for (std::int64_t r = 0; r < s.inner; ++r) {
        const T* x = elements<T>(a.in[0]) + o * s.size * s.inner + r;
        select_first<Largest, T>(x, s.size, s.inner, best);
        std::int64_t at = o * p.k * s.inner + r;
        for (const auto& i : best) {
          elements<T>(a.out[0])[at] = x[i.position() * s.inner];
          elements<std::int64_t>(a.out[1])[at] = i.position();
          at += s.inner;
        }
      }
  };
  for_numbers(p.name, a, [&]<class T>(const arguments&, tag<T> t) {
    if (p.largest) run_rows.template operator()<true, T>(t, memory);
    else run_rows.template operator()<false, T>(t, memory);
  });
}

/// row(x, y, stride) along an axis for floating-point elements.
template <class F>
void for_each_row(std::string_view op, const arguments& a, int axis, F row) {
  const around s(a.in[0].shape, axis);
  for_floating(op, a, [&]<class T>(const arguments& b, tag<T>) {
    for (std::int64_t o = 0; o < s.outer; ++o)
      for (std::int64_t r = 0; r < s.inner; ++r) {
        const std::int64_t at = o * s.size * s.inner + r;
        row(elements<T>(b.in[0]) + at, elements<T>(b.out[0]) + at, s.size, s.inner);
      }
  });
}

template <class T>
void softmax_row(const T* x, T* y, std::int64_t n, std::int64_t stride, bool logarithm) {
  T top = lowest<T>();
  for (std::int64_t i = 0; i < n; ++i) top = std::max(top, x[i * stride]);
  double sum = 0;
  for (std::int64_t i = 0; i < n; ++i) sum += std::exp(static_cast<double>(x[i * stride] - top));
  const T log_sum = saturated<T>(std::log(sum)), inverse = static_cast<T>(1 / sum);
  for (std::int64_t i = 0; i < n; ++i) {
    const T v = x[i * stride] - top;
    y[i * stride] = logarithm ? v - log_sum : std::exp(v) * inverse;
  }
}
inline void run(const op::softmax& p, const arguments& a) {
  if (a.of(0).real) return softmax_of_bytes(p, a);
  for_each_row(p.name, a, p.axis,
               [](auto* x, auto* y, std::int64_t n, std::int64_t stride) { softmax_row(x, y, n, stride, false); });
}
inline void run(const op::log_softmax& p, const arguments& a) {
  for_each_row(p.name, a, p.axis,
               [](auto* x, auto* y, std::int64_t n, std::int64_t stride) { softmax_row(x, y, n, stride, true); });
}
inline void run(const op::hardmax& p, const arguments& a) {
  for_each_row(p.name, a, p.axis, [](auto* x, auto* y, std::int64_t n, std::int64_t stride) {
    std::int64_t best = 0;
    for (std::int64_t i = 1; i < n; ++i)
      if (x[i * stride] > x[best * stride] || (x[i * stride] != x[i * stride] && x[best * stride] == x[best * stride]))
        best = i;
    for (std::int64_t i = 0; i < n; ++i) y[i * stride] = i == best ? 1 : 0;
  });
}

}  // namespace ctnn::ir::typed
CTNN_END_LOOPS
