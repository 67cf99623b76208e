// SPDX-License-Identifier: BSL-1.0
// A unit with the kernels of the instruction sets in CTNN_UNIT_TARGETS (Highway's bits), as far as they are compiled at
// all: a library has a unit for each, dispatch.hpp finds them.
#pragma once

#include "targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ctnn/kernels/target_kernels-inl.hpp"
#include <hwy/foreach_target.h>

#include "target_kernels-inl.hpp"
