// SPDX-License-Identifier: BSL-1.0
// Loaded models are much to compile: readers, rules, kernels of every operator. A project with several such units
// defines CTNN_COMPILED for all of them, and one more unit defines CTNN_COMPILE and includes ctnn/compile.hpp. Without
// either, every unit has its own, and nothing needs to be linked.
// CTNN_COMPILED_KERNELS, for all units beside CTNN_COMPILED, takes the kernels of networks of types from there, too:
// they compile in a fraction of the time, for every instruction set, and run at their speed in a program that is not
// optimised itself. What kernels gain by knowing a network's shapes is lost.
#pragma once

#if defined(CTNN_COMPILED) && !defined(CTNN_COMPILE)
/// Definitions are in another unit: headers only declare.
#define CTNN_COMPILED_ELSEWHERE 1
#else
#define CTNN_COMPILED_ELSEWHERE 0
#endif

#if defined(CTNN_COMPILED_KERNELS) && (!defined(CTNN_COMPILED) || defined(CTNN_PLAIN))
#error "ctnn: CTNN_COMPILED_KERNELS goes with CTNN_COMPILED (ctnn::compiled_kernels has both), not with CTNN_PLAIN"
#undef CTNN_COMPILED_KERNELS
#endif

/// Before a definition that is compiled once.
#if defined(CTNN_COMPILE)
#define CTNN_ONCE
#else
#define CTNN_ONCE inline
#endif
