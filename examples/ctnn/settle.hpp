// SPDX-License-Identifier: BSL-1.0
// Before a command begins: "-" becomes a file, and files that it would write over are refused.
#pragma once

#include "commands.hpp"

namespace tool {

/// Throws ctnn::error, usage_error.
void settle(info_options&);
void settle(optimize_options&);
void settle(quantize_options&);
void settle(run_options&);
void settle(compare_options&);
void settle(bench_options&);
void settle(header_options&);
void settle(draw_options&);
void settle(extract_options&);

}  // namespace tool
