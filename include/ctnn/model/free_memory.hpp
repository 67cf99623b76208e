// SPDX-License-Identifier: BSL-1.0
// What a model was read and packed with should not stay in the process.
#pragma once

#include <cstdlib>
#if defined(__GLIBC__)
#include <malloc.h>
#endif

namespace ctnn::ir {

/// Gives the system back what has been freed: glibc keeps as much as twice the largest array that there was.
inline void return_free_memory() {
#if defined(__GLIBC__)
  ::malloc_trim(0);
#endif
}

}  // namespace ctnn::ir
