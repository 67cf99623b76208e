// SPDX-License-Identifier: BSL-1.0
// Declared networks of bytes by the kernels for any element type.
#include <ctnn/typed.hpp>

#include "quantized_cases.hpp"

TEST_CASE("bytes in, bytes out") {
  check_tiny<tiny>(as_declared);
  check_tiny<nn::optimized<tiny>>(folded);
}

namespace {

/// ONNX's ConvInteger asks nothing of what the bytes before it stand for.
struct sums : nn::network<
    nn::input<"x", nn::shape<1, 8, 8>>,
    nn::quantize<"bytes", nn::as_i8<0.05, 3>>,
    nn::layer<nn::op::quantized_conv2d, "sums", nn::out<2>, nn::kernel<3>, nn::no_bias>,
    nn::cast<"real", nn::to<nn::dtype::f32>>> {};
static_assert(nn::output_shape<sums, "sums">[0] == 2);

}  // namespace
