// SPDX-License-Identifier: BSL-1.0
// Several inputs by place, one of them of a length that only the run knows.
// expect: ctnn: the input is an array or std::span of input_size<> numbers
#include <vector>

#include <ctnn/ctnn.hpp>

namespace nn = ctnn;

using net = nn::network<nn::input<"a", nn::shape<4>>, nn::input<"b", nn::shape<4>>, nn::add<"sum", nn::from<"a", "b">>>;

void add(nn::engine<net>& run, const float (&a)[4], const std::vector<float>& b) {
#ifdef CTNN_CORRECTED
  run.run(a, nn::engine<net>::input_span<1>(b.data(), b.size()));
#else
  run.run(a, b);
#endif
}
