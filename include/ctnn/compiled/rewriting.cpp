// SPDX-License-Identifier: BSL-1.0
// The rules, and what applies them to models.
#define CTNN_UNIT CTNN_PART_REWRITING
#include "../loaded/rewriting.hpp"
