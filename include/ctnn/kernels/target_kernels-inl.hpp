// SPDX-License-Identifier: BSL-1.0
// The kernels of one instruction set for models from files, in the unit that asks for it.

#if (HWY_TARGET & (CTNN_UNIT_TARGETS)) != 0
#include "vectors/kernel_table-inl.hpp"
// Nothing was included for this target: Highway toggles behind it what headers count by.
#elif defined(HWY_TARGET_TOGGLE)
#undef HWY_TARGET_TOGGLE
#else
#define HWY_TARGET_TOGGLE
#endif
