// SPDX-License-Identifier: BSL-1.0
// Loaded models are much to compile: readers, rules, kernels of every operator. A project with several such units
// defines CTNN_COMPILED for all of them, and one more unit defines CTNN_COMPILE and includes ctnn/compile.hpp. Without
// either, every unit has its own, and nothing needs to be linked.
#pragma once

#if defined(CTNN_COMPILED) && !defined(CTNN_COMPILE)
/// Definitions are in another unit: headers only declare.
#define CTNN_COMPILED_ELSEWHERE 1
#else
#define CTNN_COMPILED_ELSEWHERE 0
#endif

/// Before a definition that is compiled once.
#if defined(CTNN_COMPILE)
#define CTNN_ONCE
#else
#define CTNN_ONCE inline
#endif
