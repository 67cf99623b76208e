// SPDX-License-Identifier: BSL-1.0
// Operators of loaded models by their type: their structs and the kernels that take every element type.
#pragma once

#include <memory>

#include "../kernels/typed/table.hpp"

namespace ctnn {

namespace detail {

/// The struct of an operator, decoded once.
struct decoder {
  const operator_type* type;
  std::shared_ptr<const void> (*decode)(std::span<const double>);
};
template <class Op>
std::shared_ptr<const void> decode_shared(std::span<const double> fields) {
  return std::make_shared<const Op>(decode<Op>(fields));
}
template <class... A, class... B>
constexpr std::array<decoder, sizeof...(A) + sizeof...(B)> make_decoders(operator_list<A...>, operator_list<B...>) {
  return {{{&type_of<A>, &decode_shared<A>}..., {&type_of<B>, &decode_shared<B>}...}};
}
inline constexpr auto decoders = make_decoders(all_operators{}, loaded_operators{});

}  // namespace detail

/// The operator of a node; null if it is not one of ctnn's.
inline std::shared_ptr<const void> decode_operator(const operator_type* type, std::span<const double> fields) {
  for (const detail::decoder& d : detail::decoders)
    if (d.type == type) return d.decode(fields);
  return nullptr;
}
/// The kernel for any element types, or null.
inline auto find_typed_kernel(const operator_type* type) -> void (*)(const void*, const arguments&) {
  for (const loaded_kernel& k : typed_kernels())
    if (k.type == type) return k.run;
  return nullptr;
}

}  // namespace ctnn
