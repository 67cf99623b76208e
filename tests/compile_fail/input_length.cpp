// SPDX-License-Identifier: BSL-1.0
// A vector says only at run time how long it is.
// expect: ctnn: the input is an array or std::span of input_size<> numbers
#include <vector>

#include <ctnn/ctnn.hpp>

namespace nn = ctnn;

using net = nn::network<nn::input<"x", nn::shape<4>>, nn::relu<"r">>;

float first(nn::engine<net>& run, const std::vector<float>& x) {
#ifdef CTNN_CORRECTED
  return run(nn::engine<net>::input_span<>(x.data(), x.size()))[0];
#else
  return run(x)[0];
#endif
}
