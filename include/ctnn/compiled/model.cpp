// SPDX-License-Identifier: BSL-1.0
// Models: loaded, rewritten, packed, ready to run.
#define CTNN_UNIT CTNN_PART_MODEL
#include "../model/model.hpp"
#include "../model/to_model.hpp"
