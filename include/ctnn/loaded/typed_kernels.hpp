// SPDX-License-Identifier: BSL-1.0
// Operators of loaded models by their type: their structs, and memory for their kernels.
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

/// Scratch memory for one call of an operator's kernel, from the heap.
class heap_scratch {
 public:
  explicit heap_scratch(std::int64_t bytes) : bytes_(static_cast<std::size_t>(bytes)) {}
  heap_scratch(const operator_type& type, std::span<const double> fields, inputs in, types of,
               std::span<const extents> out)
      : heap_scratch(type.scratch ? type.scratch(fields, in, of, out) : 0) {}
  scratch_memory memory() { return scratch_memory(bytes_); }

 private:
  std::vector<std::byte> bytes_;
};

}  // namespace ctnn::ir
