// SPDX-License-Identifier: BSL-1.0
// Instruction sets and the kernels of each for loaded models, as declarations: who compiles no kernel needs no more.
// dispatch.hpp has the definitions.
#pragma once

#include <cstdint>
#include <string_view>

#include "../base/compiled.hpp"
#include "../base/static_vector.hpp"
#include "../graph/operators.hpp"
#include "../kernels/loaded_kernels.hpp"

namespace ctnn::ir {

/// An instruction set the kernels are compiled for.
struct target_id {
#if !defined(CTNN_PLAIN)
  int index = 0;
#endif
  friend constexpr bool operator==(const target_id&, const target_id&) = default;
};

using target_list = static_vector<target_id, 5>;

#if defined(CTNN_PLAIN)

constexpr std::string_view target_name(target_id) { return "plain"; }
constexpr target_list supported_targets() { return {target_id{}}; }
constexpr target_id best_target() { return {}; }
inline constexpr bool is_target_known = true;  ///< to the compiler

#else

/// As Highway calls it ("AVX3", "NEON", "WASM"); "fallback" is what every CPU runs that this program was compiled for.
std::string_view target_name(target_id t);
/// Targets that were compiled and that this CPU runs, the best first.
target_list supported_targets();
target_id best_target();
inline constexpr bool is_target_known = false;

#endif

/// The kernels of a list of operators for models that are loaded at run time.
template <class List>
loaded_kernels kernels_for(target_id t);

/// fma_peak-inl.hpp on a target.
std::int64_t multiply_registers(target_id t, int steps, float* sink);

#if !CTNN_DEFINES(CTNN_PART_DISPATCH) && !defined(CTNN_PLAIN)
extern template loaded_kernels kernels_for<all_operators>(target_id);
#endif

}  // namespace ctnn::ir

namespace ctnn {
using ir::best_target;
using ir::supported_targets;
using ir::target_id;
using ir::target_name;
}  // namespace ctnn

#if CTNN_DEFINES(CTNN_PART_DISPATCH)
#include "dispatch.hpp"
#endif
