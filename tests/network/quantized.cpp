// SPDX-License-Identifier: BSL-1.0
// Declared networks of bytes by the kernels for any element type.
#include <ctnn/typed.hpp>

#include "quantized_cases.hpp"

TEST_CASE("bytes in, bytes out") {
  check_tiny<tiny>(as_declared);
  check_tiny<nn::optimized<tiny>>(folded);
}
