// SPDX-License-Identifier: BSL-1.0
// A string that can be a template argument: layer names and option names are types.
#pragma once

#include <cstddef>
#include <string_view>

namespace ctnn {

template <std::size_t N>
struct fixed_string {
  char text[N + 1]{};

  constexpr fixed_string() = default;
  constexpr fixed_string(const char (&literal)[N + 1]) { take(literal); }
  constexpr explicit fixed_string(std::string_view s) { take(s.data()); }

  constexpr std::string_view view() const { return {text, N}; }
  constexpr operator std::string_view() const { return view(); }

  constexpr void take(const char* from) {
    for (std::size_t i = 0; i < N; ++i) text[i] = from[i];
  }
};

template <std::size_t N>
fixed_string(const char (&)[N]) -> fixed_string<N - 1>;

}  // namespace ctnn
