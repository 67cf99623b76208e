// SPDX-License-Identifier: BSL-1.0
// What an executor runs: a kernel behind a pointer, part by part.
#pragma once

#include "../base/executor.hpp"
#include "loaded_kernels.hpp"

namespace ctnn::ir {

/// A kernel and what it is given, to be called for each part. One of `run`, `copy` and `cascade` is there.
struct kernel_call {
  arguments all{};
  scratch_memory scratch{};
  loaded_run run = nullptr;
  const void* op = nullptr;
  void (*copy)(const tensor&, const const_tensor&, const work_share&) = nullptr;  ///< of loaded_kernels
  const cascade_call* cascade = nullptr;
  void (*run_cascade)(const cascade_call&, const work_share&, scratch_memory) = nullptr;
  int parts = 1;

  static void run_part(void* call, int i) {
    const auto& c = *static_cast<const kernel_call*>(call);
    arguments a = c.all;
    a.share = {i, c.parts};
    if (c.cascade) c.run_cascade(*c.cascade, a.share, c.scratch);
    else if (c.copy) c.copy(a.out[0], a.in[0], a.share);
    else c.run(c.op, a, c.scratch);
  }
  /// What takes so long on one thread (0: what cannot be divided), on `threads` if there are any.
  void run_on(executor* threads, double nanoseconds) {
    if (threads) parts = parts_for(*threads, nanoseconds, cascade != nullptr);  // its parts repeat rows
    if (parts > 1) threads->run(parts, &run_part, this);
    else run_part(this, 0);
  }
};

}  // namespace ctnn::ir
