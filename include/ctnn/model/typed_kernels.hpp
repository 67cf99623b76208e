// SPDX-License-Identifier: BSL-1.0
// The kernels that take every element type (kernels/typed/), found by operator.
#pragma once

#include <memory>

#include "../graph/loaded_operators.hpp"
#if __has_include("../kernels/typed/typed.hpp")
#include "../kernels/typed/typed.hpp"
#else
namespace ctnn::typed { struct nothing {}; void run(const nothing&, const arguments&); }
#endif

namespace ctnn {

struct typed_kernel {
  const operator_type* type;
  std::shared_ptr<const void> (*decode)(std::span<const double>);
  void (*run)(const void*, const arguments&);  ///< null: there is no kernel of this kind
};

namespace detail {

template <class Op>
std::shared_ptr<const void> decode_typed(std::span<const double> fields) {
  return std::make_shared<const Op>(decode<Op>(fields));
}
template <class Op>
void run_typed(const void* op, const arguments& a) {
  typed::run(*static_cast<const Op*>(op), a);
}
template <class Op>
constexpr typed_kernel typed_entry() {
  if constexpr (requires(const Op& op, const arguments& a) { typed::run(op, a); }) return {&type_of<Op>, &decode_typed<Op>, &run_typed<Op>};
  else return {&type_of<Op>, &decode_typed<Op>, nullptr};
}

template <class List>
struct typed_kernel_table;
template <class... Ops>
struct typed_kernel_table<operator_list<Ops...>> {
  static std::span<const typed_kernel> all();
};
template <class... Ops>
std::span<const typed_kernel> typed_kernel_table<operator_list<Ops...>>::all() {
  static constexpr typed_kernel table[] = {typed_entry<Ops>()...};
  return table;
}

// As with the vector kernels (kernels/dispatch.hpp): compiled where CTNN_COMPILE_KERNELS is defined, or everywhere.
#if defined(CTNN_COMPILE_KERNELS)
template struct typed_kernel_table<all_operators>;
template struct typed_kernel_table<loaded_operators>;
#elif defined(CTNN_COMPILED_KERNELS)
extern template struct typed_kernel_table<all_operators>;
extern template struct typed_kernel_table<loaded_operators>;
#endif

}  // namespace detail

/// The entry of an operator, or null.
inline const typed_kernel* find_operator(const operator_type* type) {
  for (const auto list : {detail::typed_kernel_table<all_operators>::all(), detail::typed_kernel_table<loaded_operators>::all()})
    for (const typed_kernel& k : list)
      if (k.type == type) return &k;
  return nullptr;
}
inline const typed_kernel* find_typed_kernel(const operator_type* type) {
  const typed_kernel* k = find_operator(type);
  return k && k->run ? k : nullptr;
}

}  // namespace ctnn
