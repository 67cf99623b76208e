// SPDX-License-Identifier: BSL-1.0
// What is small: files in memory, and plans.
#define CTNN_UNIT (CTNN_PART_FILES | CTNN_PART_PLANNING)
#include "../formats/file.hpp"
#include "../loaded/planning.hpp"
