// SPDX-License-Identifier: BSL-1.0
// What an operator's record (graph/operator.hpp) knows of its kernels. They are functions found by their argument, in
// the operator's namespace:
//
//   constexpr void run_reference(const Op&, const arguments&)      // defines it; or `run`, if that is its only kernel
//   constexpr std::int64_t packed_count(const Op&, int slot, const extents& shape, int block)
//   constexpr void pack(const Op&, int slot, const extents& shape, const float* from, float* to, int block)
//
// An operator that packs says of which slots: `static constexpr bool packs(int slot)`, or `packs(int slot, dtype of)`.
// ctnn's own are in reference/ and packing.hpp.
#pragma once

#include "packing.hpp"
#include "reference/reference.hpp"

namespace ctnn::ir {

namespace detail {

/// An operator that is made of another's struct may say that kernels of that struct are not its own.
template <class Op>
concept shares_kernels_of_its_base = !requires { requires !Op::defined_by_base; };

/// Runs what defines an operator.
template <class Op>
  requires shares_kernels_of_its_base<Op> &&
          (requires(const Op& op, const arguments& a) { reference::run(op, a); } ||
           requires(const Op& op, const arguments& a) { run_reference(op, a); } ||
           requires(const Op& op, const arguments& a) { run(op, a); })
constexpr void define(const Op& op, const arguments& a) {
  if constexpr (requires { reference::run(op, a); }) reference::run(op, a);
  else if constexpr (requires { run_reference(op, a); }) run_reference(op, a);
  else run(op, a);
}

template <class Op>
constexpr erased_kernel find_reference() {
  if constexpr (requires(const Op& op, const arguments& a) { detail::define(op, a); })
    return [](std::span<const double> f, const arguments& a) { detail::define(decode<Op>(f), a); };
  else return nullptr;
}

/// What defines a node or an expression of a graph over numbers T: the pointer of its operator's record for floats;
/// proofs have theirs of fields (loaded/proof/unknowns.hpp).
template <class T>
struct definitions;
template <>
struct definitions<float> {
  static constexpr erased_kernel of(const auto&, const auto& node, std::size_t = 0) { return node.type->reference(); }
};

// Outside operator_code, whose functions of the same names would hide those looked for.
template <class Op>
constexpr std::int64_t count_packed(const Op& op, int slot, const extents& shape, int block) {
  return packed_count(op, slot, shape, block);
}
template <class Op>
constexpr void pack_numbers(const Op& op, int slot, const extents& shape, const float* from, float* to, int block) {
  pack(op, slot, shape, from, to, block);
}

}  // namespace detail

template <class Op>
struct operator_code {
  static constexpr erased_kernel reference() { return detail::find_reference<Op>(); }
  static constexpr bool packs(int slot, dtype of) {
    if constexpr (requires { Op::packs(slot, of); }) return Op::packs(slot, of);
    else if constexpr (requires { Op::packs(slot); }) return Op::packs(slot);
    else return false;
  }
  static constexpr std::int64_t packed_count(span<const double> f, int slot, const extents& shape, int block) {
    return detail::count_packed(decode<Op>(f), slot, shape, block);
  }
  static constexpr void pack(span<const double> f, int slot, const extents& shape, const float* from, float* to,
                             int block) {
    detail::pack_numbers(decode<Op>(f), slot, shape, from, to, block);
  }
};

}  // namespace ctnn::ir
