// SPDX-License-Identifier: BSL-1.0
// Operators of loaded models by their type: their structs and the kernels that take every element type.
#pragma once

#include <memory>
#include <new>
#include <vector>

#include "../kernels/typed/table.hpp"

namespace ctnn::ir {

/// The struct of an operator, made once.
inline std::shared_ptr<const void> make_operator(const operator_type& type, std::span<const double> fields) {
  void* memory = ::operator new(type.size);
  type.construct(fields, memory);
  return {memory, [](void* p) { ::operator delete(p); }};
}
/// The kernel for any element types, or null.
loaded_run find_typed_kernel(const operator_type* type);

/// Scratch memory for one call of an operator's kernel, from the heap.
class heap_scratch {
 public:
  explicit heap_scratch(std::int64_t bytes) : bytes_(static_cast<std::size_t>(bytes)) {}
  heap_scratch(const operator_type& type, std::span<const double> fields, inputs in, std::span<const extents> out)
      : heap_scratch(type.scratch ? type.scratch(fields, in, out) : 0) {}
  scratch_memory memory() { return scratch_memory(bytes_); }

 private:
  std::vector<std::byte> bytes_;
};

#if !CTNN_COMPILED_ELSEWHERE

CTNN_ONCE loaded_run find_typed_kernel(const operator_type* type) {
  for (const loaded_kernel& k : typed_kernels())
    if (k.type == type) return k.run;
  return nullptr;
}

#endif

}  // namespace ctnn::ir
