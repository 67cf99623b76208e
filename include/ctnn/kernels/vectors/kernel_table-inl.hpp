// SPDX-License-Identifier: BSL-1.0
// Every kernel of the current target, and a table of them for models that are known at run time only.

#if defined(CTNN_PLAIN)
#if !defined(CTNN_KERNELS_KERNEL_TABLE_INL_HPP)
#define CTNN_KERNELS_KERNEL_TABLE_INL_HPP
#define CTNN_KERNELS_KERNEL_TABLE_ENABLED
#endif
#elif defined(CTNN_KERNELS_KERNEL_TABLE_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef CTNN_KERNELS_KERNEL_TABLE_INL_HPP
#undef CTNN_KERNELS_KERNEL_TABLE_INL_HPP
#else
#define CTNN_KERNELS_KERNEL_TABLE_INL_HPP
#endif
#define CTNN_KERNELS_KERNEL_TABLE_ENABLED
#endif

#if defined(CTNN_KERNELS_KERNEL_TABLE_ENABLED)
#undef CTNN_KERNELS_KERNEL_TABLE_ENABLED

#include <cstring>

#include "../../base/compiled.hpp"
#include "../../graph/operators.hpp"
#include "../loaded_kernels.hpp"
#include "../simd/fma_peak-inl.hpp"
#include "integers-inl.hpp"
#include "kernels-inl.hpp"
#if !defined(CTNN_PLAIN)
#include "few-inl.hpp"
#else
#include "bytes-plain-inl.hpp"
#endif

// Kernels of the user's: a file that CTNN_OWN_KERNELS names, included once for each target. Its run(const Op&, const
// arguments&) stand between CTNN_BEGIN_TARGET and CTNN_END_TARGET like ctnn's own and use the same vectors.
#if defined(CTNN_OWN_KERNELS)
#include CTNN_OWN_KERNELS
#endif

CTNN_BEGIN_TARGET

/// Bytes from channels apart to channels together, or back: firmware's kernels have them so.
template <int = 0>
inline void convert_bytes(const tensor& to, const const_tensor& from) {
  const extents& s = from.shape;
  const auto *x = elements<std::uint8_t>(from);
  auto* y = elements<std::uint8_t>(to);
  const bool together = to.order != layout::nchw;
  const int axes = axes_of_pixels(together ? to.order : from.order);
  const auto channels = static_cast<std::ptrdiff_t>(s.back(axes)),
             pixels = static_cast<std::ptrdiff_t>(s.count(s.rank - axes, s.rank));
  for (std::int64_t n = s.count() / (channels * pixels); n > 0; --n, x += channels * pixels, y += channels * pixels)
    for (std::ptrdiff_t i = 0; i < pixels; ++i)
      for (std::ptrdiff_t c = 0; c < channels; ++c) {
        const std::ptrdiff_t apart = c * pixels + i, beside = i * channels + c;
        y[together ? beside : apart] = x[together ? apart : beside];
      }
}

/// Elements of other types are plain everywhere, but for bytes: what is converted is their place.
template <int = 0>
CTNN_INLINE void convert_any(const tensor& to, const const_tensor& from, const work_share& share) {
  if (from.type == dtype::f32) convert(to, from, share);
  else if (share.index == 0 && to.order != from.order) convert_bytes(to, from);
  else if (share.index == 0)
    std::memcpy(to.data, from.data, static_cast<std::size_t>(from.shape.count() * size_of(from.type)));
}

/// What is kept for the next run may lie where the next run's numbers come from.
template <int = 0>
CTNN_INLINE void carry(const tensor& to, const const_tensor& from, const work_share& share) {
  const auto is_dense = [](layout order, int pitch, const extents& s) {
    return order == layout::nchw || pitch == s.back(axes_of_pixels(order));
  };
  if (to.order != from.order || !is_dense(to.order, to.pitch, to.shape) ||
      !is_dense(from.order, from.pitch, from.shape))
    return convert_any(to, from, share);
  if (share.index == 0)
    std::memmove(to.data, from.data, static_cast<std::size_t>(from.shape.count() * size_of(from.type)));
}

/// Is there a kernel for Op? It may take memory of its own.
template <class Op>
constexpr bool takes_scratch() {
  return ir::detail::shares_kernels_of_its_base<Op> && requires(const Op& op, const arguments& a, scratch_memory m) {
    run(op, a, m);
  };
}
template <class Op>
constexpr bool has_kernel() {
  return takes_scratch<Op>() ||
         (ir::detail::shares_kernels_of_its_base<Op> && requires(const Op& op, const arguments& a) { run(op, a); });
}
template <class Op>
CTNN_INLINE void run_kernel(const Op& op, const arguments& a, scratch_memory memory) {
  if constexpr (takes_scratch<Op>()) run(op, a, memory);
  else run(op, a);
}
/// Kernel of an operator that is known at run time only.
template <class Op>
void run_loaded(const void* op, const arguments& a, scratch_memory memory) {
  const Op& p = *static_cast<const Op*>(op);
  if constexpr (requires { require_numbers(p, a); }) require_numbers(p, a);
  run_kernel(p, a, memory);
}
inline void convert_loaded(const tensor& to, const const_tensor& from, const work_share& share) {
  convert_any(to, from, share);
}
inline void carry_loaded(const tensor& to, const const_tensor& from, const work_share& share) {
  carry(to, from, share);
}

template <class List>
struct loaded_kernel_table;
template <class... Ops>
struct loaded_kernel_table<operator_list<Ops...>> {
  template <class Op>
  static constexpr loaded_kernel entry() {
    if constexpr (has_kernel<Op>()) return {&type_of<Op>, &run_loaded<Op>, traits_of<Op>.divisible};
    else return {&type_of<Op>, nullptr};
  }
  static constexpr loaded_kernel table[sizeof...(Ops)] = {entry<Ops>()...};
};

/// All kernels of the list's operators for models that are loaded at run time.
template <class List>
loaded_kernels kernels_of() {
  constexpr const auto& table = loaded_kernel_table<typename List::list>::table;
#if defined(CTNN_PLAIN)
  return {table, &convert_loaded, &carry_loaded, integers_of_target()};
#else
  return {table, &convert_loaded, &carry_loaded, integers_of_target(), &run_loaded_cascade};
#endif
}

// Units have them by target (target_kernels.hpp).
#if CTNN_UNIT && !defined(CTNN_COMPILE)
#if (HWY_TARGET & (CTNN_UNIT_TARGETS)) == 0
extern
#endif
    template loaded_kernels kernels_of<all_operators>();
#endif

#if !defined(CTNN_PLAIN)
/// "N_AVX2".
inline const char* name_of_target() { return HWY_STR(HWY_NAMESPACE); }
#endif

CTNN_END_TARGET

#endif
