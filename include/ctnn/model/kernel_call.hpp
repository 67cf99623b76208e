// SPDX-License-Identifier: BSL-1.0
// What an executor runs.
#pragma once

#include "program.hpp"

namespace ctnn::ir {

/// A step's kernel, to be called for each part.
struct kernel_call {
  void (*convert)(const tensor&, const const_tensor&, const work_share&) = nullptr;
  const program::node_code* code = nullptr;
  arguments all{};
  scratch_memory scratch{};
  int parts = 1;
  const cascade_call* cascade = nullptr;
  void (*run_cascade)(const cascade_call&, const work_share&, scratch_memory) = nullptr;

  static void run_part(void* call, int i) {
    const auto& c = *static_cast<const kernel_call*>(call);
    arguments a = c.all;
    a.share = {i, c.parts};
    if (c.cascade) c.run_cascade(*c.cascade, a.share, c.scratch);
    else if (c.convert) c.convert(a.out[0], a.in[0], a.share);
    else c.code->run(c.code->op.get(), a, c.scratch);
  }
};

}  // namespace ctnn::ir
