// SPDX-License-Identifier: BSL-1.0
// Compiles the kernels and the code that runs networks once for each target, and picks the best for this CPU at run
// time. The only header that uses Highway's foreach_target.h: code of your own that dispatches with Highway belongs in
// another translation unit.
#pragma once

#include "../kernels/targets.hpp"

#if !defined(CTNN_PLAIN)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ctnn/network/run-inl.hpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
#endif
#include "run-inl.hpp"

namespace ctnn {

/// An instruction set the kernels are compiled for.
struct target_id {
  int index = 0;
  friend constexpr bool operator==(const target_id&, const target_id&) = default;
};

#if defined(CTNN_PLAIN)

inline constexpr target_id best_target() { return {}; }
constexpr std::string_view target_name(target_id) { return "plain"; }
constexpr static_vector<target_id, 1> supported_targets() { return {target_id{}}; }

template <class Net>
struct network_dispatch {
  static constexpr void (*at(target_id))(const frame&) { return &plain::run_network<Net>; }
};

/// The kernels of a list of operators for models that are loaded at run time.
template <class List>
loaded_kernels kernels_for(target_id) {
  return plain::kernels_of<List>();
}

/// fma_peak-inl.hpp on a target.
inline std::int64_t multiply_registers(target_id, int steps, float* sink) { return plain::multiply_registers(steps, sink); }

#else

namespace detail {

struct target_entry {
  std::int64_t bit;  ///< Highway's; 0 runs everywhere
  std::string_view name;
};
inline constexpr target_entry target_table[] = {
    {HWY_AVX3, "AVX3"}, {HWY_AVX2, "AVX2"}, {HWY_SSE4, "SSE4"}, {HWY_NEON, "NEON"}, {0, "fallback"}};

/// One function for each entry of target_table, null where the target is not compiled.
#if HWY_IDE || ((HWY_TARGETS & (HWY_TARGETS - 1)) == 0)
#define CTNN_FOR_EACH_TARGET(...) {nullptr, nullptr, nullptr, nullptr, &HWY_STATIC_DISPATCH(__VA_ARGS__)}
#else
#define CTNN_FOR_EACH_TARGET(...)                                                                  \
  {HWY_CHOOSE_AVX3(__VA_ARGS__), HWY_CHOOSE_AVX2(__VA_ARGS__), HWY_CHOOSE_SSE4(__VA_ARGS__), HWY_CHOOSE_NEON(__VA_ARGS__), \
   HWY_CHOOSE_FALLBACK(__VA_ARGS__)}
#endif

inline void (*const probe[])() = CTNN_FOR_EACH_TARGET(probe_target);

}  // namespace detail

constexpr std::string_view target_name(target_id t) { return detail::target_table[t.index].name; }

/// Targets that were compiled and that this CPU runs, the best first.
inline static_vector<target_id, std::size(detail::target_table)> supported_targets() {
  static_vector<target_id, std::size(detail::target_table)> out;
  for (int i = 0; i < static_cast<int>(std::size(detail::target_table)); ++i) {
    if (detail::probe[i] == nullptr) continue;
#if !defined(HWY_COMPILE_ONLY_STATIC)
    const std::int64_t bit = detail::target_table[i].bit;
    if (bit != 0 && (hwy::SupportedTargets() & bit) == 0) continue;
#endif
    out.push_back({i});
  }
  return out;
}
inline target_id best_target() { return supported_targets()[0]; }

template <class Net>
struct network_dispatch {
  static constexpr void (*table[])(const frame&) = CTNN_FOR_EACH_TARGET(run_network<Net>);
  static constexpr auto at(target_id t) { return table[t.index]; }
};
/// The same on several threads.
template <class Net>
struct threaded_dispatch {
  static constexpr void (*table[])(const frame&, executor&) = CTNN_FOR_EACH_TARGET(run_network_on<Net>);
  static constexpr auto at(target_id t) { return table[t.index]; }
};

/// The kernels of a list of operators for models that are loaded at run time.
template <class List>
loaded_kernels kernels_for(target_id t) {
  static constexpr loaded_kernels (*table[])() = CTNN_FOR_EACH_TARGET(kernels_of<List>);
  return table[t.index]();
}

/// fma_peak-inl.hpp on a target.
inline std::int64_t multiply_registers(target_id t, int steps, float* sink) {
  static constexpr std::int64_t (*table[])(int, float*) = CTNN_FOR_EACH_TARGET(multiply_registers);
  return table[t.index](steps, sink);
}

#if defined(CTNN_COMPILE)
template loaded_kernels kernels_for<all_operators>(target_id);
#elif CTNN_COMPILED_ELSEWHERE
extern template loaded_kernels kernels_for<all_operators>(target_id);
#endif

#endif

}  // namespace ctnn
