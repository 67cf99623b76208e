// SPDX-License-Identifier: BSL-1.0
// A rule that declares to lower the number of nodes and does not.
// expect: ctnn: a rule did not lower the component of the measure that its info declares
// expect: rule_called<'f', 'o', 'r', 'e', 'v', 'e', 'r'>
#include <ctnn/ctnn.hpp>

namespace nn = ctnn;

struct forever {
  static constexpr nn::ir::rule_info info{"forever", "relu -> clip", nn::ir::lowers::nodes, nn::ir::numerics::exact};
  using pattern = nn::ir::single<nn::op::activation>;
  static constexpr void rewrite(nn::ir::rewriter& r, const nn::ir::match& m) {
#ifdef CTNN_CORRECTED
    r.bypass(m.last, r.input(m.last));
#else
    const nn::ir::value_id x = r.input(m.last);
    r.become(m.last, nn::op::activation{{nn::function::clip, 0, 6}}, r.name(m.last), {&x, 1}, {});
#endif
  }
};
using net = nn::network<nn::input<"image", nn::shape<4>>, nn::relu<"relu">>;

using fused = nn::optimized<net, nn::rule_list<forever>>;
