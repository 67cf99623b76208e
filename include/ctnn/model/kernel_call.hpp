// SPDX-License-Identifier: BSL-1.0
// What an executor runs.
#pragma once

#include "program.hpp"

namespace ctnn::ir {

/// A step's kernel, to be called for each part.
struct kernel_call {
  void (*convert)(const tensor&, const const_tensor&, const work_share&);
  const program::node_code* code;
  arguments all;
  scratch_memory scratch{};
  int parts = 1;

  static void run_part(void* call, int i) {
    const auto& c = *static_cast<const kernel_call*>(call);
    arguments a = c.all;
    a.share = {i, c.parts};
    if (c.convert) c.convert(a.out[0], a.in[0], a.share);
    else c.code->run(c.code->op.get(), a, c.scratch);
  }
};

}  // namespace ctnn::ir
