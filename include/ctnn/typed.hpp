// SPDX-License-Identifier: BSL-1.0
// Declared networks of every operator and every element type: ctnn.hpp's words and kernels, and the plain kernels of
// kernels/typed/ for the rest. layer<ctnn::op::gather, "rows", from<"table", "ids">> is how what has no word of its own
// is said.
#pragma once

#include "ctnn.hpp"
CTNN_BEGIN_FIRMWARE
#include "kernels/typed/all.hpp"
CTNN_END_FIRMWARE
