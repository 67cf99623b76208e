// SPDX-License-Identifier: BSL-1.0
// The same networks by firmware's kernels, which need no typed.hpp.
#define CTNN_PLAIN
#include <ctnn/ctnn.hpp>

#include "network/quantized_cases.hpp"

TEST_CASE("bytes in, bytes out of firmware's kernels") {
  check_tiny<tiny>(as_declared);
  check_tiny<nn::optimized<tiny>>(folded);
}
