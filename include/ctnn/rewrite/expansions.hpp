// SPDX-License-Identifier: BSL-1.0
// What is expanded before the first rule; README.md has it in the table of rules.
#pragma once

#include "expansions/half_precision.hpp"

namespace ctnn::ir {

using default_expansions = expansion_list<expansions::widen_halves>;

}  // namespace ctnn::ir
