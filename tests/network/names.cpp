// SPDX-License-Identifier: BSL-1.0
// ctnn's words for graphs, operators and kernels are in ctnn::ir: people may call their own things so.
#include <doctest/doctest.h>

#include <utility>

#include <ctnn/ctnn.hpp>
#include <ctnn/model.hpp>

using namespace ctnn;
using std::pair;

namespace {

struct node {
  int value = 1;
};
struct graph {
  node range[2], none;
};
enum class layout { list, plan, tensor };
struct tensor {
  layout kind = layout::tensor;
};
using inputs = pair<tensor, graph>;
using outputs = pair<inputs, inputs>;
struct rule {
  int match = 2, reason = 3;
};
struct rewriter {
  rule placement, expression, traits, program;
};

using net = network<input<"x", shape<2, 2, 2>>, relu<"r">>;

}  // namespace

TEST_CASE("words that ctnn uses inside are free under using namespace ctnn") {
  const outputs o;
  const rewriter r;
  CHECK(o.first.second.range[1].value + r.program.reason == 4);
  CHECK(o.second.first.kind == layout::tensor);
  const parameters<net> weights{zeros};
  engine<net> e(weights);
  const float x[8] = {-1, 2};
  const float* const given[] = {x};
  e.run(given);
  CHECK(e.output<0>()[1] == 2);
}
