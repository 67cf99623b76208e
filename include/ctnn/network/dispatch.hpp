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
#include "target.hpp"

namespace ctnn::ir {

#if defined(CTNN_PLAIN)

template <class Net>
struct network_dispatch {
  static constexpr void (*at(target_id))(const frame&) { return &plain::run_network<Net>; }
};

template <class Net>
struct observed_dispatch {
  static constexpr void (*at(target_id))(const frame&, const layer_observer&) {
    return &plain::run_network_observed<Net>;
  }
};

template <class List>
loaded_kernels kernels_for(target_id) {
  return plain::kernels_of<List>();
}

inline std::int64_t multiply_registers(target_id, int steps, float* sink) {
  return plain::multiply_registers(steps, sink);
}

#else

/// One function for each target, the best first and last the one that runs everywhere; null where it is not compiled.
/// targets.hpp lets Highway compile no others.
#if HWY_IDE || ((HWY_TARGETS & (HWY_TARGETS - 1)) == 0)
#define CTNN_FOR_EACH_TARGET(...) {nullptr, nullptr, nullptr, nullptr, &HWY_STATIC_DISPATCH(__VA_ARGS__)}
inline constexpr bool several_targets = false;
#else
inline constexpr bool several_targets = true;
#define CTNN_FOR_EACH_TARGET(...)                                                                  \
  {HWY_CHOOSE_AVX3(__VA_ARGS__), HWY_CHOOSE_AVX2(__VA_ARGS__), \
   HWY_CHOOSE_SSE4(__VA_ARGS__), HWY_CHOOSE_NEON(__VA_ARGS__), \
   HWY_CHOOSE_FALLBACK(__VA_ARGS__)}
#endif

template <class Net>
struct network_dispatch {
  static constexpr void (*table[])(const frame&) = CTNN_FOR_EACH_TARGET(run_network<Net>);
  static constexpr auto at(target_id t) { return table[t.index]; }
};
/// The same before an observer.
template <class Net>
struct observed_dispatch {
  static constexpr void (*table[])(const frame&,
                                   const layer_observer&) = CTNN_FOR_EACH_TARGET(run_network_observed<Net>);
  static constexpr auto at(target_id t) { return table[t.index]; }
};
/// The same on several threads.
template <class Net>
struct threaded_dispatch {
  static constexpr void (*table[])(const frame&, executor&) = CTNN_FOR_EACH_TARGET(run_network_on<Net>);
  static constexpr auto at(target_id t) { return table[t.index]; }
};

template <class List>
loaded_kernels kernels_for(target_id t) {
  static constexpr loaded_kernels (*table[])() = CTNN_FOR_EACH_TARGET(kernels_of<List>);
  return table[t.index]();
}

#if CTNN_DEFINES(CTNN_PART_DISPATCH)

CTNN_ONCE target_list supported_targets() {
  static constexpr const char* (*compiled[])() = CTNN_FOR_EACH_TARGET(name_of_target);
#if !defined(HWY_COMPILE_ONLY_STATIC)
  static constexpr std::int64_t bits[] = {HWY_AVX3, HWY_AVX2, HWY_SSE4, HWY_NEON, 0};  // Highway's; 0 runs everywhere
  const std::int64_t supported = hwy::SupportedTargets();  // asks the processor, which takes 10 us in a virtual machine
#endif
  target_list out;
  for (int i = 0; i < static_cast<int>(std::size(compiled)); ++i) {
    if (compiled[i] == nullptr) continue;
#if !defined(HWY_COMPILE_ONLY_STATIC)
    if (bits[i] != 0 && (supported & bits[i]) == 0) continue;
#endif
    out.push_back({i});
  }
  return out;
}
CTNN_ONCE std::string_view target_name(target_id t) {
  static constexpr const char* (*names[])() = CTNN_FOR_EACH_TARGET(name_of_target);
  const std::string_view name = std::string_view(names[t.index]()).substr(2);
  const bool last_of_many = several_targets && t.index + 1 == static_cast<int>(std::size(names));
  return last_of_many || name == "SCALAR" || name == "EMU128" ? "fallback" : name;
}
CTNN_ONCE target_id best_target() { return supported_targets()[0]; }

CTNN_ONCE std::int64_t multiply_registers(target_id t, int steps, float* sink) {
  static constexpr std::int64_t (*table[])(int, float*) = CTNN_FOR_EACH_TARGET(multiply_registers);
  return table[t.index](steps, sink);
}

#endif

#if CTNN_UNIT
template loaded_kernels kernels_for<all_operators>(target_id);
#endif

#endif

}  // namespace ctnn::ir
